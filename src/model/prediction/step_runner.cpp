#include "model/prediction/step_runner.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

namespace gpuprobe::prediction {
namespace {

// Blocks of each box that are compared. Two show a difference; more, while they are cheap, also show one that
// comes back with a period (rows that are misaligned differently, say).
constexpr std::uint64_t kFewBlocks = 2;
constexpr std::uint64_t kManyBlocks = 32;
constexpr double kCheapLaneInstructions = 20e6;  // for all boxes together: some 50 ms

std::vector<double> taken(TouchedSectors& sectors) {
  std::vector<double> fresh(sectors.allocations());
  for (std::size_t i = 0; i < fresh.size(); ++i) fresh[i] = static_cast<double>(sectors.take_new(i));
  return fresh;
}

void add_to(std::vector<double>& sum, const std::vector<double>& more, double factor) {
  sum.resize(std::max(sum.size(), more.size()));
  for (std::size_t i = 0; i < more.size(); ++i) sum[i] += more[i] * factor;
}

BlockPosition position_of(const Dim3& grid, std::uint64_t block) {
  return {static_cast<std::uint32_t>(block % grid.x), static_cast<std::uint32_t>(block / grid.x % grid.y),
          static_cast<std::uint32_t>(block / grid.x / grid.y)};
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

StepRunner::StepRunner(const simt::Program& program, simt::DeviceMemory& memory, const Launch& launch,
                       std::vector<std::uint8_t> parameters, const StepPlans& plans, TouchedSectors& loads,
                       TouchedSectors& stores)
    : program_(program), memory_(memory), plans_(plans), loads_(loads), stores_(stores) {
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
        std::make_unique<Worker>(static_cast<int>(launch.warps_per_block()), plans_.access, loads_, stores_));
    observers_.push_back(workers_.back().get());
  }
  // The block that a sample begins with, whoever executes it.
  if (const std::vector<BlockBox> boxes = position_boxes(launch.grid); !boxes.empty())
    for (const auto& worker : workers_)
      worker->take_pace_of(linear_index(launch.grid, boxes.back().spread(0)), plans_.issue);
  execution_.threads = static_cast<int>(used);
  execution_.timeout_s = limits.timeout_s;
  execution_.step_limit = limits.step_limit;
  counts_.sampling.blocks_total = launch.grid.count();

  const Status done = limits.all_blocks ? execute_rest() : sample(limits);
  if (!done) return tl::unexpected(done.error());
  add_boxes();
  add_sectors();
  add_pace();
  for (const auto& [key, record] : scaled_) counts_.records.push_back(record);
  std::uint64_t loaded = 0;
  std::uint64_t stored = 0;
  for (const auto& worker : workers_) {
    worker->append_conflicts(counts_.conflicts);
    loaded |= worker->counter().loaded_allocations();
    stored |= worker->counter().stored_allocations();
  }
  counts_.shares_buffers = (loaded & stored) != 0;
  return std::move(counts_);
}

Status StepRunner::sample(const StepLimits& limits) {
  boxes_ = position_boxes(execution_.launch.grid);
  if (boxes_.empty()) return {};
  // One block tells how much work a block is, and so how many can be compared.
  const BlockBox largest = boxes_.back();
  if (Status done = execute_positions({largest.spread(0)}); !done || stopped()) return done;
  const double per_block =
      static_cast<double>(std::max<std::uint64_t>(1, counts_.executed_lane_instructions));
  const double cheap = kCheapLaneInstructions / (static_cast<double>(boxes_.size()) * per_block);
  const bool many = cheap >= static_cast<double>(kManyBlocks);
  const std::uint64_t compared = many ? kManyBlocks : std::max(kFewBlocks, static_cast<std::uint64_t>(cheap));

  std::vector<BlockPosition> outer;
  std::vector<BlockPosition> inner;
  for (const BlockBox& box : boxes_) {
    const std::vector<BlockPosition> corners = box.corners();
    if (compared >= corners.size()) {
      outer.insert(outer.end(), corners.begin(), corners.end());
    } else {
      outer.push_back(corners.front());
      outer.push_back(corners.back());
    }
    for (std::uint64_t i = corners.size(); i < std::min(compared, box.size()); ++i)
      inner.push_back(box.spread(i));
  }
  if (Status done = execute_positions(outer); !done || stopped()) return done;
  if (Status done = execute_positions(inner); !done || stopped()) return done;

  const double estimated = estimated_lane_instructions();
  if (estimated <= static_cast<double>(limits.lane_instructions)) return execute_rest();
  if (limits.on_data) {
    const double share = static_cast<double>(limits.lane_instructions) / estimated;
    std::vector<BlockPosition> further;
    for (const BlockBox& box : boxes_)
      for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(static_cast<double>(box.size()) * share); ++i)
        further.push_back(box.spread(i));
    return execute_positions(further);
  }
  return refine(limits.lane_instructions);
}

