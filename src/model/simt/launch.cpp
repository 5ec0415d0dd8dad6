// Blocks over worker threads; blocks that wait for one another.
#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "model/simt/block_run.h"
#include "model/simt/wait_watch.h"

namespace gpuprobe::simt {
namespace {

/// A GPU holds at most this many blocks at once (132 SMs x 32); if more have to wait, it would hang as well.
constexpr std::size_t kMaxSuspended = 4224;
constexpr std::size_t kMaxSuspendedBytes = std::size_t{384} << 20;

// Instead of an epoch: a worker that may still change memory, and one that has nothing left to do.
constexpr std::uint64_t kBusy = UINT64_MAX;
constexpr std::uint64_t kFinished = UINT64_MAX - 1;

/// The blocks of a launch and who works on them.
class Dispatcher {
 public:
  Dispatcher(LaunchState& launch, std::size_t workers)
      : launch_(launch), active_(static_cast<int>(workers)), seen_(workers) {
    for (auto& seen : seen_) seen = kBusy;
    if (launch.execution.blocks.empty())
      count_ = launch.execution.launch.grid.count();
    else
      count_ = launch.execution.blocks.size();
  }

  struct Waiting {
    std::unique_ptr<BlockRun> block;
    bool repeats = false;  ///< seen to repeat itself exactly, not only to run long without a store
    WaitWatch watch;
  };
  /// The blocks that a worker has set aside, and those it can use again.
  struct Shelf {
    std::vector<Waiting> suspended;
    std::vector<std::unique_ptr<BlockRun>> idle;
    std::size_t bytes = 0;  ///< of the suspended ones
    bool backwards = false;
  };

  void work(Worker& worker, std::size_t number) {
    Shelf shelf;
    std::vector<Waiting>& suspended = shelf.suspended;
    std::uint64_t finished_since_retry = 0;
    while (!launch_.cancelled && !launch_.timed_out) {
      const std::uint64_t next = next_.fetch_add(1);
      if (next >= count_) break;
      std::unique_ptr<BlockRun> block;
      if (shelf.idle.empty()) {
        block = std::make_unique<BlockRun>(launch_, worker);
      } else {
        block = std::move(shelf.idle.back());
        shelf.idle.pop_back();
      }
      block->begin(launch_.execution.blocks.empty() ? next : launch_.execution.blocks[next]);
      const BlockRun::Status status = run(*block);
      if (status == BlockRun::Status::kStopped) {
        suspended.push_back({std::move(block), false, {}});
        break;
      }
      if (status == BlockRun::Status::kDone) {
        shelf.idle.push_back(std::move(block));
      } else {
        shelf.bytes += block->footprint();
        suspended.push_back({std::move(block), status == BlockRun::Status::kWaiting, {}});
        if (suspended.size() > kMaxSuspended || shelf.bytes > kMaxSuspendedBytes) {
          report_wait(*suspended.front().block, "more blocks wait than a GPU can hold at once");
          launch_.cancelled = true;
        }
      }
      if (!suspended.empty() && ++finished_since_retry >= 4) {
        finished_since_retry = 0;
        retry(shelf);
      }
    }
    settle(shelf, seen_[number]);
    if (launch_.timed_out)
      for (const Waiting& waiting : suspended)
        if (waiting.repeats || waiting.block->is_quiet())
          report_wait(*waiting.block, "it still waited when the time limit was reached");
  }

 private:
  /// Runs a block until it ends or cannot go on; one that is merely long goes on.
  BlockRun::Status run(BlockRun& block) {
    while (true) {
      const BlockRun::Status status = block.run();
      // A long block without a store may wait for another in a way that does not repeat exactly: let others
      // run.
      if (status != BlockRun::Status::kPaused || next_.load() < count_) return status;
      if (active_.load() > 1 || many_suspended_.load() > 0) return status;
      if (launch_.expired()) return BlockRun::Status::kStopped;
    }
  }

