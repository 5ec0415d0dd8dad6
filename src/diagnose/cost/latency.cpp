#include "diagnose/cost/latency.h"

#include <algorithm>

namespace gpuprobe::diagnose {
namespace {

/// Round trips without load, in cycles, measured on an H200 by pointer chases: 47 in L1 with the address
/// arithmetic, 29 in shared memory.
constexpr double kL1HitCycles = 40.0;
constexpr double kSharedCycles = 29.0;
/// Independent loads that a warp keeps in flight: compilers unroll loops of independent loads by four to
/// eight, and a chain of dependent ones still overlaps with the next iteration's address arithmetic.
constexpr Range kGlobalInFlight{2.0, 8.0};
constexpr Range kSharedInFlight{1.0, 2.0};
/// Cycles from one instruction of a warp to the next, when no other warp is in the way, where nobody followed
/// its instructions: from independent chains to nearly one long one.
constexpr Range kCyclesPerInstruction{1.0, 3.0};
/// Where somebody did, the assembler's order of the instructions and those that it drops leave this much.
constexpr double kPaceWithin = 1.25;
/// From the last warp of a block leaving to the first instruction of the next block.
constexpr Range kBlockTurnCycles{200.0, 800.0};
/// An SM gets a new block every 84 ns (32 or 256 threads) to 111 ns (1024 threads), however short the blocks
/// are: measured on an H200 with 132,000 empty blocks.
constexpr double kBlockLaunchCycles = 166.0;
/// What an empty kernel takes between two events: 4 to 6.5 us measured on an H200, of which a part overlaps
/// with work.
constexpr Range kLaunchSeconds{2.0e-6, 5.0e-6};

double blocks_at_once(const Run& run, const Rates& rates) {
  return rates.sms * (run.occupancy.empty() ? 1.0 : std::max(1, run.occupancy.front().blocks_per_sm));
}

/// A warp's own pace, in cycles an instruction; no warp issues more than one a cycle.
Range pace_of(const Run& run) {
  const auto followed = run.counters.number("issue.cycles_per_instruction");
  if (!followed) return kCyclesPerInstruction;
  return {std::max(1.0, *followed / kPaceWithin), std::max(1.0, *followed * kPaceWithin)};
}

}  // namespace

double resident_part(const Run& run, const Rates& rates) {
  return std::min(1.0, static_cast<double>(run.main_launch().grid.count()) / blocks_at_once(run, rates));
}

double block_launch_s(const Run& run, const Rates& rates) {
  double blocks = 0;
  for (const Step& step : run.steps) blocks += static_cast<double>(step.launch.grid.count());
  return blocks / rates.sms * kBlockLaunchCycles / rates.clock_hz;
}

Range latency_of(const Run& run, const Traffic& traffic, const Rates& rates, double read_bytes_from_dram) {
  double warps = 0;
  for (const Step& step : run.steps)
    warps += static_cast<double>(step.launch.grid.count() * step.launch.warps_per_block());
  const double launches = std::max<double>(1.0, static_cast<double>(run.steps.size()));
  if (warps <= 0) return {};

  const Launch& launch = run.main_launch();
  const double blocks = static_cast<double>(launch.grid.count());
  const double resident =
      std::min(blocks, blocks_at_once(run, rates)) * static_cast<double>(launch.warps_per_block());
  const double generations = std::max(1.0, warps / std::max(1.0, resident));

  const AccessTotals& loads = traffic.global_load;
  const double needed_bytes = loads.ideal * 32.0;
  const double from_dram = needed_bytes > 0 ? std::clamp(read_bytes_from_dram / needed_bytes, 0.0, 1.0) : 0.0;
  const double global_cycles =
      loads.requests / warps * (from_dram * rates.dram_latency_cycles + (1.0 - from_dram) * kL1HitCycles);
  const double first_trip = loads.requests > 0 ? rates.dram_latency_cycles * from_dram : 0.0;
  const double shared_requests = std::min(traffic.shared_load.requests, traffic.shared_load.ideal);
  const double shared_cycles = (shared_requests + traffic.matrix_load.requests) / warps * kSharedCycles;
  const double instructions = run.counters.number("issue.warp_instructions").value_or(0) / warps;

  const Range pace = pace_of(run);

  Range cycles;
  cycles.low = std::max(global_cycles / kGlobalInFlight.high, first_trip) +
               shared_cycles / kSharedInFlight.high + instructions * pace.low + kBlockTurnCycles.low;
  cycles.high = std::max(global_cycles / kGlobalInFlight.low, first_trip) +
                shared_cycles / kSharedInFlight.low + instructions * pace.high + kBlockTurnCycles.high;
  const double launching_s = block_launch_s(run, rates);
  return {std::max(generations * cycles.low / rates.clock_hz, launching_s) + launches * kLaunchSeconds.low,
          std::max(generations * cycles.high / rates.clock_hz, launching_s) + launches * kLaunchSeconds.high};
}

}  // namespace gpuprobe::diagnose
