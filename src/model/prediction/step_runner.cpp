#include "model/prediction/step_runner.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace gpuprobe::prediction {
namespace {

// Blocks of each class that are compared. Two show a difference; more, while they are cheap, also show one
// that comes back with a period (rows that are misaligned differently, say).
constexpr std::uint64_t kFewBlocks = 2;
constexpr std::uint64_t kManyBlocks = 32;
constexpr double kCheapLaneInstructions = 20e6;  // for all classes together: some 50 ms

std::vector<double> taken(TouchedSectors& sectors) {
  std::vector<double> fresh(sectors.allocations());
  for (std::size_t i = 0; i < fresh.size(); ++i) fresh[i] = static_cast<double>(sectors.take_new(i));
  return fresh;
}

void add_to(std::vector<double>& sum, const std::vector<double>& more) {
  sum.resize(std::max(sum.size(), more.size()));
  for (std::size_t i = 0; i < more.size(); ++i) sum[i] += more[i];
}

}  // namespace

void merge_hazards(std::vector<Hazard>& all, const std::vector<Hazard>& more) {
  const auto same_place = [](const Location& a, const Location& b) {
    return a.file == b.file && a.line == b.line;
  };
  for (const Hazard& hazard : more) {
    const auto known = std::find_if(all.begin(), all.end(), [&](const Hazard& other) {
      return other.kind == hazard.kind &&
             std::equal(other.locations.begin(), other.locations.end(), hazard.locations.begin(),
                        hazard.locations.end(), same_place);
    });
    if (known == all.end()) {
      all.push_back(hazard);
    } else {
      known->count += hazard.count;
    }
  }
}

void SectorGrowth::add(const std::vector<double>& fresh, std::uint64_t blocks) {
  const bool is_first = first_blocks == 0;
  add_to(is_first ? first : later, fresh);
  (is_first ? first_blocks : later_blocks) += blocks;
}

std::vector<double> SectorGrowth::scaled(std::uint64_t size) const {
  std::vector<double> all = first;
  if (first_blocks == 0) return all;
  const auto left = static_cast<double>(size - first_blocks);
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] += left * (later_blocks == 0 ? first[i] / static_cast<double>(first_blocks)
                                        : later[i] / static_cast<double>(later_blocks));
  return all;
}

StepRunner::StepRunner(const simt::Program& program, simt::DeviceMemory& memory, const Launch& launch,
                       std::vector<std::uint8_t> parameters, const std::vector<InstructionPlan>& plan,
                       TouchedSectors& loads, TouchedSectors& stores)
    : program_(program), memory_(memory), loads_(loads), stores_(stores), plan_(plan) {
  execution_.launch = launch;
  execution_.parameters = std::move(parameters);
}

Result<StepCounts> StepRunner::run(const StepLimits& limits) {
  const Launch& launch = execution_.launch;
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const auto threads = static_cast<std::uint64_t>(limits.threads > 0 ? limits.threads : cores);
  const std::uint64_t used = std::max<std::uint64_t>(1, std::min(threads, launch.grid.count()));
  for (std::uint64_t i = 0; i < used; ++i) {
    workers_.push_back(
        std::make_unique<Worker>(static_cast<int>(launch.warps_per_block()), plan_, loads_, stores_));
    observers_.push_back(workers_.back().get());
  }
  execution_.threads = static_cast<int>(used);
  execution_.timeout_s = limits.timeout_s;
  counts_.sampling.blocks_total = launch.grid.count();

  if (limits.all_blocks) {
    const Dim3& grid = launch.grid;
    classes_.push_back({BlockClass(grid, {0, 0, 0}, {grid.x, grid.y, grid.z})});
    if (Status done = execute({}, classes_.front()); !done) return tl::unexpected(done.error());
  } else if (Status done = sample(limits); !done) {
    return tl::unexpected(done.error());
  }
  for (const ClassState& state : classes_) add_scaled(state);
  for (const auto& worker : workers_) worker->append_conflicts(counts_.conflicts);
  counts_.shares_buffers = (loaded_allocations_ & stored_allocations_) != 0;
  return std::move(counts_);
}

