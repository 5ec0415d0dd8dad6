// cvt and its packed forms.
#include <bit>

#include "model/simt/decode/instruction_decoder.h"
#include "model/simt/misc_ops.h"

namespace gpuprobe::simt {

static_assert(sizeof(ConvertOp) <= 8, "packed into the immediate");

bool InstructionDecoder::decode_convert() {
  if (instruction_.opcode != "cvt") return false;
  ConvertOp convert;
  const std::string_view integral = take_one_of({"rni", "rzi", "rmi", "rpi"});
  const std::string_view rounding = take_one_of({"rn", "rz", "rm", "rp", "rna"});
  const std::string_view mode = integral.empty() ? rounding : integral.substr(0, 2);
  if (mode == "rz") convert.rounding = Rounding::kZero;
  if (mode == "rm") convert.rounding = Rounding::kDown;
  if (mode == "rp") convert.rounding = Rounding::kUp;
  if (mode == "rna") convert.rounding = Rounding::kNearestAway;
  if (rounding == "rna") convert.rounding = Rounding::kNearestAway;
  if (take("ftz")) op_.flags |= kFlagFtz;
  if (take("sat")) op_.flags |= kFlagSaturate;
  if (take("relu")) op_.flags |= kFlagRelu;
  convert.finite = take("satfinite");
  const auto to = take_type();
  const auto from = take_type();
  if (!to || !from) return fail("this form of the instruction is not supported");
  convert.to = *to;
  convert.from = *from;
  convert.to_integral = !integral.empty();
  const bool packed = bytes_of(*to) == 4 && (*to == Type::kF16x2 || *to == Type::kBf16x2);
  const bool narrow_pair = *to == Type::kE4m3x2 || *to == Type::kE5m2x2;
  const bool two_sources = (packed || narrow_pair) && *from == Type::kF32;
  if (!expect_operands(two_sources ? 3 : 2, two_sources ? 3 : 2)) return false;

  std::uint32_t to_bytes = register_bytes(operand(0));
  if (to_bytes < std::max(2u, bytes_of(*to)) || to_bytes > 8 || to_bytes == 1)
    return fail("the destination register does not fit the instruction's type");
  std::uint32_t from_bytes = 4;
  op_.dst = slot_of(operand(0))->offset;
  op_.a = loose_source(operand(1), *from, from_bytes);
  if (two_sources) op_.b = loose_source(operand(2), *from, from_bytes);
  if (!problem_.empty()) return false;
  convert.to_bytes = static_cast<std::uint8_t>(to_bytes);
  convert.from_bytes = static_cast<std::uint8_t>(from_bytes);

  // The vector forms know integers of any size, and floats in registers of their own size.
  const bool sizes_agree = is_integer(*to) || to_bytes == std::max(2u, bytes_of(*to));
  if (sizes_agree && !convert.finite && (!convert.to_integral || is_integer(*to)))
    op_.run = lane_functions().convert(*to, *from, convert.rounding, op_.flags, to_bytes, from_bytes);
  if (op_.run != nullptr) return true;
  const auto known = [](Type type) {
    return is_integer(type) || type == Type::kF16 || type == Type::kBf16 || type == Type::kF32 ||
           type == Type::kF64;
  };
  const bool supported = (known(*to) && known(*from)) || (*to == Type::kTf32 && *from == Type::kF32) ||
                         two_sources ||
                         (*to == Type::kF16x2 && (*from == Type::kE4m3x2 || *from == Type::kE5m2x2)) ||
                         (narrow_pair && *from == Type::kF16x2);
  if (!supported) return fail("this conversion is not supported");
  op_.immediate = std::bit_cast<std::uint64_t>(convert);
  op_.run = convert_general;
  return true;
}

}  // namespace gpuprobe::simt
