// Integer arithmetic, bits, logic; the opcodes that exist for floats too go on to float.cpp.
#include <algorithm>

#include "model/simt/decode/instruction_decoder.h"

namespace gpuprobe::simt {

bool InstructionDecoder::decode_integer() {
  const std::string& opcode = instruction_.opcode;
  static constexpr std::string_view kArithmetic[] = {"add", "sub", "div",  "rem",      "abs",   "neg", "min",
                                                     "max", "fma", "rcp",  "sqrt",     "rsqrt", "sin", "cos",
                                                     "lg2", "ex2", "tanh", "copysign", "testp"};
  if (opcode == "mul" || opcode == "mad" || opcode == "mul24" || opcode == "mad24" || opcode == "sad")
    return decode_multiply();
  if (std::find(std::begin(kArithmetic), std::end(kArithmetic), opcode) != std::end(kArithmetic))
    return decode_arithmetic(opcode);
  if (opcode == "addc" || opcode == "subc" || opcode == "madc") return decode_extended();
  if (opcode == "dp4a" || opcode == "dp2a") return decode_dot();
  return decode_bits() || (problem_.empty() && decode_logic());
}

bool InstructionDecoder::decode_arithmetic(std::string_view opcode) {
  if (has("cc")) return decode_extended();
  const auto type = take_type();
  if (!type) return fail("an instruction without a type is not supported");
  if (is_float(*type)) return decode_float(*type);
  const auto& lanes = lane_functions();
  const auto two = [&](IntegerOp op) { return plain(lanes.integer(op, *type), 2, *type, {*type, *type}); };
  const auto one = [&](IntegerOp op) { return plain(lanes.integer(op, *type), 1, *type, {*type}); };
  if (opcode == "add") {
    if (*type == Type::kU16x2 || *type == Type::kS16x2)
      return fail("packed integer addition is not supported");
    return two(take("sat") ? IntegerOp::kAddSat : IntegerOp::kAdd);
  }
  if (opcode == "sub") return two(take("sat") ? IntegerOp::kSubSat : IntegerOp::kSub);
  if (opcode == "div") return two(IntegerOp::kDiv);
  if (opcode == "rem") return two(IntegerOp::kRem);
  if (opcode == "min") return two(take("relu") ? IntegerOp::kMinRelu : IntegerOp::kMin);
  if (opcode == "max") return two(take("relu") ? IntegerOp::kMaxRelu : IntegerOp::kMax);
  if (opcode == "abs") return one(IntegerOp::kAbs);
  if (opcode == "neg") return one(IntegerOp::kNeg);
  return fail("this type is not supported");
}

bool InstructionDecoder::decode_multiply() {
  if (has("cc")) return decode_extended();
  const std::string& opcode = instruction_.opcode;
  const auto type = take_type();
  if (!type) return fail("an instruction without a type is not supported");
  if (is_float(*type)) return decode_float(*type);
  const auto& lanes = lane_functions();
  if (opcode == "sad") return plain(lanes.integer(IntegerOp::kSad, *type), 3, *type, {*type, *type, *type});
  const bool three = opcode == "mad" || opcode == "mad24";
  const std::string_view part = take_one_of({"lo", "hi", "wide"});
  if (part == "wide") {
    Type wide = Type::kU64;
    if (*type == Type::kU16) wide = Type::kU32;
    if (*type == Type::kS16) wide = Type::kS32;
    if (*type == Type::kS32) wide = Type::kS64;
    if (three) return plain(lanes.integer(IntegerOp::kMadWide, *type), 3, wide, {*type, *type, wide});
    return plain(lanes.integer(IntegerOp::kMulWide, *type), 2, wide, {*type, *type});
  }
  if (part.empty()) return fail("a product without .lo, .hi or .wide is not supported");
  const bool low = part == "lo";
  if (opcode == "mul")
    return plain(lanes.integer(low ? IntegerOp::kMulLo : IntegerOp::kMulHi, *type), 2, *type, {*type, *type});
  if (opcode == "mul24")
    return plain(lanes.integer(low ? IntegerOp::kMul24Lo : IntegerOp::kMul24Hi, *type), 2, *type,
                 {*type, *type});
  IntegerOp op = low ? IntegerOp::kMadLo : IntegerOp::kMadHi;
  if (opcode == "mad24") op = low ? IntegerOp::kMad24Lo : IntegerOp::kMad24Hi;
  if (opcode == "mad" && !low && take("sat")) op = IntegerOp::kMadHiSat;
  return plain(lanes.integer(op, *type), 3, *type, {*type, *type, *type});
}

bool InstructionDecoder::decode_extended() {
  const std::string& opcode = instruction_.opcode;
  const auto type = take_type();
  if (!type || (bytes_of(*type) != 4 && bytes_of(*type) != 8) || is_float(*type))
    return fail("this type is not supported");
  const bool out = take("cc");
  const bool in = opcode == "addc" || opcode == "subc" || opcode == "madc";
  op_.mode = static_cast<std::uint8_t>((in ? kCarryIn : 0) | (out ? kCarryOut : 0));
  op_.extra = decoder_.image().carry;
  IntegerOp which = IntegerOp::kAddCarry;
  if (opcode == "sub" || opcode == "subc") which = IntegerOp::kSubCarry;
  const bool three = opcode == "mad" || opcode == "madc";
  if (three) {
    const std::string_view part = take_one_of({"lo", "hi"});
    if (part.empty()) return fail("a product without .lo or .hi is not supported");
    which = part == "lo" ? IntegerOp::kMadLoCarry : IntegerOp::kMadHiCarry;
    // The high part of a signed product differs; the sum and its carry do not.
    if (which == IntegerOp::kMadHiCarry && is_signed(*type))
      return fail("mad.hi.cc of a signed type is not supported");
    return plain(lane_functions().integer(which, *type), 3, *type, {*type, *type, *type});
  }
  return plain(lane_functions().integer(which, *type), 2, *type, {*type, *type});
}

bool InstructionDecoder::decode_dot() {
  const auto a = take_type();
  const auto b = take_type();
  if (!a || !b) return fail("this form of the instruction is not supported");
  const int which = (is_signed(*a) ? 2 : 0) + (is_signed(*b) ? 1 : 0);
  IntegerOp base = IntegerOp::kDp4aUU;
  if (instruction_.opcode == "dp2a") {
    base = IntegerOp::kDp2aUU;
    const std::string_view part = take_one_of({"lo", "hi"});
    if (part.empty()) return fail("dp2a without .lo or .hi is not supported");
    op_.mode = part == "hi" ? 1 : 0;
  }
  const auto op = static_cast<IntegerOp>(static_cast<int>(base) + which);
  return plain(lane_functions().integer(op, Type::kB32), 3, Type::kB32, {Type::kB32, Type::kB32, Type::kB32});
}

bool InstructionDecoder::decode_bits() {
  const std::string& opcode = instruction_.opcode;
  const auto& lanes = lane_functions();
  constexpr Type kWord = Type::kB32;
  if (opcode == "popc" || opcode == "clz" || opcode == "bfind") {
    const auto type = take_type();
    if (!type) return fail("an instruction without a type is not supported");
    IntegerOp op = opcode == "popc" ? IntegerOp::kPopc : IntegerOp::kClz;
    if (opcode == "bfind") op = take("shiftamt") ? IntegerOp::kBfindShift : IntegerOp::kBfind;
    return plain(lanes.integer(op, *type), 1, kWord, {*type});
  }
  if (opcode == "brev") {
    const auto type = take_type();
    if (!type) return fail("an instruction without a type is not supported");
    return plain(lanes.integer(IntegerOp::kBrev, *type), 1, *type, {*type});
  }
  if (opcode == "bfe") {
    const auto type = take_type();
    if (!type) return fail("an instruction without a type is not supported");
    return plain(lanes.integer(IntegerOp::kBfe, *type), 3, *type, {*type, kWord, kWord});
  }
  if (opcode == "bfi") {
    const auto type = take_type();
    if (!type) return fail("an instruction without a type is not supported");
    return plain(lanes.integer(IntegerOp::kBfi, *type), 4, *type, {*type, *type, kWord, kWord});
  }
  if (opcode == "fns") {
    take("b32");
    return plain(lanes.integer(IntegerOp::kFns, kWord), 3, kWord, {kWord, kWord, kWord});
  }
  if (opcode == "szext" || opcode == "bmsk") {
    const auto type = take_type();
    const std::string_view mode = take_one_of({"wrap", "clamp"});
    if (!type || mode.empty()) return fail("this form of the instruction is not supported");
    const bool clamp = mode == "clamp";
    const IntegerOp op = opcode == "szext" ? (clamp ? IntegerOp::kSzextClamp : IntegerOp::kSzextWrap)
                                           : (clamp ? IntegerOp::kBmskClamp : IntegerOp::kBmskWrap);
    return plain(lanes.integer(op, *type), 2, kWord, {kWord, kWord});
  }
  if (opcode == "prmt") {
    take("b32");
    IntegerOp op = IntegerOp::kPrmt;
    if (take("f4e")) op = IntegerOp::kPrmtF4e;
    if (take("b4e")) op = IntegerOp::kPrmtB4e;
    if (take("rc8")) op = IntegerOp::kPrmtRc8;
    if (take("ecl")) op = IntegerOp::kPrmtEcl;
    if (take("ecr")) op = IntegerOp::kPrmtEcr;
    if (take("rc16")) op = IntegerOp::kPrmtRc16;
    return plain(lanes.integer(op, kWord), 3, kWord, {kWord, kWord, kWord});
  }
  return false;
}

bool InstructionDecoder::decode_logic() {
  const std::string& opcode = instruction_.opcode;
  const auto& lanes = lane_functions();
  constexpr Type kWord = Type::kB32;
  if (opcode == "and" || opcode == "or" || opcode == "xor" || opcode == "not" || opcode == "cnot") {
    if (has("pred")) return decode_predicate_logic();
    const auto type = take_type();
    if (!type) return fail("an instruction without a type is not supported");
    if (opcode == "not") return plain(lanes.integer(IntegerOp::kNot, *type), 1, *type, {*type});
    if (opcode == "cnot") return plain(lanes.integer(IntegerOp::kCnot, *type), 1, *type, {*type});
    const IntegerOp op =
        opcode == "and" ? IntegerOp::kAnd : (opcode == "or" ? IntegerOp::kOr : IntegerOp::kXor);
    return plain(lanes.integer(op, *type), 2, *type, {*type, *type});
  }
  if (opcode == "shl" || opcode == "shr") {
    const auto type = take_type();
    if (!type) return fail("an instruction without a type is not supported");
    return plain(lanes.integer(opcode == "shl" ? IntegerOp::kShl : IntegerOp::kShr, *type), 2, *type,
                 {*type, kWord});
  }
  if (opcode == "shf") {
    take("b32");
    const std::string_view side = take_one_of({"l", "r"});
    const std::string_view mode = take_one_of({"wrap", "clamp"});
    if (side.empty() || mode.empty()) return fail("this form of the instruction is not supported");
    const bool clamp = mode == "clamp";
    const IntegerOp op = side == "l" ? (clamp ? IntegerOp::kShfLeftClamp : IntegerOp::kShfLeftWrap)
                                     : (clamp ? IntegerOp::kShfRightClamp : IntegerOp::kShfRightWrap);
    return plain(lanes.integer(op, kWord), 3, kWord, {kWord, kWord, kWord});
  }
  if (opcode == "lop3") {
    take("b32");
    if (operand_count() != 5 || operand(4).kind != ptx::Operand::Kind::kInteger)
      return fail("this form of the instruction is not supported");
    op_.run = lanes.integer(IntegerOp::kLop3, kWord);
    op_.dst = target(0, kWord);
    op_.a = source(1, kWord);
    op_.b = source(2, kWord);
    op_.c = source(3, kWord);
    op_.immediate = static_cast<std::uint64_t>(operand(4).integer) & 0xFF;
    return true;
  }
  return false;
}

}  // namespace gpuprobe::simt
