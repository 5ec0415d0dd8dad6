// Matrix instructions.
#include "model/simt/decode/instruction_decoder.h"

namespace gpuprobe::simt {

bool InstructionDecoder::decode_matrix() {
  return false;
}

}  // namespace gpuprobe::simt