Status StepRunner::refine(std::uint64_t budget) {
  const std::uint64_t end = counts_.executed_lane_instructions + budget;
  while (!stopped() && counts_.executed_lane_instructions < end) {
    std::vector<BlockBox> next;
    std::vector<BlockPosition> wanted;
    for (const BlockBox& box : boxes_) {
      if (box.size() <= executed_in(box).size() || agrees(box)) {
        next.push_back(box);
        continue;
      }
      const auto [low, high] = box.split(dimension_to_split(box));
      for (const BlockBox& half : {low, high}) {
        next.push_back(half);
        for (const BlockPosition& corner : half.corners()) wanted.push_back(corner);
        wanted.push_back(half.spread(0));
      }
    }
    if (wanted.empty()) break;
    boxes_ = std::move(next);
    if (Status done = execute_positions(wanted); !done) return done;
  }
  return {};
}

std::vector<const AccessRecords*> StepRunner::executed_in(const BlockBox& box) const {
  std::vector<const AccessRecords*> inside;
  for (const auto& [block, records] : executed_)
    if (box.contains(position_of(execution_.launch.grid, block))) inside.push_back(&records);
  return inside;
}

bool StepRunner::agrees(const BlockBox& box) const {
  const auto inside = executed_in(box);
  return std::all_of(inside.begin(), inside.end(),
                     [&](const AccessRecords* records) { return records->digest == inside.front()->digest; });
}

std::size_t StepRunner::dimension_to_split(const BlockBox& box) const {
  const auto digest_at = [&](const BlockPosition& at) -> std::optional<std::uint64_t> {
    const auto found = executed_.find(linear_index(execution_.launch.grid, at));
    return found == executed_.end() ? std::nullopt : std::optional(found->second.digest);
  };
  // A dimension along which the ends differ, else the longest.
  std::size_t best = 0;
  bool best_differs = false;
  for (std::size_t d = 0; d < 3; ++d) {
    if (box.count[d] < 2) continue;
    BlockPosition end = box.first;
    end[d] += box.count[d] - 1;
    const auto here = digest_at(box.first);
    const auto there = digest_at(end);
    const bool differs = here && there && *here != *there;
    if (box.count[best] < 2 || (differs && !best_differs) ||
        (differs == best_differs && box.count[d] > box.count[best])) {
      best = d;
      best_differs = differs;
    }
  }
  return best;
}

double StepRunner::estimated_lane_instructions() const {
  double sum = 0;
  for (const BlockBox& box : boxes_) {
    const auto inside = executed_in(box);
    double lanes = 0;
    for (const AccessRecords* records : inside) lanes += static_cast<double>(records->lane_instructions);
    if (!inside.empty()) sum += lanes / static_cast<double>(inside.size()) * static_cast<double>(box.size());
  }
  return sum;
}

Status StepRunner::execute_positions(const std::vector<BlockPosition>& positions) {
  std::vector<std::uint64_t> blocks;
  for (const BlockPosition& at : positions) {
    const std::uint64_t block = linear_index(execution_.launch.grid, at);
    if (!executed_.contains(block)) blocks.push_back(block);
  }
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  return blocks.empty() ? Status{} : execute(std::move(blocks), true);
}

Status StepRunner::execute_rest() {
  all_executed_ = true;
  const std::uint64_t total = execution_.launch.grid.count();
  std::vector<std::uint64_t> blocks;  // stays empty, which means all, if none has been executed
  if (!executed_.empty()) {
    for (std::uint64_t block = 0; block < total; ++block)
      if (!executed_.contains(block)) blocks.push_back(block);
    if (blocks.empty()) return {};
  }
  return execute(std::move(blocks), false);
}

