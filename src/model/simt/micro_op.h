// A decoded PTX instruction: what the machine really executes. One micro-op for each PTX instruction.
//
//   MicroOp op;  op.run = lane_functions().integer(IntegerOp::kAdd, Type::kU32);
//   op.dst = 512;  op.a = 0;  op.b = 128;        // byte offsets in the warp's register file
//   op.run(warp, op, mask);                      // 32 lanes at once
//
// A value of up to 32 bits is 32 x std::uint32_t (a 16-bit one zero-extended), one of 64 bits 32 x
// std::uint64_t, a predicate one std::uint32_t with a bit for each lane.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/simt/machine.h"
#include "model/simt/types.h"

namespace gpuprobe::simt {

inline constexpr int kLanes = 32;
inline constexpr std::uint32_t kAllLanes = 0xFFFFFFFFu;
inline constexpr std::uint32_t kNoSlot = 0xFFFFFFFFu;  ///< operand that is absent

struct Warp;
struct MicroOp;
using Handler = void (*)(Warp& warp, const MicroOp& op, std::uint32_t mask);

/// What the scheduler does after (or instead of) the handler.
enum class FlowKind : std::uint8_t {
  kPlain,   ///< next instruction
  kMemory,  ///< as plain, but the access may have faulted
  kBranch,
  kBranchTable,  ///< brx.idx
  kCall,
  kCallIndirect,
  kReturn,
  kExit,
  kTrap,
  kAssert,    ///< __assertfail
  kWarpSync,  ///< shfl.sync, vote.sync ...: waits for the lanes of a mask, then runs the handler
  kBarrier,
};

/// Bits of MicroOp::flags.
enum OpFlag : std::uint8_t {
  kFlagNegateC = 1,  ///< predicate operand c is negated
  kFlagFtz = 2,      ///< subnormals are flushed to zero
  kFlagSaturate = 4,
  kFlagNegateA = 8,  ///< predicate operand a is negated
  kFlagNegateB = 16,
  kFlagNan = 32,  ///< min/max.NaN
  kFlagRelu = 64,
  kFlagWide = 128,  ///< use depends on the handler
};

/// Rounding of a floating-point result.
enum class Rounding : std::uint8_t { kNearest, kZero, kDown, kUp, kNearestAway };

struct MemoryOp;
struct BranchOp;
struct BarrierOp;
struct CallOp;
struct MatrixOp;

struct MicroOp {
  Handler run = nullptr;
  std::uint32_t dst = kNoSlot;
  std::uint32_t a = kNoSlot;
  std::uint32_t b = kNoSlot;
  std::uint32_t c = kNoSlot;
  std::uint32_t guard = kNoSlot;  ///< predicate that selects the lanes
  FlowKind flow = FlowKind::kPlain;
  bool guard_negated = false;
  std::uint8_t flags = 0;
  std::uint8_t mode = 0;            ///< small selector of the handler (rounding, boolean operation ...)
  bool leaves = false;              ///< lanes that come here end their thread and do nothing else
  std::int32_t position = 0;        ///< in the order in which diverged lanes run (ptx::Flow)
  std::uint32_t members = kNoSlot;  ///< kWarpSync: slot of the member mask
  std::uint32_t extra = kNoSlot;    ///< further operand slot
  std::int32_t instruction = 0;     ///< Program::instruction
  union {
    std::uint64_t immediate = 0;
    const MemoryOp* memory;
    const BarrierOp* barrier;
    const CallOp* call;
    const MatrixOp* matrix;
    const BranchOp* branch;
    const std::vector<std::uint32_t>* slots;  ///< operand lists
  };
};
static_assert(sizeof(MicroOp) <= 64, "one cache line an instruction");

/// State space of a memory instruction; kGeneric is resolved lane by lane.
enum class Window : std::uint8_t { kGlobal, kShared, kLocal, kConst, kParam, kGeneric };

enum class AtomicOp : std::uint8_t { kAdd, kMin, kMax, kInc, kDec, kExchange, kCas, kAnd, kOr, kXor };

struct MemoryOp {
  Window window = Window::kGlobal;
  AccessOp op = AccessOp::kLoad;
  Type type = Type::kB32;
  std::uint8_t element_bytes = 4;
  std::uint8_t elements = 1;        ///< vector length
  std::uint8_t register_bytes = 4;  ///< size of each data register: 4 or 8 (16: two planes of 8)
  bool sign_extend = false;
  bool address_64 = true;           ///< width of the address register
  MemoryOrder order;                ///< a strong load or store reads or writes with one access an element
  std::uint32_t address = kNoSlot;  ///< address register; absent: `offset` alone
  std::int64_t offset = 0;
  std::array<std::uint32_t, 8> data{};  ///< registers read (stores, atomics) or written (loads)
  AtomicOp atomic = AtomicOp::kAdd;
  bool no_ftz = false;
  std::uint32_t compare = kNoSlot;        ///< cas: the value compared with
  std::array<std::uint32_t, 8> result{};  ///< atomics: destinations; kNoSlot = result not wanted
  // cp.async: the shared destination, and how many bytes come from global memory (the rest is zeros).
  std::uint32_t destination = kNoSlot;
  bool destination_64 = false;
  std::int64_t destination_offset = 0;
  std::uint32_t source_bytes = kNoSlot;
  std::uint32_t ignore_source = kNoSlot;  ///< predicate; set = zeros instead of the source
  bool ignore_source_negated = false;
  bool transposed = false;  ///< ldmatrix / stmatrix .trans

  std::uint32_t width() const { return std::uint32_t{element_bytes} * elements; }
};

/// Where lanes go, and where in line they stand then.
struct BranchOp {
  struct Way {
    std::int32_t pc = 0;
    std::int32_t queue = 0;
  };
  std::vector<Way> targets;  ///< one for bra
  Way next;                  ///< lanes that do not take the branch
};

enum class BarrierKind : std::uint8_t { kSync, kArrive, kRedPopc, kRedAnd, kRedOr };

struct BarrierOp {
  BarrierKind kind = BarrierKind::kSync;
  bool cluster = false;           ///< barrier.cluster: of all blocks of the cluster, which is this one
  bool aligned = true;            ///< all threads of a warp must execute the same barrier instruction
  std::uint32_t id = kNoSlot;     ///< register or constant slot
  std::uint32_t count = kNoSlot;  ///< threads; absent: all of the block
};

/// How the arguments of a call travel: 8-byte columns of the caller's parameter area to the callee's.
struct CallOp {
  struct Piece {
    std::uint32_t slot = 0;     ///< first 64-bit slot of the parameter
    std::uint32_t columns = 0;  ///< 64-bit slots it takes
  };
  int caller = 0;
  int callee = -1;                  ///< index into the image's functions; -1 = indirect
  std::uint32_t pointer = kNoSlot;  ///< indirect: 64-bit register with the function's address
  std::vector<Piece> arguments;
  std::vector<Piece> results;
};

/// mma.sync: D = A x B + C. Fragments as the PTX ISA lays them out; see matrix.cpp.
struct MatrixOp {
  std::uint16_t rows = 16, columns = 8, depth = 16;  ///< m, n, k
  Type a = Type::kF16, b = Type::kF16, c = Type::kF32, d = Type::kF32;
  bool saturate = false;
  std::vector<std::uint32_t> a_slots, b_slots, c_slots, d_slots;
};

}  // namespace gpuprobe::simt
