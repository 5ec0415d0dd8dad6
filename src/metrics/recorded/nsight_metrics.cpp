// Which metrics of the catalog a Nsight export has or determines.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "metrics/catalog.h"
#include "metrics/recorded/nsight_run.h"
#include "metrics/recorded/split.h"

namespace gpuprobe::recorded {
namespace {

constexpr const char* kNotExported = "not in this Nsight export";

struct Alias {
  std::string_view metric;
  std::string_view counter;
};

/// Other counters of Nsight's sets with the same meaning as those that the catalog names.
constexpr std::array<Alias, 16> kAliases{{
    {"time.duration", "gpu__time_duration.sum"},
    {"dram.utilization", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"l2.utilization", "lts__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"l1.utilization", "l1tex__throughput.avg.pct_of_peak_sustained_active"},
    {"local.load.requests", "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum"},
    {"local.store.requests", "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum"},
    {"local.load.sectors", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"},
    {"local.store.sectors", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"},
    {"shared.atomic.requests", "smsp__inst_executed_op_shared_atom.sum"},
    {"shared.matrix_load.requests", "smsp__inst_executed_op_ldsm.sum"},
    {"shared.matrix_store.requests", "smsp__inst_executed_op_shared_stsm.sum"},
    {"shared.async_copy.requests", "smsp__inst_executed_op_ldgsts.sum"},
    {"shared.async_copy.wavefronts", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum"},
    {"texture.instructions", "smsp__inst_executed_op_texture.sum"},
    {"occupancy.theoretical", "sm__maximum_warps_per_active_cycle_pct"},
    {"launch.waves", "launch__waves_per_multiprocessor"},
}};

/// From the launch itself. Nsight's limit by shared memory is the one at the carve-out of that launch.
constexpr std::array<Alias, 8> kLaunchFacts{{
    {"launch.registers", "launch__registers_per_thread"},
    {"launch.shared_static", "launch__shared_mem_per_block_static"},
    {"launch.shared_dynamic", "launch__shared_mem_per_block_dynamic"},
    {"occupancy.blocks_per_sm.registers", "launch__occupancy_limit_registers"},
    {"occupancy.blocks_per_sm.shared", "launch__occupancy_limit_shared_mem"},
    {"occupancy.blocks_per_sm.warps", "launch__occupancy_limit_warps"},
    {"occupancy.blocks_per_sm.blocks", "launch__occupancy_limit_blocks"},
    {"occupancy.blocks_per_sm.barriers", "launch__occupancy_limit_barriers"},
}};

class Metrics {
 public:
  Metrics(Run& run, const Readings& readings) : counters_(run.counters), readings_(readings) {}

  void set(std::string_view name, double number, std::vector<std::string> counters) {
    const MetricRow* row = find_metric(name);
    counters_.set(std::string(name),
                  {number, row ? row->unit : Unit::kNone, Origin::kRecorded, std::move(counters)});
  }
  /// Copies a reading unless the metric is known already.
  void take(std::string_view name, std::string_view counter) {
    if (counters_.value(name)) return;
    if (const auto number = readings_.number(counter)) set(name, *number, {std::string(counter)});
  }
  std::optional<double> get(std::string_view name) const { return counters_.number(name); }
  std::optional<double> read(std::string_view counter) const { return readings_.number(counter); }
  Counters& counters() { return counters_; }

 private:
  Counters& counters_;
  const Readings& readings_;
};

void take_catalog(Metrics& metrics) {
  for (const MetricRow& row : metric_catalog())
    for (const CounterBinding& binding : row.bindings)
      if (const auto number = metrics.read(binding.counter); number && !metrics.get(row.name))
        metrics.set(row.name, *number * binding.scale, {binding.counter});
  for (const Alias& alias : kAliases) metrics.take(alias.metric, alias.counter);
  for (const Alias& alias : kLaunchFacts) metrics.take(alias.metric, alias.counter);
}

/// Nsight gives the warps that a stall holds per issued instruction; their share of all resident warps is
/// that over the warp latency per issued instruction (one is issued in each active issue cycle).
void derive_stalls(Metrics& metrics) {
  const std::string latency_name = "smsp__average_warp_latency_per_inst_issued.ratio";
  const auto latency = metrics.read(latency_name);
  if (!latency || *latency <= 0) return;
  constexpr std::string_view kPrefix = "smsp__warp_issue_stalled_", kSuffix = "_per_warp_active.pct";
  for (const MetricRow& row : metric_catalog()) {
    if (!row.name.starts_with("stall.") || row.bindings.empty() || metrics.get(row.name)) continue;
    std::string_view reason = row.bindings.front().counter;
    if (!reason.starts_with(kPrefix) || !reason.ends_with(kSuffix)) continue;
    reason = reason.substr(kPrefix.size(), reason.size() - kPrefix.size() - kSuffix.size());
    const std::string counter =
        fmt::format("smsp__average_warps_issue_stalled_{}_per_issue_active.ratio", reason);
    if (const auto warps = metrics.read(counter))
      metrics.set(row.name, 100.0 * *warps / *latency, {counter, latency_name});
  }
}

/// Nsight relates the LSU data stage to elapsed cycles, gpuprobe to active ones.
void derive_lsu(Metrics& metrics) {
  const std::string wavefronts = "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed";
  const auto percent = metrics.read(wavefronts);
  const auto elapsed = metrics.read("l1tex__cycles_elapsed.sum");
  const auto active = metrics.read("l1tex__cycles_active.sum");
  if (metrics.get("lsu.utilization") || !percent || !elapsed || !active || *active <= 0) return;
  metrics.set("lsu.utilization", *percent * *elapsed / *active,
              {wavefronts, "l1tex__cycles_elapsed.sum", "l1tex__cycles_active.sum"});
}

void derive_global_atomics(Metrics& metrics) {
  for (const char* quantity : {"requests", "sectors"}) {
    const std::string red = fmt::format("l1tex__t_{}_pipe_lsu_mem_global_op_red.sum", quantity);
    const std::string atom = fmt::format("l1tex__t_{}_pipe_lsu_mem_global_op_atom.sum", quantity);
    const auto reductions = metrics.read(red), atomics = metrics.read(atom);
    if (reductions && atomics)
      metrics.set(fmt::format("global.atomic.{}", quantity), *reductions + *atomics, {red, atom});
  }
}

/// Sectors and ideal sectors of loads and stores. Nsight gives their exact sums; the hardware's own count was
/// exact for loads in every recording and up to 0.2 % off for stores, so the stores get what remains of the
/// sum. The bytes used per sector bound each ideal from below (lanes that read one word make that bound
/// loose).
void split_global(Metrics& metrics) {
  const std::string total_name = "memory_l2_theoretical_sectors_global", ideal_name = total_name + "_ideal";
  const auto total = metrics.read(total_name), ideal = metrics.read(ideal_name);
  const auto loads = metrics.get("global.load.sectors"), stores = metrics.get("global.store.sectors");
  const auto atomics = metrics.get("global.atomic.sectors");
  if (!total || !ideal || !loads || !stores || !atomics || *ideal > *total) return;
  const double rest = *total - *loads - *atomics;
  if (rest < 0 || std::abs(rest - *stores) > kNoise * *total) return;  // something else is in the sum
  metrics.set("global.store.sectors", rest,
              {total_name, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
               "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"});
  const std::array<const char*, 2> accesses{"load", "store"};
  const std::array<const char*, 2> ops{"ld", "st"};
  const std::array<double, 2> sectors{*loads, rest};
  std::vector<Bounds> bounds;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const double requests = metrics.get(fmt::format("global.{}.requests", accesses[i])).value_or(0);
    const auto used =
        metrics.read(fmt::format("smsp__sass_average_data_bytes_per_sector_mem_global_op_{}.ratio", ops[i]));
    bounds.push_back(
        {std::min(std::max(requests, used ? sectors[i] * *used / 32.0 : 0.0), sectors[i]), sectors[i]});
  }
  bounds.push_back({0, *atomics});
  const auto parts = split(*ideal, bounds);
  if (!parts) return;
  for (std::size_t i = 0; i < accesses.size(); ++i)
    metrics.set(fmt::format("global.{}.ideal_sectors", accesses[i]), std::round((*parts)[i]),
                {total_name, ideal_name});
}

/// Exact wavefronts of loads and stores from their exact sum, the noisy hardware count of each (an upper
/// bound) and the number of requests (a lower one).
void split_shared(Metrics& metrics) {
  const std::string total_name = "memory_l1_wavefronts_shared", ideal_name = total_name + "_ideal";
  const auto total = metrics.read(total_name), ideal = metrics.read(ideal_name);
  if (!total || !ideal || *ideal > *total) return;
  for (const char* other : {"atomic", "matrix_load", "matrix_store", "async_copy"})
    if (metrics.get(fmt::format("shared.{}.requests", other)).value_or(0) > 0)
      return;  // their part is not known
  const std::array<std::string, 2> accesses{"shared.load", "shared.store"};
  const std::array<std::string, 2> ops{"ld", "st"};
  std::vector<Bounds> wavefronts, excess;
  std::array<std::string, 2> hardware, conflicts;
  std::array<double, 2> requests{};
  for (std::size_t i = 0; i < ops.size(); ++i) {
    hardware[i] = fmt::format("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum", ops[i]);
    conflicts[i] = fmt::format("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum", ops[i]);
    const auto count = metrics.get(accesses[i] + ".requests"), noisy = metrics.read(hardware[i]);
    if (!count || !noisy) return;
    requests[i] = *count;
    wavefronts.push_back({*count, *count > 0 ? *noisy : 0.0});
  }
  const auto actual = split(*total, wavefronts);
  if (!actual) return;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const double most = std::max((*actual)[i] - requests[i], 0.0);
    excess.push_back({0, std::min(most, metrics.read(conflicts[i]).value_or(most))});
  }
  auto parts = split(*total - *ideal, excess);
  if (!parts) {  // wide stores to even lanes: the hardware counts no conflict, Nsight's ideal does
    for (std::size_t i = 0; i < ops.size(); ++i) excess[i].high = std::max((*actual)[i] - requests[i], 0.0);
    parts = split(*total - *ideal, excess);
  }
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (!metrics.get(accesses[i] + ".wavefronts"))
      metrics.set(accesses[i] + ".wavefronts", std::round((*actual)[i]),
                  {total_name, hardware[0], hardware[1]});
    if (!parts) continue;
    metrics.set(accesses[i] + ".ideal_wavefronts", std::round((*actual)[i] - (*parts)[i]),
                {total_name, ideal_name, conflicts[0], conflicts[1]});
    metrics.set(accesses[i] + ".excess_wavefronts", std::round((*parts)[i]),
                {total_name, ideal_name, conflicts[0], conflicts[1]});
  }
}

/// Blocks per SM and limiters from Nsight's own limits (at the carve-out of that launch).
void derive_occupancy(Metrics& metrics) {
  std::optional<double> least;
  constexpr std::array<std::string_view, 5> kResources{"warps", "blocks", "registers", "shared", "barriers"};
  for (std::string_view resource : kResources)
    if (const auto blocks = metrics.get(fmt::format("occupancy.blocks_per_sm.{}", resource)))
      least = std::min(least.value_or(*blocks), *blocks);
  if (!least) return;
  std::string limiter;
  std::vector<std::string> made_of;
  for (std::string_view resource : kResources)
    if (metrics.get(fmt::format("occupancy.blocks_per_sm.{}", resource)) == least) {
      limiter += (limiter.empty() ? "" : "+") + std::string(resource);
      made_of.push_back("launch__occupancy_limit_" +
                        std::string(resource == "shared" ? "shared_mem" : resource));
    }
  metrics.set("occupancy.blocks_per_sm", *least, made_of);
  metrics.counters().set("occupancy.limiter", {limiter, Unit::kNone, Origin::kRecorded, made_of});
}

/// What cannot be judged from this export, by what a reader would call it.
void note_what_lacks(Run& run) {
  struct Group {
    const char* what;
    std::vector<const char*> metrics;
  };
  const std::array<Group, 5> groups{{
      {"global-memory sectors", {"global.load.sectors", "global.store.sectors"}},
      {"ideal global sectors", {"global.load.ideal_sectors", "global.store.ideal_sectors"}},
      {"exact shared-memory wavefronts", {"shared.load.wavefronts", "shared.store.wavefronts"}},
      {"registers and occupancy limits", {"launch.registers", "occupancy.blocks_per_sm"}},
      {"time and utilisation", {"time.duration", "dram.utilization"}},
  }};
  std::string lacks;
  for (const Group& group : groups)
    if (std::any_of(group.metrics.begin(), group.metrics.end(),
                    [&](const char* metric) { return !run.counters.value(metric); }))
      lacks += (lacks.empty() ? "" : ", ") + std::string(group.what);
  if (!lacks.empty())
    run.notes.push_back(fmt::format("this export lacks {}; ncu --set full with --page raw has them", lacks));
}

}  // namespace

void add_nsight_metrics(Run& run, const Readings& readings) {
  Metrics metrics(run, readings);
  take_catalog(metrics);
  derive_stalls(metrics);
  derive_lsu(metrics);
  derive_global_atomics(metrics);
  split_global(metrics);
  split_shared(metrics);
  derive_occupancy(metrics);
  metrics.set("launch.steps", 1, {});
  metrics.set("launch.grid_blocks", static_cast<double>(run.main_launch().grid.count()), {});
  metrics.set("launch.block_threads", static_cast<double>(run.main_launch().block.count()), {});
  if (const auto duration = metrics.get("time.duration"))
    run.timing = Timing{*duration, *duration, *duration, 1};
  for (const MetricRow& row : metric_catalog())
    if (row.kind != MetricRow::Kind::kRatio && !run.counters.find(row.name))
      run.counters.set_missing(row.name, kNotExported);
  derive_ratios(run.counters);
  note_what_lacks(run);
}

}  // namespace gpuprobe::recorded
