// The arithmetic of 32 lanes, compiled twice: for any CPU, and with AVX2 and FMA. The best one is chosen
// once.
//
//   Handler add = lane_functions().integer(IntegerOp::kAdd, Type::kS32);   // nullptr: no such operation
#pragma once

#include "model/simt/micro_op.h"

namespace gpuprobe::simt {

enum class IntegerOp : std::uint8_t {
  kMove,
  kAdd,
  kSub,
  kMulLo,
  kMulHi,
  kMulWide,
  kMul24Lo,
  kMul24Hi,
  kMadLo,
  kMadHi,
  kMadWide,
  kMad24Lo,
  kMad24Hi,
  kMadHiSat,
  kSad,
  kDiv,
  kRem,
  kAbs,
  kNeg,
  kMin,
  kMax,
  kAddSat,
  kSubSat,
  kMinRelu,
  kMaxRelu,
  kPopc,
  kClz,
  kBfind,
  kBfindShift,
  kBrev,
  kBfe,
  kBfi,
  kFns,
  kSzextWrap,
  kSzextClamp,
  kBmskWrap,
  kBmskClamp,
  kShl,
  kShr,
  kShfLeftWrap,
  kShfLeftClamp,
  kShfRightWrap,
  kShfRightClamp,
  kLop3,
  kAnd,
  kOr,
  kXor,
  kNot,
  kCnot,
  kAddCarry,
  kSubCarry,
  kMadLoCarry,
  kMadHiCarry,  ///< read and write the carry flag as op.mode says
  kDp4aUU,
  kDp4aUS,
  kDp4aSU,
  kDp4aSS,
  kDp2aUU,
  kDp2aUS,
  kDp2aSU,
  kDp2aSS,
  kPrmt,
  kPrmtF4e,
  kPrmtB4e,
  kPrmtRc8,
  kPrmtEcl,
  kPrmtEcr,
  kPrmtRc16,
  kSelect,
  kSlctInt,
  kSlctFloat,
};

/// op.mode of the carry operations.
enum CarryMode : std::uint8_t { kCarryIn = 1, kCarryOut = 2 };

enum class FloatOp : std::uint8_t {
  kAdd,
  kSub,
  kMul,
  kFma,
  kDiv,
  kDivApprox,
  kRcp,
  kSqrt,
  kRsqrt,
  kSin,
  kCos,
  kLg2,
  kEx2,
  kTanh,
  kMin,
  kMax,
  kAbs,
  kNeg,
  kCopysign,
  kTestFinite,
  kTestInfinite,
  kTestNumber,
  kTestNotANumber,
  kTestNormal,
  kTestSubnormal,
};

enum class Compare : std::uint8_t {
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kEqu,
  kNeu,
  kLtu,
  kLeu,
  kGtu,
  kGeu,
  kNum,
  kNan,
};

/// op.mode of setp and set: how the result meets predicate operand c.
enum class Combine : std::uint8_t { kNone, kAnd, kOr, kXor };

struct LaneFunctions {
  Handler (*integer)(IntegerOp op, Type type);
  /// flags: kFlagFtz, kFlagSaturate, kFlagNan, kFlagRelu; rounding only of add, sub, mul, fma, div, rcp,
  /// sqrt.
  Handler (*floating)(FloatOp op, Type type, std::uint8_t flags, Rounding rounding);
  /// setp: predicates dst and (if present) extra. set: a number (op.immediate = the value of true).
  Handler (*set_predicate)(Compare compare, Type type);
  Handler (*set_value)(Compare compare, Type type);
  /// nullptr: the conversion has no vector form. The sizes are those of the registers: 2, 4 or 8.
  Handler (*convert)(Type to, Type from, Rounding rounding, std::uint8_t flags, std::uint32_t to_bytes,
                     std::uint32_t from_bytes);
  /// Loads and stores of one element in a known space; nullptr: only the general form exists.
  Handler (*memory)(const MemoryOp& op);
};

/// The variant for the CPU at hand.
const LaneFunctions& lane_functions();
/// All variants that this CPU can run, for tests: the first is the portable one.
std::vector<const LaneFunctions*> lane_function_variants();

namespace portable {
extern const LaneFunctions kLaneFunctions;
}
namespace avx2 {
extern const LaneFunctions kLaneFunctions;
}

}  // namespace gpuprobe::simt
