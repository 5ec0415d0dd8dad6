#include "model/ptx/parser.h"

#include <fmt/format.h>

#include "model/ptx/limits.h"
#include "model/ptx/module_parser.h"

namespace gpuprobe::ptx {

Result<Module> parse(std::string_view text) {
  constexpr auto kHint =
      "gpuprobe predicts from PTX as nvcc and NVRTC write it; change that line (inline assembly?), or "
      "measure on a GPU "
      "with --source gpu";
  if (text.size() > kMaxText)
    return fail(ErrorCode::kMachine,
                fmt::format("the PTX has {} bytes; at most {} can be read", text.size(), kMaxText), kHint);
  try {
    return ModuleParser(text).parse();
  } catch (const SyntaxError& error) {
    return fail(ErrorCode::kMachine, fmt::format("PTX line {}: {}", error.line, error.what), kHint);
  }
}

}  // namespace gpuprobe::ptx
