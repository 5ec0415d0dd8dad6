// The SIMT machine: executes an entry function of a PTX module on the CPU, one warp (32 lanes) at a time, and
// reports every memory access and synchronisation to an Observer. Knows nothing of costs or diagnoses.
//
//   simt::DeviceMemory memory;  auto in = memory.allocate("in", bytes);  ...
//   auto program = simt::Program::load(module, "transpose_tile", memory);      // decoded once
//   simt::Execution run{...};   auto outcome = simt::execute(*program, run, observers);
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/launch.h"
#include "core/result.h"
#include "core/run.h"
#include "model/ptx/ast.h"

namespace gpuprobe::simt {

/// Global memory: allocations at device-like virtual addresses, 256-byte aligned, with guard gaps between
/// them.
class DeviceMemory {
 public:
  struct Allocation {
    std::string name;
    std::uint64_t address = 0;
    std::span<std::byte> bytes;          ///< backing store, owned by the caller
    std::vector<std::uint64_t> written;  ///< one bit per 4 bytes; empty = writes are not tracked
    bool is_variable = false;            ///< a global or constant variable of the module
  };
  /// Maps `bytes` (owned by the caller, alive as long as this object) and returns its device address.
  std::uint64_t map(std::string name, std::span<std::byte> bytes, bool track_writes);
  /// Device address of a module's variable, with zeroed memory of its own the first time: entries of one
  /// module that are loaded one after the other share it. `is_new` tells whether it still needs its initial
  /// value.
  std::uint64_t variable(const std::string& name, std::uint64_t bytes, bool& is_new);
  /// The allocation that contains [address, address + width), or nullptr.
  Allocation* find(std::uint64_t address, std::uint64_t width);
  const std::vector<Allocation>& allocations() const { return allocations_; }
  bool is_written(std::size_t allocation, std::uint64_t byte_offset) const;

 private:
  std::vector<Allocation> allocations_;  ///< ascending addresses
  std::deque<std::vector<std::byte>> variables_;
};

enum class MemorySpace { kGlobal, kShared, kLocal, kConst, kParam };
enum class AccessOp { kLoad, kStore, kAtomic, kReduction, kAsyncCopy, kMatrixLoad, kMatrixStore };

/// What an access or a fence promises to other threads: PTX ISA, "Memory Consistency Model".
struct MemoryOrder {
  bool strong = false;    ///< volatile, relaxed, acquire, release, mmio, every atomic; else weak
  bool acquires = false;  ///< what was released before the value that it reads is seen from here on
  bool releases = false;  ///< who acquires the value that it writes sees all that came before
};

/// One warp-level memory instruction with at least one active lane.
struct MemoryAccess {
  int instruction = 0;  ///< index of the static instruction: Program::instruction(i)
  MemorySpace space = MemorySpace::kGlobal;
  AccessOp op = AccessOp::kLoad;
  std::uint32_t width = 4;   ///< bytes per lane, vector elements together
  std::uint32_t active = 0;  ///< lane mask
  /// 32 entries, those of inactive lanes undefined; shared: byte offset in the block's window; local:
  /// interleaved as on the GPU, so that one offset in all lanes is one consecutive piece.
  const std::uint64_t* addresses = nullptr;
  const std::uint64_t* shared_destination = nullptr;  ///< kAsyncCopy: 32 shared offsets
  int matrices = 0;                                   ///< kMatrixLoad/Store: 1, 2 or 4
  MemoryOrder order;
  std::uint64_t block = 0;  ///< linear block index
  int warp = 0;             ///< warp in the block
};

/// Receives what a block does. One observer per worker thread; calls for one block come from one thread, in
/// execution order. Blocks are numbered linearly (x fastest). A block that waits for another one is set
/// aside, so a second block can begin before the first has ended; a launch that stops leaves blocks without
/// end_block.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void begin_block(std::uint64_t block, std::uint32_t shared_bytes) = 0;
  virtual void access(const MemoryAccess& access) = 0;
  /// All warps in `warps` (bit per warp of the block) have been synchronised by a block-level barrier. A warp
  /// that has exited counts as synchronised by every later barrier: its bit is set.
  virtual void barrier(std::uint64_t block, int barrier_id, const std::vector<bool>& warps) = 0;
  /// Lanes of one warp have been synchronised (bar.warp.sync, shfl.sync, vote.sync ... with this mask).
  virtual void warp_sync(std::uint64_t block, int warp, std::uint32_t lanes) = 0;
  /// A warp executes fence or membar. (What a proxy fence orders is none of the accesses told of.)
  virtual void fence(std::uint64_t /*block*/, int /*warp*/, MemoryOrder /*order*/) {}
  virtual void end_block(std::uint64_t block) = 0;
  /// Asked at the begin of a block: whether to be told of each instruction that it issues.
  virtual bool follows(std::uint64_t /*block*/) const { return false; }
  /// A warp of a followed block issues an instruction (Program::instruction) with at least one active lane.
  /// False to be told of no further ones.
  virtual bool issue(int /*warp*/, int /*instruction*/) { return false; }
  /// What the block has executed, just before its end_block.
  virtual void block_work(std::uint64_t /*block*/, std::uint64_t /*warp_instructions*/,
                          std::uint64_t /*lane_instructions*/) {}
};

/// What the observer and the report need to know of a static instruction.
struct InstructionInfo {
  std::string text;  ///< "ld.shared.f32"
  std::string function;
  Location location;                 ///< innermost .loc; line 0 = none
  std::vector<Location> inlined_at;  ///< call sites, innermost first
  int ptx_line = 0;
};

/// A decoded entry function with everything it calls. Immutable; shared by all workers.
class Program {
 public:
  /// Errors: kMachine naming the first instruction that is not supported, its PTX and source line; kUsage if
  /// there is no such entry. `memory` receives the module's global and constant variables.
  static Result<std::shared_ptr<const Program>> load(const ptx::Module& module, const std::string& entry,
                                                     DeviceMemory& memory);
  virtual ~Program() = default;
  virtual const InstructionInfo& instruction(int index) const = 0;
  virtual int instruction_count() const = 0;
  virtual std::uint32_t static_shared_bytes() const = 0;
  virtual const std::vector<ptx::Parameter>& parameters() const = 0;
};

struct Execution {
  Launch launch;
  std::vector<std::uint8_t> parameters;  ///< the parameter block, laid out as Program::parameters() says
  std::vector<std::uint64_t> blocks;     ///< linear indices to execute, in this order; empty = all, ascending
  int threads = 0;                       ///< workers; 0 = all cores
  double timeout_s = 60;
  std::uint64_t step_limit = 0;  ///< warp instructions a worker may execute, about; 0 = no limit
};

struct Outcome {
  std::uint64_t blocks = 0;             ///< executed to the end
  std::uint64_t warp_instructions = 0;  ///< with at least one active lane
  std::uint64_t lane_instructions = 0;
  std::vector<Hazard> hazards;  ///< divergent barrier, out of bounds, misaligned address, block waits ...
  bool timed_out = false;       ///< or out of steps
  bool faulted = false;         ///< an access fault stopped the launch, as it would on a GPU
};

/// Executes the blocks. `observers` has one entry per worker (its size is the number of workers); an empty
/// vector runs without observation. Errors: kKernel for a trap or assert of the kernel; kMachine for what the
/// machine cannot do (naming the instruction). Faults, dead-locks and time-outs are hazards in the outcome,
/// not errors.
Result<Outcome> execute(const Program& program, DeviceMemory& memory, const Execution& execution,
                        std::span<Observer* const> observers);

}  // namespace gpuprobe::simt
