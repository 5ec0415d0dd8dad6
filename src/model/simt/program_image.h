// The decoded form of an entry and all functions it reaches: one array of micro-ops, one register file
// layout.
//
// Every function has its own registers at fixed offsets of the warp's register file (a function that calls
// itself saves them), so an operand is one offset that is known at decode time:
//
//   [ carry flag | frame of function 0 | frame of function 1 | ... | constants and special registers ]
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/simt/machine.h"
#include "model/simt/micro_op.h"

namespace gpuprobe::simt {

// Generic addresses: which window an address belongs to is its bits from 36 up. Global memory is above them
// all.
inline constexpr std::uint64_t kSharedWindow = 0x10'0000'0000;
inline constexpr std::uint64_t kLocalWindow = 0x20'0000'0000;
inline constexpr std::uint64_t kParamWindow = 0x30'0000'0000;
inline constexpr std::uint64_t kFunctionWindow = 0x40'0000'0000;  ///< addresses of functions: + 16 x index
inline constexpr std::uint64_t kWindowMask = ~0xF'FFFF'FFFFull;
inline constexpr std::uint64_t kGlobalBase = 0x100'0000'0000;

/// Registers and parameters that the machine fills itself.
enum class Special : std::uint8_t {
  kTidX,
  kTidY,
  kTidZ,
  kNtidX,
  kNtidY,
  kNtidZ,
  kCtaidX,
  kCtaidY,
  kCtaidZ,
  kNctaidX,
  kNctaidY,
  kNctaidZ,
  kLaneId,
  kWarpId,
  kNwarpId,
  kSmId,
  kNsmId,
  kGridId,
  kLanemaskEq,
  kLanemaskLe,
  kLanemaskLt,
  kLanemaskGe,
  kLanemaskGt,
  kDynamicSmemSize,
  kTotalSmemSize,
  kZero,
  kOne,
};

struct SpecialSlot {
  Special special = Special::kZero;
  bool is_64 = false;
  std::uint32_t offset = 0;
};

/// Registers of one function. Order in the frame: predicates, 32-bit, 64-bit.
struct Frame {
  std::uint32_t begin = 0;        ///< byte offset in the register file
  std::uint32_t words_begin = 0;  ///< first 32-bit slot
  std::uint32_t pairs_begin = 0;  ///< first 64-bit slot
  std::uint32_t end = 0;
};

struct FunctionImage {
  std::string name;
  std::int32_t entry_point = -1;  ///< index of its first micro-op
  Frame frame;
  bool is_recursive = false;      ///< can be active twice in one lane
  std::uint32_t local_bytes = 0;  ///< .local variables of one activation
  std::uint32_t local_base =
      kNoSlot;  ///< hidden 32-bit register: where they start in the lane's local memory
  std::vector<CallOp::Piece> parameters;
  std::vector<CallOp::Piece> results;
};

class ProgramImage final : public Program {
 public:
  const InstructionInfo& instruction(int index) const override {
    return instructions[static_cast<std::size_t>(index)];
  }
  int instruction_count() const override { return static_cast<int>(instructions.size()); }
  std::uint32_t static_shared_bytes() const override { return shared_bytes; }
  const std::vector<ptx::Parameter>& parameters() const override { return entry_parameters; }

  std::vector<MicroOp> code;
  std::vector<FunctionImage> functions;  ///< 0 is the entry
  std::vector<int> function_at;          ///< function of each 16-byte step of kFunctionWindow; -1 = none
  std::vector<InstructionInfo> instructions;
  std::vector<ptx::Parameter> entry_parameters;
  std::uint32_t parameter_bytes = 0;
  std::uint32_t shared_bytes = 0;          ///< static
  std::uint32_t dynamic_shared_begin = 0;  ///< where dynamic shared memory starts
  std::uint32_t register_bytes = 0;
  std::uint32_t constants_begin = 0;
  std::vector<std::byte> constants;  ///< the end of every warp's register file
  std::vector<SpecialSlot> specials;
  std::uint32_t carry = 0;               ///< slot of the carry flag CC.CF, a predicate
  std::uint32_t static_local_bytes = 0;  ///< of the deepest call chain without recursion

  // What micro-ops point to; deques keep addresses stable.
  std::deque<MemoryOp> memory_ops;
  std::deque<BarrierOp> barrier_ops;
  std::deque<CallOp> call_ops;
  std::deque<MatrixOp> matrix_ops;
  std::deque<BranchOp> branch_ops;
  std::deque<std::vector<std::uint32_t>> slot_lists;
};

}  // namespace gpuprobe::simt
