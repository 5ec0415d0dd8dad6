// Comparisons, selections, logic on predicates.
#include <bit>
#include <optional>

#include "core/half.h"
#include "model/simt/decode/instruction_decoder.h"
#include "model/simt/warp.h"

namespace gpuprobe::simt {
namespace {

struct CompareRow {
  std::string_view name;
  Compare compare;
};

constexpr CompareRow kCompares[] = {
    {"eq", Compare::kEq},   {"ne", Compare::kNe},   {"lt", Compare::kLt},   {"le", Compare::kLe},
    {"gt", Compare::kGt},   {"ge", Compare::kGe},   {"lo", Compare::kLt},   {"ls", Compare::kLe},
    {"hi", Compare::kGt},   {"hs", Compare::kGe},   {"equ", Compare::kEqu}, {"neu", Compare::kNeu},
    {"ltu", Compare::kLtu}, {"leu", Compare::kLeu}, {"gtu", Compare::kGtu}, {"geu", Compare::kGeu},
    {"num", Compare::kNum}, {"nan", Compare::kNan},
};

template <int kOp>
void predicate_op(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t a = warp.predicate(op.a) ^ ((op.flags & kFlagNegateA) != 0 ? kAllLanes : 0u);
  const std::uint32_t b =
      kOp < 3 ? warp.predicate(op.b) ^ ((op.flags & kFlagNegateB) != 0 ? kAllLanes : 0u) : 0u;
  const std::uint32_t result =
      kOp == 0 ? a & b : (kOp == 1 ? a | b : (kOp == 2 ? a ^ b : (kOp == 3 ? ~a : a)));
  std::uint32_t& dst = warp.predicate(op.dst);
  dst = (dst & ~mask) | (result & mask);
}

bool is_packed(Type type) {
  return type == Type::kF16x2 || type == Type::kBf16x2;
}

/// What `set` writes where the comparison holds: 1.0 of a floating type, all ones of an integer. Of a packed
/// comparison it is the value of one half.
std::optional<std::uint32_t> value_of_true(Type result, Type compared) {
  const bool packed = is_packed(compared);
  if (packed ? bytes_of(result) != 4 : is_packed(result)) return std::nullopt;
  switch (result) {
    case Type::kF32:
      if (packed) return std::nullopt;
      return std::bit_cast<std::uint32_t>(1.0f);
    case Type::kF16:
    case Type::kF16x2:
      return half_from_float(1.0f);
    case Type::kBf16:
    case Type::kBf16x2:
      return bfloat16_from_float(1.0f);
    default:
      break;
  }
  if (!is_integer(result) || bytes_of(result) == 8) return std::nullopt;
  return packed || bytes_of(result) == 2 ? 0xFFFFu : kAllLanes;
}

}  // namespace

bool InstructionDecoder::decode_compare() {
  const bool is_set = instruction_.opcode == "set";
  if (!is_set && instruction_.opcode != "setp") return false;
  std::optional<Compare> compare;
  for (const CompareRow& row : kCompares)
    if (!compare && take(row.name)) compare = row.compare;
  if (!compare) return fail("this comparison is not supported");
  const std::string_view combine = take_one_of({"and", "or", "xor"});
  if (take("ftz")) op_.flags |= kFlagFtz;
  std::optional<Type> result = Type::kPred;
  if (is_set) result = take_type();
  const auto type = take_type();
  if (!result || !type) return fail("an instruction without a type is not supported");
  if (!expect_operands(combine.empty() ? 3 : 4, combine.empty() ? 3 : 4)) return false;
  op_.a = source(1, *type);
  op_.b = source(2, *type);
  if (!combine.empty()) {
    op_.mode = static_cast<std::uint8_t>(combine == "and" ? Combine::kAnd
                                                          : (combine == "or" ? Combine::kOr : Combine::kXor));
    op_.c = predicate_source(3, kFlagNegateC);
  }
  if (is_set) {
    const std::optional<std::uint32_t> yes = value_of_true(*result, *type);
    if (!yes) return fail("this result type is not supported");
    op_.dst = target(0, *result);
    op_.immediate = *yes;
    op_.run = lane_functions().set_value(*compare, *type);
    return true;
  }
  op_.dst = predicate_target(0);
  if (is_packed(*type) && !operand(0).pair_reg)
    return fail("a packed comparison needs a predicate for each half");
  if (operand(0).pair_reg) {
    const RegisterSlot& second = layout_.registers[static_cast<std::size_t>(*operand(0).pair_reg)];
    if (second.bytes != 1) return fail("the second destination is not a predicate");
    op_.extra = second.offset;
  }
  op_.run = lane_functions().set_predicate(*compare, *type);
  return op_.run != nullptr || fail("this comparison is not supported");
}

bool InstructionDecoder::decode_predicate_logic() {
  const std::string& opcode = instruction_.opcode;
  take("pred");
  const bool one = opcode == "not";
  if (opcode == "cnot" || !expect_operands(one ? 2 : 3, one ? 2 : 3))
    return fail("this form of the instruction is not supported");
  op_.dst = predicate_target(0);
  op_.a = predicate_source(1, kFlagNegateA);
  if (!one) op_.b = predicate_source(2, kFlagNegateB);
  op_.run = opcode == "and" ? predicate_op<0>
                            : (opcode == "or" ? predicate_op<1> : (one ? predicate_op<3> : predicate_op<2>));
  return true;
}

bool InstructionDecoder::decode_select() {
  const std::string& opcode = instruction_.opcode;
  if (opcode == "selp") {
    const auto type = take_type();
    if (!type || *type == Type::kPred || !expect_operands(4, 4))
      return fail("this form of the instruction is not supported");
    op_.dst = target(0, *type);
    op_.a = source(1, *type);
    op_.b = source(2, *type);
    op_.c = predicate_source(3, kFlagNegateC);
    op_.run = lane_functions().integer(IntegerOp::kSelect, *type);
    return true;
  }
  if (opcode == "slct") {
    const bool ftz = take("ftz");
    const auto type = take_type();
    const auto chosen_by = take_type();
    if (!type || !chosen_by || bytes_of(*type) < 4)
      return fail("this form of the instruction is not supported");
    // Flushing keeps the sign, and -0 >= 0 as well as any small negative number then does.
    if (ftz) return fail("slct.ftz is not supported");
    const IntegerOp op = *chosen_by == Type::kF32 ? IntegerOp::kSlctFloat : IntegerOp::kSlctInt;
    return plain(lane_functions().integer(op, *type), 3, *type, {*type, *type, *chosen_by});
  }
  return false;
}

bool InstructionDecoder::decode_move() {
  if (instruction_.opcode != "mov") return false;
  if (operand(0).kind == ptx::Operand::Kind::kVector || operand(1).kind == ptx::Operand::Kind::kVector)
    return decode_move_vector();
  const auto type = take_type();
  if (!type || !expect_operands(2, 2)) return fail("this form of the instruction is not supported");
  if (*type == Type::kPred) {
    op_.dst = predicate_target(0);
    op_.a = predicate_source(1, kFlagNegateA);
    op_.run = predicate_op<4>;
    return true;
  }
  return decode_move_value(*type);
}

}  // namespace gpuprobe::simt
