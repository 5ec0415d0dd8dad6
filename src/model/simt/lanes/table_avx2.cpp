#if defined(__x86_64__)
#include "model/simt/lanes/lanes.h"

namespace gpuprobe::simt::avx2 {

Handler integer_handler(IntegerOp op, Type type);
Handler float_handler(FloatOp op, Type type, std::uint8_t flags, Rounding rounding);
Handler set_predicate_handler(Compare compare, Type type);
Handler set_value_handler(Compare compare, Type type);
Handler convert_handler(Type to, Type from, Rounding rounding, std::uint8_t flags, std::uint32_t to_bytes,
                        std::uint32_t from_bytes);
Handler memory_handler(const MemoryOp& op);

const LaneFunctions kLaneFunctions = {integer_handler,   float_handler,   set_predicate_handler,
                                      set_value_handler, convert_handler, memory_handler};

}  // namespace gpuprobe::simt::avx2
#endif
