// mbarrier objects: barriers that live in shared memory and count arrivals in phases.
//
// The 64 bits of an object are opaque to kernels; here they are:
//
//   bits 0..19 arrivals still missing in this phase   20..39 arrivals of every phase
//   bits 40..61 bytes still expected, plus 2^20       62 is initialised   63 parity of the phase
//
// A phase ends when no arrival and no byte is missing any more. The state that an arrival returns is the
// object as it was before, whose parity tells which phase is waited for.
#pragma once

#include "model/simt/block_run.h"

namespace gpuprobe::simt {

enum class MbarrierOp : std::uint8_t {
  kInit,
  kInvalidate,
  kArrive,
  kArriveDrop,
  kArriveExpect,  ///< expects bytes, then arrives
  kExpect,
  kComplete,  ///< bytes have come
  kTestState,
  kTestParity,
};

// op.memory: the object (one 64-bit element). op.mode: MbarrierOp. op.dst: 64-bit state or predicate.
// memory->data[0]: 32-bit count, bytes or parity; memory->compare: the 64-bit state of a test.
void mbarrier(Warp& warp, const MicroOp& op, std::uint32_t mask);
/// The arrivals missing in a state: dst (32 bits) from a (64 bits).
void mbarrier_pending(Warp& warp, const MicroOp& op, std::uint32_t mask);

}  // namespace gpuprobe::simt