  /// A turn for each suspended block that may go on; true if one of them changed something or ended.
  bool retry(Shelf& shelf) {
    std::vector<Waiting>& suspended = shelf.suspended;
    bool progress = false;
    // Forwards and backwards in turn: a chain of waiting blocks unwinds in one pass whichever end is free.
    shelf.backwards = !shelf.backwards;
    for (std::size_t i = 0; i < suspended.size() && !launch_.expired(); ++i) {
      Waiting& waiting = suspended[shelf.backwards ? suspended.size() - 1 - i : i];
      if (!waiting.watch.may_go_on()) continue;
      BlockRun& block = *waiting.block;
      const std::uint64_t before = block.changes();
      const BlockRun::Status status = waiting.repeats ? waiting.watch.run(block) : block.run();
      if (status == BlockRun::Status::kStopped) {
        progress = true;
        break;
      }
      // A paused block is not known to repeat itself: it may count up to its own end.
      progress |= status != BlockRun::Status::kWaiting || block.changes() != before;
      waiting.repeats |= status == BlockRun::Status::kWaiting;
      if (status != BlockRun::Status::kDone) continue;
      if (waiting.repeats) report_wait(block, "it went on only because other blocks could run meanwhile");
      shelf.bytes -= std::min(shelf.bytes, block.footprint());
      shelf.idle.push_back(std::move(waiting.block));
    }
    std::erase_if(suspended, [](const Waiting& waiting) { return waiting.block == nullptr; });
    if (progress) ++epoch_;
    return progress;
  }

  /// No new blocks: the suspended ones go on as others change memory, or it turns out that nobody does.
  void settle(Shelf& shelf, std::atomic<std::uint64_t>& seen) {
    const std::vector<Waiting>& suspended = shelf.suspended;
    ++epoch_;
    many_suspended_ += static_cast<int>(suspended.size());
    while (!suspended.empty() && !launch_.expired()) {
      seen = kBusy;
      const std::uint64_t epoch = epoch_.load();
      const std::size_t before = suspended.size();
      const bool progress = retry(shelf);
      many_suspended_ -= static_cast<int>(before - suspended.size());
      if (progress) continue;
      seen = epoch;
      --active_;
      wait_for_others(epoch);
      ++active_;
      if (!nobody_goes_on(epoch)) continue;
      for (const Waiting& waiting : suspended)
        if (waiting.watch.saw_nothing())
          report_endless(*waiting.block);
        else
          report_wait(*waiting.block, "nothing that still runs changes what it waits for");
      launch_.cancelled = true;
    }
    seen = kFinished;
    --active_;
  }

  /// True if every worker has tried all its blocks in vain since the last change, which was the one of
  /// `epoch`.
  bool nobody_goes_on(std::uint64_t epoch) const {
    return std::all_of(seen_.begin(), seen_.end(),
                       [&](const auto& seen) { return seen.load() == epoch || seen.load() == kFinished; }) &&
           epoch_.load() == epoch;
  }

  /// Until another worker got further, or nobody does, or a little time has passed.
  void wait_for_others(std::uint64_t epoch) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(200);
    while (epoch_.load() == epoch && !nobody_goes_on(epoch) && std::chrono::steady_clock::now() < end)
      std::this_thread::yield();
  }

  void report_wait(const BlockRun& block, const char* outcome) {
    add_hazard(block, fmt::format("for memory that another block must change; {}", outcome));
  }

  void report_endless(const BlockRun& block) {
    add_hazard(block, "that never ends: it accesses no global memory that could change");
  }

  void add_hazard(const BlockRun& block, const std::string& why) {
    const InstructionInfo& info = launch_.image.instructions[static_cast<std::size_t>(
        launch_.image.code[static_cast<std::size_t>(block.waiting_pc())].instruction)];
    Hazard hazard;
    hazard.kind = HazardKind::kBlockWait;
    hazard.text =
        fmt::format("block {} waits in a loop at {} {}", to_text(block.coordinates()), place(info), why);
    hazard.locations = {info.location};
    launch_.add_hazard(std::move(hazard));
  }

