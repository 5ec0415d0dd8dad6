// Operations between the lanes of a warp.
#include <algorithm>

#include "model/simt/decode/instruction_decoder.h"
#include "model/simt/warp_ops.h"

namespace gpuprobe::simt {

bool InstructionDecoder::decode_warp_op() {
  const std::string& opcode = instruction_.opcode;
  constexpr Type kWord = Type::kB32;
  const auto members = [&](std::size_t i) { op_.members = source(i, kWord); };
  const auto second_predicate = [&] {
    if (!operand(0).pair_reg) return true;
    const RegisterSlot& second = layout_.registers[static_cast<std::size_t>(*operand(0).pair_reg)];
    if (second.bytes != 1) return fail("the second destination is not a predicate");
    op_.extra = second.offset;
    return true;
  };
  op_.flow = FlowKind::kWarpSync;
  if (opcode == "activemask") {
    take("b32");
    op_.flow = FlowKind::kPlain;
    op_.dst = target(0, kWord);
    op_.run = active_mask;
    return expect_operands(1, 1) && problem_.empty();
  }
  if (opcode == "bar" && has("warp")) {
    take("warp");
    if (!take("sync") || !expect_operands(1, 1)) return fail("this form of the instruction is not supported");
    members(0);
    op_.run = warp_barrier;
    return problem_.empty();
  }
  static constexpr std::string_view kOpcodes[] = {"shfl", "vote", "match", "redux", "elect"};
  if (std::find(std::begin(kOpcodes), std::end(kOpcodes), opcode) == std::end(kOpcodes)) {
    op_.flow = FlowKind::kPlain;
    return false;
  }
  if (!take("sync")) return fail("without .sync the instruction does not exist from sm_70 on");
  if (opcode == "shfl") {
    take("b32");
    const std::string_view mode = take_one_of({"up", "down", "bfly", "idx"});
    if (mode.empty() || !expect_operands(5, 5) || !second_predicate())
      return fail("this form of the instruction is not supported");
    op_.mode = static_cast<std::uint8_t>(mode == "up"     ? ShuffleMode::kUp
                                         : mode == "down" ? ShuffleMode::kDown
                                         : mode == "bfly" ? ShuffleMode::kButterfly
                                                          : ShuffleMode::kIndex);
    op_.dst = target(0, kWord);
    op_.a = source(1, kWord);
    op_.b = source(2, kWord);
    op_.c = source(3, kWord);
    members(4);
    op_.run = shuffle;
    return problem_.empty();
  }
  if (opcode == "vote") {
    const std::string_view mode = take_one_of({"all", "any", "uni", "ballot"});
    take_any({"pred", "b32"});
    if (mode.empty() || !expect_operands(3, 3)) return fail("this form of the instruction is not supported");
    op_.mode = static_cast<std::uint8_t>(mode == "all"   ? VoteMode::kAll
                                         : mode == "any" ? VoteMode::kAny
                                         : mode == "uni" ? VoteMode::kUniform
                                                         : VoteMode::kBallot);
    op_.dst = mode == "ballot" ? target(0, kWord) : predicate_target(0);
    op_.a = predicate_source(1, kFlagNegateA);
    members(2);
    op_.run = vote;
    return problem_.empty();
  }
  if (opcode == "match") {
    const std::string_view mode = take_one_of({"any", "all"});
    const auto type = take_type();
    if (mode.empty() || !type || !expect_operands(3, 3) || !second_predicate())
      return fail("this form of the instruction is not supported");
    if (bytes_of(*type) == 8) op_.flags |= kFlagWide;
    op_.dst = target(0, kWord);
    op_.a = source(1, *type);
    members(2);
    op_.run = mode == "any" ? match_any : match_all;
    if (mode == "any" && op_.dst == kNoSlot) return fail("the result has no destination");
    return problem_.empty();
  }
  if (opcode == "elect") {
    if (!expect_operands(2, 2) || !second_predicate())
      return fail("this form of the instruction is not supported");
    op_.dst = target(0, kWord);
    members(1);
    op_.run = elect;
    return problem_.empty();
  }
  const std::string_view mode = take_one_of({"add", "min", "max", "and", "or", "xor"});
  const bool absolute = take("abs"), nan = take("NaN");
  const auto type = take_type();
  if (mode.empty() || !type || bytes_of(*type) != 4 || !expect_operands(3, 3))
    return fail("this form of the instruction is not supported");
  op_.mode = static_cast<std::uint8_t>(mode == "add"   ? ReduxOp::kAdd
                                       : mode == "min" ? ReduxOp::kMin
                                       : mode == "max" ? ReduxOp::kMax
                                       : mode == "and" ? ReduxOp::kAnd
                                       : mode == "or"  ? ReduxOp::kOr
                                                       : ReduxOp::kXor);
  if (absolute) op_.flags |= kFlagWide;
  if (nan) op_.flags |= kFlagNan;
  const bool is_f32 = *type == Type::kF32;
  if (is_f32 && mode != "min" && mode != "max") return fail("this reduction of floats does not exist");
  if (!is_f32 && (absolute || nan)) return fail("this form of the instruction is not supported");
  op_.dst = target(0, kWord);
  op_.a = source(1, kWord);
  members(2);
  op_.run = is_f32 ? redux_float : (is_signed(*type) ? redux_signed : redux_unsigned);
  return problem_.empty();
}

}  // namespace gpuprobe::simt
