// Blocks over worker threads; blocks that wait for one another.
#include <algorithm>
#include <deque>
#include <thread>

#include <fmt/format.h>

#include "model/simt/block_run.h"

namespace gpuprobe::simt {
namespace {

/// A GPU holds at most this many blocks at once (132 SMs x 32); if more have to wait, it would hang as well.
constexpr std::size_t kMaxSuspended = 4224;
constexpr std::size_t kMaxSuspendedBytes = std::size_t{384} << 20;

/// The blocks of a launch and who works on them.
class Dispatcher {
 public:
  Dispatcher(LaunchState& launch, std::size_t workers) : launch_(launch), active_(static_cast<int>(workers)) {
    if (launch.execution.blocks.empty())
      count_ = launch.execution.launch.grid.count();
    else
      count_ = launch.execution.blocks.size();
  }

  struct Waiting {
    std::unique_ptr<BlockRun> block;
    bool repeats = false;  ///< seen to repeat itself exactly, not only to run long without a store
  };
  using Suspended = std::deque<Waiting>;

  void work(Worker& worker) {
    Suspended suspended;
    std::vector<std::unique_ptr<BlockRun>> idle;
    std::size_t suspended_bytes = 0;
    std::uint64_t finished_since_retry = 0;
    while (!launch_.cancelled && !launch_.timed_out) {
      const std::uint64_t next = next_.fetch_add(1);
      if (next >= count_) break;
      std::unique_ptr<BlockRun> block;
      if (idle.empty()) {
        block = std::make_unique<BlockRun>(launch_, worker);
      } else {
        block = std::move(idle.back());
        idle.pop_back();
      }
      block->begin(launch_.execution.blocks.empty() ? next : launch_.execution.blocks[next]);
      const BlockRun::Status status = run(*block);
      if (status == BlockRun::Status::kStopped) {
        suspended.push_back({std::move(block), false});
        break;
      }
      if (status == BlockRun::Status::kDone) {
        idle.push_back(std::move(block));
      } else {
        suspended_bytes += block->footprint();
        suspended.push_back({std::move(block), status == BlockRun::Status::kWaiting});
        if (suspended.size() > kMaxSuspended || suspended_bytes > kMaxSuspendedBytes) {
          report_wait(*suspended.front().block, "more blocks wait than a GPU can hold at once");
          launch_.cancelled = true;
        }
      }
      if (!suspended.empty() && ++finished_since_retry >= 4) {
        finished_since_retry = 0;
        retry(suspended, idle, suspended_bytes);
      }
    }
    settle(suspended, idle, suspended_bytes);
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

  /// One turn for each suspended block; true if one of them changed something or ended.
  bool retry(Suspended& suspended, std::vector<std::unique_ptr<BlockRun>>& idle, std::size_t& bytes) {
    bool progress = false;
    for (std::size_t i = suspended.size(); i-- > 0 && !launch_.expired();) {
      Waiting waiting = std::move(suspended.front());
      suspended.pop_front();
      BlockRun& block = *waiting.block;
      const std::uint64_t before = block.changes();
      const BlockRun::Status status = block.run();
      if (status == BlockRun::Status::kStopped) {
        suspended.push_back(std::move(waiting));
        return true;
      }
      // A paused block is not known to repeat itself: it may count up to its own end.
      progress |= status != BlockRun::Status::kWaiting || block.changes() != before;
      waiting.repeats |= status == BlockRun::Status::kWaiting;
      if (status == BlockRun::Status::kDone) {
        if (waiting.repeats) report_wait(block, "it went on only because other blocks could run meanwhile");
        bytes -= std::min(bytes, block.footprint());
        idle.push_back(std::move(waiting.block));
      } else {
        suspended.push_back(std::move(waiting));
      }
    }
    if (progress) ++epoch_;
    return progress;
  }

  /// No new blocks: the suspended ones go on as others change memory, or it turns out that nobody does.
  void settle(Suspended& suspended, std::vector<std::unique_ptr<BlockRun>>& idle, std::size_t& bytes) {
    ++epoch_;
    int quiet_passes = 0;
    many_suspended_ += static_cast<int>(suspended.size());
    while (!suspended.empty() && !launch_.expired()) {
      const std::uint64_t epoch = epoch_.load();
      const std::size_t before = suspended.size();
      const bool progress = retry(suspended, idle, bytes);
      many_suspended_ -= static_cast<int>(before - suspended.size());
      if (progress) {
        quiet_passes = 0;
        continue;
      }
      --active_;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      // Two passes in which no worker changed anything, and none is at work on anything else.
      const bool quiet = active_.load() == 0 && epoch_.load() == epoch;
      ++active_;
      quiet_passes = quiet ? quiet_passes + 1 : 0;
      if (quiet_passes >= 2) {
        for (const Waiting& waiting : suspended)
          report_wait(*waiting.block, "nothing that still runs changes what it waits for");
        launch_.cancelled = true;
      }
    }
    --active_;
  }

  void report_wait(const BlockRun& block, const char* outcome) {
    const InstructionInfo& info = launch_.image.instructions[static_cast<std::size_t>(
        launch_.image.code[static_cast<std::size_t>(block.waiting_pc())].instruction)];
    Hazard hazard;
    hazard.kind = HazardKind::kBlockWait;
    hazard.text = fmt::format("block {} waits in a loop at {} for memory that another block must change; {}",
                              to_text(block.coordinates()), place(info), outcome);
    hazard.locations = {info.location};
    launch_.add_hazard(std::move(hazard));
  }

  LaunchState& launch_;
  std::uint64_t count_ = 0;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<int> active_;              ///< workers that may still change memory
  std::atomic<int> many_suspended_{0};   ///< suspended blocks of workers that found no new ones
  std::atomic<std::uint64_t> epoch_{0};  ///< rises whenever a suspended block got further
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
    for (std::size_t i = 1; i < count; ++i) threads.emplace_back([&, i] { dispatcher.work(workers[i]); });
    dispatcher.work(workers[0]);
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
