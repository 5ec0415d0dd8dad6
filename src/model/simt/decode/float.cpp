// Floating-point arithmetic.
#include <optional>

#include "model/simt/decode/instruction_decoder.h"

namespace gpuprobe::simt {
namespace {

struct FloatRow {
  std::string_view opcode;
  FloatOp op;
  std::size_t sources;
};

constexpr FloatRow kRows[] = {
    {"add", FloatOp::kAdd, 2},           {"sub", FloatOp::kSub, 2},   {"mul", FloatOp::kMul, 2},
    {"fma", FloatOp::kFma, 3},           {"mad", FloatOp::kFma, 3},   {"div", FloatOp::kDiv, 2},
    {"rcp", FloatOp::kRcp, 1},           {"sqrt", FloatOp::kSqrt, 1}, {"rsqrt", FloatOp::kRsqrt, 1},
    {"sin", FloatOp::kSin, 1},           {"cos", FloatOp::kCos, 1},   {"lg2", FloatOp::kLg2, 1},
    {"ex2", FloatOp::kEx2, 1},           {"tanh", FloatOp::kTanh, 1}, {"min", FloatOp::kMin, 2},
    {"max", FloatOp::kMax, 2},           {"abs", FloatOp::kAbs, 1},   {"neg", FloatOp::kNeg, 1},
    {"copysign", FloatOp::kCopysign, 2},
};

std::optional<FloatOp> test_of(std::string_view name) {
  if (name == "finite") return FloatOp::kTestFinite;
  if (name == "infinite") return FloatOp::kTestInfinite;
  if (name == "number") return FloatOp::kTestNumber;
  if (name == "notanumber") return FloatOp::kTestNotANumber;
  if (name == "normal") return FloatOp::kTestNormal;
  if (name == "subnormal") return FloatOp::kTestSubnormal;
  return std::nullopt;
}

}  // namespace

bool InstructionDecoder::decode_float(Type type) {
  const std::string& opcode = instruction_.opcode;
  if (opcode == "testp") {
    const auto test =
        test_of(take_one_of({"finite", "infinite", "number", "notanumber", "normal", "subnormal"}));
    if (!test) return fail("this form of the instruction is not supported");
    return plain(lane_functions().floating(*test, type, 0, Rounding::kNearest), 1, Type::kPred, {type});
  }
  for (const FloatRow& row : kRows) {
    if (row.opcode != opcode) continue;
    if (take("ftz")) op_.flags |= kFlagFtz;
    if (take("sat")) op_.flags |= kFlagSaturate;
    if (take("NaN")) op_.flags |= kFlagNan;
    if (take("relu")) op_.flags |= kFlagRelu;
    const Rounding rounding = take_rounding().value_or(Rounding::kNearest);
    take_any({"approx", "full"});
    op_.mode = static_cast<std::uint8_t>(rounding);
    const Handler handler = lane_functions().floating(row.op, type, op_.flags, rounding);
    if (handler == nullptr) return fail("this form of the instruction is not supported");
    switch (row.sources) {
      case 1:
        return plain(handler, 1, type, {type});
      case 2:
        return plain(handler, 2, type, {type, type});
      default:
        return plain(handler, 3, type, {type, type, type});
    }
  }
  return fail("this type is not supported");
}

}  // namespace gpuprobe::simt
