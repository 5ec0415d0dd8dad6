// Handlers of the operations between the lanes of a warp. Each has two steps, giving a value and taking the
// result, because lanes of one operation may be at different instructions (Warp::phase).
#pragma once

#include "model/simt/block_run.h"

namespace gpuprobe::simt {

enum class ShuffleMode : std::uint8_t { kUp, kDown, kButterfly, kIndex };
enum class VoteMode : std::uint8_t { kAll, kAny, kUniform, kBallot };
enum class ReduxOp : std::uint8_t { kAdd, kMin, kMax, kAnd, kOr, kXor };

// op.mode selects the form.
void shuffle(Warp& warp, const MicroOp& op,
             std::uint32_t mask);  ///< dst, extra = predicate; a value, b lane, c clamp
void vote(Warp& warp, const MicroOp& op, std::uint32_t mask);       ///< dst; a predicate
void match_any(Warp& warp, const MicroOp& op, std::uint32_t mask);  ///< dst; a value (kFlagWide: 64 bits)
void match_all(Warp& warp, const MicroOp& op, std::uint32_t mask);  ///< dst, extra = predicate
void elect(Warp& warp, const MicroOp& op, std::uint32_t mask);      ///< dst, extra = predicate
void redux_unsigned(Warp& warp, const MicroOp& op, std::uint32_t mask);
void redux_signed(Warp& warp, const MicroOp& op, std::uint32_t mask);
void redux_float(Warp& warp, const MicroOp& op,
                 std::uint32_t mask);  ///< kFlagNan; kFlagWide: of absolute values
void warp_barrier(Warp& warp, const MicroOp& op, std::uint32_t mask);
void active_mask(Warp& warp, const MicroOp& op, std::uint32_t mask);  ///< not a synchronisation

}  // namespace gpuprobe::simt
