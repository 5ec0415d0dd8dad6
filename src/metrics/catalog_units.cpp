// Rows about how busy the units of the GPU were, and about what warps waited for.
#include "metrics/catalog_rows.h"

namespace gpuprobe::catalog {
namespace {

/// Chips with memory controllers of their own; GA10B, GB10B and GB20B share the host's memory and have no
/// dram__ counters.
const std::vector<std::string>& chips_with_dram_bytes_read() {
  static const std::vector<std::string> kChips = {
      "tu102", "tu104", "tu106", "tu116", "tu117", "ga100", "ga102", "ga103", "ga104", "ga106",
      "ga107", "ad102", "ad103", "ad104", "ad106", "ad107", "gh100", "gb100", "gb102", "gb110"};
  return kChips;
}

/// The consumer Blackwell chips name the same counters differently.
const std::vector<std::string>& chips_with_dram_bytes_op_read() {
  static const std::vector<std::string> kChips = {"gb202", "gb203", "gb205", "gb206", "gb207"};
  return kChips;
}

std::vector<std::string> chips_with_dram() {
  std::vector<std::string> chips = chips_with_dram_bytes_read();
  chips.insert(chips.end(), chips_with_dram_bytes_op_read().begin(), chips_with_dram_bytes_op_read().end());
  return chips;
}

MetricRow dram_bytes_row(const std::string& direction) {
  MetricRow row =
      gpu_only(counter_row("dram." + direction + "_bytes", Unit::kByte,
                           "bytes that DRAM " + std::string(direction == "read" ? "delivered" : "took"),
                           "dram__bytes_" + direction + ".sum", chips_with_dram_bytes_read()));
  row.bindings.push_back({chips_with_dram_bytes_op_read(), "dram__bytes_op_" + direction + ".sum", 1.0});
  return row;
}

/// The utilisations of DRAM and L2 are parts of this time, not of the kernel's own.
MetricRow profiled_time_row() {
  MetricRow row = gpu_only(counter_row("time.profiled", Unit::kSecond,
                                       "length of the profiled range, the start of the kernel included",
                                       "gpu__time_duration.sum"));
  row.bindings.front().scale = 1e-9;
  return row;
}

/// How busy one stage of a unit was.
MetricRow stage_row(const std::string& name, const std::string& help, const std::string& counter) {
  return gpu_only(counter_row(name, Unit::kPercent, help, counter));
}

MetricRow stall_row(const std::string& reason, const std::string& cupti_reason, const std::string& help,
                    std::vector<std::string> chips = {}) {
  return gpu_only(counter_row("stall." + reason, Unit::kPercent, "share of resident warps' cycles: " + help,
                              "smsp__warp_issue_stalled_" + cupti_reason + "_per_warp_active.pct",
                              std::move(chips)));
}

}  // namespace

std::vector<MetricRow> utilization_rows() {
  std::vector<MetricRow> rows;
  rows.push_back(dram_bytes_row("read"));
  rows.push_back(dram_bytes_row("write"));
  rows.push_back(
      gpu_only(counter_row("dram.utilization", Unit::kPercent, "DRAM throughput, of its peak",
                           "dram__throughput.avg.pct_of_peak_sustained_elapsed", chips_with_dram())));
  // CUPTI's own l1tex__throughput and lts__throughput would cost 120 ms more (H200). Over eight kernels of
  // all kinds the first equals the largest of the two L1 stages here to the last digit, and the second is the
  // largest of the L2 stages here or up to twice that where L2 has little to do (16 % against 8 %). The stage
  // that sends data to the SMs is left out: it would cost a pass of 24 ms, and of 253 recorded runs it was
  // the largest in 16, which used at most 12 % of it.
  rows.push_back(
      gpu_only(largest_row("l2.utilization", Unit::kPercent, "L2, of its peak: the busiest of its stages",
                           {"l2.request_utilization", "l2.tag_utilization"})));
  rows.push_back(profiled_time_row());
  rows.push_back(stage_row("l2.request_utilization", "cycles in which L2 took requests and data from the SMs",
                           "lts__xbar2lts_cycles_active.avg.pct_of_peak_sustained_elapsed"));
  rows.push_back(stage_row("l2.tag_utilization", "tag look-ups of L2, of their peak",
                           "lts__t_tag_requests.avg.pct_of_peak_sustained_elapsed"));
  rows.push_back(gpu_only(largest_row("l1.utilization", Unit::kPercent,
                                      "L1, of its peak: its data stage or its way to L2",
                                      {"lsu.utilization", "l1.request_utilization"})));
  rows.push_back(stage_row("lsu.utilization",
                           "wavefronts through the L1 data stage (shared, global, local), of their peak",
                           "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_active"));
  rows.push_back(stage_row("l1.request_utilization", "cycles in which L1 sent requests and data to L2",
                           "l1tex__m_l1tex2xbar_req_cycles_active.avg.pct_of_peak_sustained_active"));
  rows.push_back(stage_row("l1.tag_utilization", "wavefronts from the L1 tag stage, of their peak",
                           "l1tex__t_output_wavefronts.avg.pct_of_peak_sustained_active"));
  rows.push_back(gpu_only(counter_row("issue.utilization", Unit::kPercent,
                                      "cycles in which a scheduler issued an instruction",
                                      "smsp__issue_active.avg.pct_of_peak_sustained_active")));
  rows.push_back(counter_row("issue.warp_instructions", Unit::kInstruction,
                             "warp instructions executed (a prediction counts PTX instructions)",
                             "smsp__inst_executed.sum"));
  rows.push_back(static_row("issue.cycles_per_instruction", Unit::kCycle,
                            "from one instruction of a warp to the next, no other warp in the way and waits "
                            "for memory left out (predictions only)"));
  rows.push_back(
      gpu_only(counter_row("warps.eligible", Unit::kWarp, "warps that could issue, per scheduler and cycle",
                           "smsp__warps_eligible.avg.per_cycle_active")));
  // The reasons that rules judge by and those that a healthy kernel shows. The seven others (texture,
  // constant cache, membar, dispatch, sleep, wgmma, misc) would cost two passes more on gh100, seven in place
  // of five.
  rows.push_back(
      stall_row("long_scoreboard", "long_scoreboard", "waiting for global, local or texture data"));
  rows.push_back(
      stall_row("short_scoreboard", "short_scoreboard", "waiting for shared memory or the MIO units"));
  rows.push_back(stall_row("mio_throttle", "mio_throttle", "the MIO queue (shared memory) was full"));
  rows.push_back(stall_row("lg_throttle", "lg_throttle", "the local/global queue was full"));
  rows.push_back(stall_row("barrier", "barrier", "waiting at a block barrier"));
  rows.push_back(stall_row("math_pipe_throttle", "math_pipe_throttle", "the arithmetic pipe was busy"));
  rows.push_back(stall_row("wait", "wait", "fixed latency of the previous instruction"));
  rows.push_back(stall_row("not_selected", "not_selected", "eligible, but another warp was chosen"));
  rows.push_back(stall_row("selected", "selected", "issuing (not a stall)"));
  rows.push_back(
      stall_row("no_instruction", "no_instruction", "waiting for the instruction cache or a jump"));
  rows.push_back(stall_row("branch_resolving", "branch_resolving", "waiting for a branch target"));
  rows.push_back(stall_row("drain", "drain", "waiting for stores to drain before exit"));
  return rows;
}

}  // namespace gpuprobe::catalog