Status StepRunner::sample(const StepLimits& limits) {
  for (const BlockClass& blocks : block_classes(execution_.launch.grid)) classes_.push_back({blocks});
  if (classes_.empty()) return {};
  // The largest class first and last: its first block tells how much work a block is, its later ones how many
  // sectors it touches that no block before has touched.
  ClassState& largest = classes_.back();
  if (Status done = execute_more(largest, 1); !done) return done;
  const double cheap =
      kCheapLaneInstructions /
      static_cast<double>(classes_.size() * std::max<std::uint64_t>(1, largest.lane_instructions));
  const std::uint64_t compared = cheap >= static_cast<double>(kManyBlocks)
                                     ? kManyBlocks
                                     : std::max(kFewBlocks, static_cast<std::uint64_t>(cheap));
  for (ClassState& state : classes_) {
    if (stopped()) return {};
    if (Status done = execute_more(state, compared - std::min(compared, state.executed)); !done) return done;
  }
  const auto all_agree = [this] {
    return std::all_of(classes_.begin(), classes_.end(), [](const ClassState& state) { return state.agree; });
  };
  const bool affordable = estimated_lane_instructions() <= static_cast<double>(limits.lane_instructions);
  const double per_block =
      estimated_lane_instructions() / static_cast<double>(execution_.launch.grid.count());
  if (affordable) {
    for (ClassState& state : classes_)
      if (!stopped())
        if (Status done = execute_more(state, state.blocks.size()); !done) return done;
  } else if (limits.on_data || !all_agree()) {
    const double further = static_cast<double>(limits.lane_instructions) / std::max(per_block, 1.0);
    for (ClassState& state : classes_) {
      if (stopped()) return {};
      const double share =
          static_cast<double>(state.blocks.size()) / static_cast<double>(execution_.launch.grid.count());
      if (Status done = execute_more(state, static_cast<std::uint64_t>(further * share)); !done) return done;
    }
  }
  counts_.classes_agree = all_agree();
  return {};
}

double StepRunner::estimated_lane_instructions() const {
  double sum = 0;
  for (const ClassState& state : classes_)
    if (state.executed > 0) sum += static_cast<double>(state.lane_instructions) * state.scale();
  return sum;
}

Status StepRunner::execute_more(ClassState& state, std::uint64_t count) {
  const std::uint64_t end = state.executed + std::min(count, state.blocks.size() - state.executed);
  std::vector<std::uint64_t> blocks;
  blocks.reserve(end - state.executed);
  for (std::uint64_t i = state.executed; i < end; ++i) blocks.push_back(state.blocks.sample(i));
  if (blocks.empty()) return {};
  return execute(blocks, state);
}

Status StepRunner::execute(const std::vector<std::uint64_t>& blocks, ClassState& state) {
  execution_.blocks = blocks;
  const auto begin = std::chrono::steady_clock::now();
  auto outcome = simt::execute(program_, memory_, execution_, observers_);
  if (!outcome) return tl::unexpected(outcome.error());
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  execution_.timeout_s = std::max(0.001, execution_.timeout_s - spent.count());

  state.warp_instructions += outcome->warp_instructions;
  state.lane_instructions += outcome->lane_instructions;
  counts_.executed_lane_instructions += outcome->lane_instructions;
  counts_.sampling.blocks_executed += outcome->blocks;
  counts_.faulted = counts_.faulted || outcome->faulted;
  counts_.timed_out = counts_.timed_out || outcome->timed_out;
  for (const Hazard& hazard : outcome->hazards)
    counts_.waited = counts_.waited || hazard.kind == HazardKind::kBlockWait;
  merge_hazards(counts_.hazards, outcome->hazards);
  collect(state, outcome->blocks);
  return {};
}

void StepRunner::collect(ClassState& state, std::uint64_t blocks) {
  state.executed += blocks;
  state.records.resize(plan_.size());
  for (const auto& worker : workers_) {
    AccessCounter& counter = worker->counter();
    for (std::size_t i = 0; i < plan_.size(); ++i)
      for (const AccessRecord& record : counter.records(static_cast<int>(i))) {
        auto& known = state.records[i];
        auto same = std::find_if(known.begin(), known.end(), [&](const AccessRecord& other) {
          return other.kind == record.kind && other.width == record.width;
        });
        if (same == known.end()) {
          known.push_back(record);
        } else {
          same->totals.add(record.totals);
          if (same->worst.loses_to(record.worst)) same->worst = record.worst;
        }
      }
    for (const auto& [block, digest] : counter.digests()) {
      state.agree = state.agree && (!state.has_digest || digest == state.digest);
      state.digest = digest;
      state.has_digest = true;
    }
    loaded_allocations_ |= counter.loaded_allocations();
    stored_allocations_ |= counter.stored_allocations();
    counter.clear();
  }
  state.loaded.add(taken(loads_), blocks);
  state.stored.add(taken(stores_), blocks);
}

void StepRunner::add_scaled(const ClassState& state) {
  if (state.executed == 0) return;
  const double scale = state.scale();
  counts_.warp_instructions += static_cast<double>(state.warp_instructions) * scale;
  counts_.lane_instructions += static_cast<double>(state.lane_instructions) * scale;
  add_to(counts_.loaded_sectors, state.loaded.scaled(state.blocks.size()));
  add_to(counts_.stored_sectors, state.stored.scaled(state.blocks.size()));
  for (std::size_t i = 0; i < state.records.size(); ++i)
    for (const AccessRecord& record : state.records[i]) {
      const AccessTotals& t = record.totals;
      const auto scaled = [scale](std::uint64_t count) { return static_cast<double>(count) * scale; };
      counts_.records.push_back({static_cast<int>(i), record, scaled(t.requests), scaled(t.actual),
                                 scaled(t.ideal), scaled(t.lines), scaled(t.lanes), scaled(t.misaligned),
                                 scaled(t.same_word)});
    }
}

}  // namespace gpuprobe::prediction
