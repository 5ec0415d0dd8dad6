#include "model/prediction/prediction.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "metrics/catalog.h"
#include "model/hazards/race_detector.h"
#include "model/prediction/block_order.h"
#include "model/ptx/parser.h"

namespace gpuprobe::prediction {
namespace {

// A launch that needs at most so many lane-instructions is executed whole: about 0.2 s on two cores.
constexpr std::uint64_t kWholeLaunch = 40'000'000;
// A launch whose results decide what a later launch does is executed whole up to here: a few seconds.
constexpr std::uint64_t kWholeForLater = 800'000'000;
// The second run for the order of blocks is one block at a time.
constexpr std::uint64_t kSecondRun = 20'000'000;

/// What sites and hazards need to know of the instructions of a program, with places in the kernel's own
/// file.
std::vector<simt::InstructionInfo> placed_instructions(const simt::Program& program,
                                                       const std::string& source_file) {
  std::vector<simt::InstructionInfo> placed;
  for (int i = 0; i < program.instruction_count(); ++i) {
    placed.push_back(program.instruction(i));
    placed.back().location = own_place(placed.back(), source_file);
  }
  return placed;
}

}  // namespace

Result<Run> Prediction::run() {
  run_.kernel = kernel_.name;
  run_.options = kernel_.options;
  run_.steps = kernel_.steps;
  run_.source = Origin::kPredicted;
  run_.device = device_;
  run_.environment.arch = compiled_.arch;
  run_.environment.compiler = compiled_.compiler;
  run_.resources = compiled_.functions;
  run_.cures = kernel_.cures;
  run_.useful_bytes = kernel_.useful_bytes;
  run_.useful_flops = kernel_.useful_flops;

  const auto module = ptx::parse(compiled_.ptx);
  if (!module) return tl::unexpected(module.error());
  const auto analysis = analyse_kernel(kernel_, compiled_, *module);
  if (!analysis) return tl::unexpected(analysis.error());
  const auto initial = HostBuffers::initial(kernel_);
  if (!initial) return tl::unexpected(initial.error());

  const bool must_be_whole =
      options_.exact || std::any_of(analysis->dependence.begin(), analysis->dependence.end(),
                                    [](const auto& entry) { return entry.second.waits_for_memory; });
  if (Status done = execute(*analysis, *initial, must_be_whole); !done) return tl::unexpected(done.error());
  // A sampled block that waits for one outside the sample waits in vain.
  if (waited_ && !must_be_whole)
    if (Status done = execute(*analysis, *initial, true); !done) return tl::unexpected(done.error());
  if (Status done = look_at_block_order(*analysis, *initial); !done) return tl::unexpected(done.error());
  check(*initial);
  fill_counters();
  write_notes(*analysis);
  return std::move(run_);
}

Result<HostBuffers> Prediction::results() {
  const auto module = ptx::parse(compiled_.ptx);
  if (!module) return tl::unexpected(module.error());
  const auto analysis = analyse_kernel(kernel_, compiled_, *module);
  if (!analysis) return tl::unexpected(analysis.error());
  const auto initial = HostBuffers::initial(kernel_);
  if (!initial) return tl::unexpected(initial.error());
  if (Status done = execute(*analysis, *initial, true); !done) return tl::unexpected(done.error());
  if (faulted_ || timed_out_)
    return fail(ErrorCode::kKernel,
                fmt::format("{} {}", kernel_.steps.front().entry,
                            faulted_ ? "faulted: " + run_.hazards.front().text : "did not end in time"),
                "correct the kernel, choose a smaller size, or raise --timeout");
  return execution_->result();
}

StepLimits Prediction::limits_of(std::size_t step, const KernelAnalysis& analysis, bool whole) const {
  StepLimits limits;
  limits.all_blocks = whole;
  limits.on_data = analysis.dependence.at(kernel_.steps[step].entry).on_data;
  limits.lane_instructions = kWholeLaunch;
  for (std::size_t later = step + 1; later < kernel_.steps.size(); ++later)
    if (analysis.dependence.at(kernel_.steps[later].entry).on_data) limits.lane_instructions = kWholeForLater;
  limits.threads = options_.threads;
  limits.timeout_s = seconds_left_;
  return limits;
}

Status Prediction::execute(const KernelAnalysis& analysis, const HostBuffers& initial, bool whole) {
  run_.sites.clear();
  run_.hazards.clear();
  loaded_sectors_.clear();
  stored_sectors_.clear();
  warp_instructions_ = lane_instructions_ = issue_cycles_ = 0;
  executed_lane_instructions_ = 0;
  sampling_ = {};
  blocks_agree_ = true;
  waited_ = faulted_ = timed_out_ = shares_buffers_ = false;
  seconds_left_ = options_.timeout_s;

  auto execution = KernelExecution::prepare(kernel_, analysis, initial, !whole);
  if (!execution) return tl::unexpected(execution.error());
  execution_ = std::move(*execution);
  SiteTable sites(kernel_.source.file);
  for (std::size_t step = 0; step < kernel_.steps.size() && !faulted_ && !timed_out_; ++step) {
    const auto begin = std::chrono::steady_clock::now();
    auto counts = execution_->run_step(step, limits_of(step, analysis, whole));
    if (!counts) return tl::unexpected(counts.error());
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    seconds_left_ = std::max(0.001, seconds_left_ - spent.count());
    const std::string& entry = kernel_.steps[step].entry;
    const FunctionResources* resources = compiled_.find(entry);
    const auto& plan = execution_->plan(step);
    for (const ScaledRecord& record : counts->records) {
      // Without a stack frame in the cubin, the assembler has kept the local arrays in registers.
      const bool is_local = record.kind == AccessKind::kLocalLoad || record.kind == AccessKind::kLocalStore;
      if (is_local && resources && resources->local_bytes == 0) continue;
      sites.add(execution_->program(step).instruction(record.instruction), entry, record,
                plan[static_cast<std::size_t>(record.instruction)].merged);
    }
    take(step, std::move(*counts));
  }
  run_.sites = sites.take();
  return {};
}

void Prediction::take(std::size_t step, StepCounts counts) {
  const auto add = [](std::vector<double>& sum, const std::vector<double>& more) {
    sum.resize(std::max(sum.size(), more.size()));
    for (std::size_t i = 0; i < more.size(); ++i) sum[i] += more[i];
  };
  add(loaded_sectors_, counts.loaded_sectors);
  add(stored_sectors_, counts.stored_sectors);
  warp_instructions_ += counts.warp_instructions;
  lane_instructions_ += counts.lane_instructions;
  issue_cycles_ += counts.cycles_per_instruction * counts.warp_instructions;
  executed_lane_instructions_ += counts.executed_lane_instructions;
  sampling_.blocks_total += counts.sampling.blocks_total;
  sampling_.blocks_executed += counts.sampling.blocks_executed;
  blocks_agree_ = blocks_agree_ && counts.blocks_agree;
  waited_ = waited_ || counts.waited;
  faulted_ = faulted_ || counts.faulted;
  timed_out_ = timed_out_ || counts.timed_out;
  shares_buffers_ = shares_buffers_ || counts.shares_buffers;

  const auto placed = placed_instructions(execution_->program(step), kernel_.source.file);
  std::vector<Hazard> found = hazards::shared_hazards(
      counts.conflicts,
      [&](int i) -> const simt::InstructionInfo& { return placed[static_cast<std::size_t>(i)]; });
  for (Hazard& hazard : counts.hazards) {
    for (Location& location : hazard.locations)
      location.file = shown_file(location.file, kernel_.source.file);
    found.push_back(std::move(hazard));
  }
  merge_hazards(run_.hazards, found);
}

Status Prediction::look_at_block_order(const KernelAnalysis& analysis, const HostBuffers& initial) {
  if (!sampling_.exact() || faulted_ || timed_out_ || waited_ || executed_lane_instructions_ > kSecondRun)
    return {};
  const bool may_depend =
      shares_buffers_ || std::any_of(analysis.dependence.begin(), analysis.dependence.end(),
                                     [](const auto& entry) { return entry.second.has_global_atomics; });
  const bool has_order = std::any_of(kernel_.steps.begin(), kernel_.steps.end(),
                                     [](const Step& step) { return step.launch.grid.count() > 1; });
  if (!may_depend || !has_order) return {};
  auto second = KernelExecution::prepare(kernel_, analysis, initial, false);
  if (!second) return tl::unexpected(second.error());
  for (std::size_t step = 0; step < kernel_.steps.size(); ++step) {
    const auto outcome = (*second)->run_step_in_order(step, seconds_left_, true, nullptr);
    if (!outcome) return tl::unexpected(outcome.error());
    if (outcome->faulted || outcome->timed_out) return {};
    // Found only in this order: blocks that wait for one with a lower number.
    std::vector<Hazard> waits;
    for (Hazard hazard : outcome->hazards) {
      if (hazard.kind != HazardKind::kBlockWait) continue;
      for (Location& location : hazard.locations)
        location.file = shown_file(location.file, kernel_.source.file);
      hazard.text = "with the last block first, " + hazard.text;
      waits.push_back(std::move(hazard));
    }
    merge_hazards(run_.hazards, waits);
  }
  if (auto hazard = compare_orders(kernel_, execution_->result(), (*second)->result()))
    merge_hazards(run_.hazards, {*hazard});
  return {};
}

void Prediction::check(const HostBuffers& initial) {
  if (faulted_ || timed_out_) {
    run_.check.text = faulted_ ? "a fault stopped the launch" : "the time limit was reached";
    return;
  }
  if (sampling_.exact()) {
    run_.check = check_result(kernel_, initial, execution_->result(), nullptr);
    return;
  }
  if (kernel_.steps.size() > 1) {
    run_.check.text = "later launches read what the blocks that were not executed would have written";
    return;
  }
  const HostBuffers& result = execution_->result();
  run_.check = check_result(kernel_, initial, result, [&](std::size_t buffer, std::uint64_t offset) {
    if (!execution_->is_written(buffer, offset)) return false;
    // Stores are known by word: a narrower element is taken as written only where it has changed.
    const std::uint32_t bytes = kernel_.buffers[buffer].type.bytes;
    return bytes >= 4 ||
           !std::equal(result.bytes(buffer).begin() + static_cast<std::ptrdiff_t>(offset),
                       result.bytes(buffer).begin() + static_cast<std::ptrdiff_t>(offset + bytes),
                       initial.bytes(buffer).begin() + static_cast<std::ptrdiff_t>(offset));
  });
}

void Prediction::fill_counters() {
  Counters& counters = run_.counters;
  run_.sampling = sampling_;
  run_.sampling->timed_out = timed_out_;
  if (faulted_ || timed_out_) {
    const char* why = faulted_ ? "a fault stopped the launch" : "the time limit was reached";
    run_.sites.clear();
    sum_sites(counters, {}, Origin::kPredicted, why);
    for (const char* name : {"global.load.unique_bytes", "global.store.unique_bytes",
                             "issue.warp_instructions", "issue.cycles_per_instruction"})
      counters.set_missing(name, why);
  } else {
    fill_local_memory();
    sum_sites(counters, run_.sites, Origin::kPredicted, "");
    const auto unique_bytes = [](const std::vector<double>& sectors, const TouchedSectors& areas) {
      double sum = 0;
      for (std::size_t i = 0; i < sectors.size(); ++i)
        sum += std::min(sectors[i], static_cast<double>(areas.sectors_of(i)));
      return 32.0 * sum;
    };
    const auto set = [&](const char* name, double value, Unit unit) {
      counters.set(name, Value{value, unit, Origin::kPredicted, {}});
    };
    set("global.load.unique_bytes", unique_bytes(loaded_sectors_, execution_->loads()), Unit::kByte);
    set("global.store.unique_bytes", unique_bytes(stored_sectors_, execution_->stores()), Unit::kByte);
    set("issue.warp_instructions", warp_instructions_, Unit::kInstruction);
    if (issue_cycles_ > 0)
      set("issue.cycles_per_instruction", issue_cycles_ / warp_instructions_, Unit::kCycle);
    if (warp_instructions_ > 0)
      set("issue.lane_utilization", 100.0 * lane_instructions_ / (32.0 * warp_instructions_), Unit::kPercent);
    // The machine executes neither; a kernel that has them is refused when it is decoded.
    set("texture.instructions", 0, Unit::kInstruction);
    set("tma.instructions", 0, Unit::kInstruction);
  }
  for (const MetricRow& row : metric_catalog())
    if (row.needs_gpu && !counters.find(row.name)) counters.set_missing(row.name, "needs a GPU");
}

void Prediction::fill_local_memory() {
  std::uint32_t frame = 0;
  for (const Step& step : kernel_.steps)
    if (const FunctionResources* resources = compiled_.find(step.entry))
      frame = std::max(frame, resources->local_bytes);
  const bool counted = std::any_of(run_.sites.begin(), run_.sites.end(), [](const Site& site) {
    return site.access == AccessKind::kLocalLoad || site.access == AccessKind::kLocalStore;
  });
  if (frame == 0) return;
  if (counted) {
    run_.notes.push_back(
        fmt::format("local memory is counted as the PTX uses it; register spills, which the assembler "
                    "places in the same frame of {} bytes a thread, would come on top",
                    frame));
    return;
  }
  const std::string reason = fmt::format(
      "the assembler spills registers to a frame of {} bytes a thread; how often is not in the PTX", frame);
  for (const char* name :
       {"local.load.requests", "local.load.sectors", "local.store.requests", "local.store.sectors"})
    run_.counters.set_missing(name, reason);
}

void Prediction::write_notes(const KernelAnalysis& analysis) {
  const bool on_data = std::any_of(analysis.dependence.begin(), analysis.dependence.end(),
                                   [](const auto& entry) { return entry.second.on_data; });
  if (timed_out_) run_.notes.push_back("the time limit was reached before all blocks had run");
  if (!sampling_.exact() && !faulted_ && !timed_out_) {
    if (on_data && kernel_.steps.size() > 1) {
      run_.notes.push_back(
          "counts are estimates: what the launches do depends on data, and only a part of the blocks of "
          "earlier "
          "launches was executed; --exact executes all");
    } else if (!blocks_agree_) {
      run_.notes.push_back(
          "counts are estimates: blocks at like positions of the grid did not do the same; --exact executes "
          "all");
    } else if (on_data) {
      run_.notes.push_back(
          "counts are estimates: what a block does depends on data, though all executed blocks agree; "
          "--exact executes "
          "all");
    }
  }
  if (std::any_of(run_.sites.begin(), run_.sites.end(),
                  [](const Site& site) { return site.depends_on_merging; }))
    run_.notes.push_back(
        "neighbouring shared loads are counted merged into wider ones, as the assembler is expected to do");
}

}  // namespace gpuprobe::prediction