Status StepRunner::execute(std::vector<std::uint64_t> blocks, bool apart) {
  execution_.blocks = std::move(blocks);
  for (const auto& worker : workers_) worker->counter().keep_blocks_apart(apart);
  const auto begin = std::chrono::steady_clock::now();
  auto outcome = simt::execute(program_, memory_, execution_, observers_);
  if (!outcome) return tl::unexpected(outcome.error());
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  execution_.timeout_s = std::max(0.001, execution_.timeout_s - spent.count());

  counts_.executed_lane_instructions += outcome->lane_instructions;
  counts_.sampling.blocks_executed += outcome->blocks;
  counts_.faulted = counts_.faulted || outcome->faulted;
  counts_.timed_out = counts_.timed_out || outcome->timed_out;
  for (const Hazard& hazard : outcome->hazards)
    counts_.waited = counts_.waited || hazard.kind == HazardKind::kBlockWait;
  merge_hazards(counts_.hazards, outcome->hazards);
  for (const auto& worker : workers_)
    for (auto& [block, records] : worker->counter().take()) {
      if (apart) {
        executed_.insert_or_assign(block, std::move(records));
      } else {
        rest_.add(records);
      }
    }
  fresh_.push_back({taken(loads_), taken(stores_), outcome->blocks});
  return {};
}

void StepRunner::add_boxes() {
  if (all_executed_) {
    for (const auto& [block, records] : executed_) rest_.add(records);
    add_scaled(rest_, 1, 1);
    return;
  }
  for (const BlockBox& box : boxes_) {
    const auto inside = executed_in(box);
    if (inside.empty()) continue;
    AccessRecords sum;
    for (const AccessRecords* records : inside) sum.add(*records);
    add_scaled(sum, box.size(), inside.size());
    if (inside.size() < box.size()) counts_.blocks_agree = counts_.blocks_agree && agrees(box);
  }
}

void StepRunner::add_scaled(const AccessRecords& records, std::uint64_t represented, std::uint64_t executed) {
  // Multiplied first: if the blocks agree, the division leaves no remainder and the count is exact.
  const auto scaled = [&](std::uint64_t count) {
    return std::round(static_cast<double>(count) * static_cast<double>(represented) /
                      static_cast<double>(executed));
  };
  counts_.warp_instructions += scaled(records.warp_instructions);
  counts_.lane_instructions += scaled(records.lane_instructions);
  for (const AccessRecord& record : records.all()) {
    ScaledRecord& sum = scaled_[{record.instruction, record.kind, record.width}];
    sum.instruction = record.instruction;
    sum.kind = record.kind;
    sum.width = record.width;
    const AccessTotals& t = record.totals;
    sum.requests += scaled(t.requests);
    sum.actual += scaled(t.actual);
    sum.ideal += scaled(t.ideal);
    sum.lines += scaled(t.lines);
    sum.lanes += scaled(t.lanes);
    sum.misaligned += scaled(t.misaligned);
    sum.same_word += scaled(t.same_word);
    if (sum.worst.loses_to(record.worst)) sum.worst = record.worst;
  }
}

void StepRunner::add_pace() {
  for (const auto& worker : workers_)
    if (worker->pace() && worker->pace()->instructions() > 0)
      counts_.cycles_per_instruction =
          static_cast<double>(worker->pace()->cycles()) / static_cast<double>(worker->pace()->instructions());
}

void StepRunner::add_sectors() {
  if (fresh_.empty()) return;
  std::uint64_t executed = 0;
  for (const Fresh& batch : fresh_) {
    add_to(counts_.loaded_sectors, batch.loaded, 1.0);
    add_to(counts_.stored_sectors, batch.stored, 1.0);
    executed += batch.blocks;
  }
  // Every block left touches as many new sectors as one of the last batch did, when most sharing was over.
  const Fresh& last = fresh_.back();
  if (all_executed_ || last.blocks == 0 || executed >= counts_.sampling.blocks_total) return;
  const double left =
      static_cast<double>(counts_.sampling.blocks_total - executed) / static_cast<double>(last.blocks);
  add_to(counts_.loaded_sectors, last.loaded, left);
  add_to(counts_.stored_sectors, last.stored, left);
}

}  // namespace gpuprobe::prediction