  LaunchState& launch_;
  std::uint64_t count_ = 0;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<int> active_;              ///< workers that may still change memory
  std::atomic<int> many_suspended_{0};   ///< suspended blocks of workers that found no new ones
  std::atomic<std::uint64_t> epoch_{0};  ///< rises whenever a suspended block got further
  /// By worker: the epoch in which it last tried all its blocks in vain, kBusy or kFinished.
  std::vector<std::atomic<std::uint64_t>> seen_;
};

Status check_launch(const ProgramImage& image, const Execution& execution) {
  const Launch& launch = execution.launch;
  const auto usage = [](std::string what, std::string hint) {
    return fail(ErrorCode::kUsage, std::move(what), std::move(hint));
  };
  if (launch.grid.count() == 0 || launch.block.count() == 0)
    return usage(
        fmt::format("the launch has {} blocks of {} threads", launch.grid.count(), launch.block.count()),
        "every dimension of grid and block must be at least 1");
  if (launch.block.count() > 1024)
    return usage(fmt::format("{} threads a block", launch.block.count()), "a block has at most 1024 threads");
  if (execution.parameters.size() != image.parameter_bytes)
    return usage(fmt::format("{} needs {} bytes of parameters, {} were given", image.functions[0].name,
                             image.parameter_bytes, execution.parameters.size()),
                 "check number and types of the kernel's arguments");
  for (const std::uint64_t block : execution.blocks)
    if (block >= launch.grid.count())
      return usage(fmt::format("block {} of a grid of {} blocks", block, launch.grid.count()),
                   "blocks count from 0");
  return {};
}

}  // namespace

Result<Outcome> execute(const Program& program, DeviceMemory& memory, const Execution& execution,
                        std::span<Observer* const> observers) {
  const auto& image = static_cast<const ProgramImage&>(program);
  if (auto checked = check_launch(image, execution); !checked) return tl::unexpected(checked.error());

  LaunchState launch{image, memory, execution, {}, {}, 0, 1, {}, {}, {}, {}, {}, {}};
  launch.deadline = std::chrono::steady_clock::now() +
                    std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                        std::chrono::duration<double>(std::clamp(execution.timeout_s, 0.0, 1e7)));
  launch.parameters = execution.parameters;
  const std::uint32_t dynamic = execution.launch.dynamic_shared;
  launch.shared_bytes = dynamic == 0 ? image.shared_bytes : image.dynamic_shared_begin + dynamic;
  launch.warps_per_block = static_cast<std::uint32_t>(execution.launch.warps_per_block());

  const std::uint64_t blocks =
      execution.blocks.empty() ? execution.launch.grid.count() : execution.blocks.size();
  std::size_t count = observers.size();
  if (count == 0)
    count = execution.threads > 0 ? static_cast<std::size_t>(execution.threads)
                                  : std::thread::hardware_concurrency();
  count = std::clamp<std::size_t>(count, 1, static_cast<std::size_t>(std::min<std::uint64_t>(blocks, 1024)));

  std::vector<Worker> workers(count);
  for (std::size_t i = 0; i < count; ++i) {
    workers[i].observer = observers.empty() ? nullptr : observers[i];
    workers[i].recent.resize(image.instructions.size());
  }
  Dispatcher dispatcher(launch, count);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < count; ++i) threads.emplace_back([&, i] { dispatcher.work(workers[i], i); });
    dispatcher.work(workers[0], 0);
  }
  if (launch.error) return tl::unexpected(*launch.error);
  Outcome outcome;
  for (const Worker& worker : workers) {
    outcome.blocks += worker.blocks;
    outcome.warp_instructions += worker.warp_instructions;
    outcome.lane_instructions += worker.lane_instructions;
  }
  outcome.hazards = std::move(launch.hazards);
  outcome.timed_out = launch.timed_out;
  outcome.faulted = launch.faulted;
  return outcome;
}

}  // namespace gpuprobe::simt
