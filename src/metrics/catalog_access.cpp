// Rows about memory accesses. Which counter is exact and which is noisy was measured on an H200: the hardware
// counters of global memory agree with a count of the addresses; those of shared memory include arbitration
// with other users of the data stage, so the exact ones come from instrumented instructions (smsp__sass_...).
#include "metrics/catalog_rows.h"

namespace gpuprobe::catalog {
namespace {

/// What the rows of "global.load" and "global.store" share.
void add_global(std::vector<MetricRow>& rows, const std::string& op, const std::string& suffix) {
  const std::string prefix = "global." + op + ".";
  rows.push_back(counter_row(prefix + "requests", Unit::kRequest,
                             "warp-level global " + op + " instructions with at least one active lane",
                             "l1tex__t_requests_pipe_lsu_mem_global_op_" + suffix + ".sum"));
  rows.push_back(counter_row(prefix + "sectors", Unit::kSector,
                             "32-byte sectors that global " + op + "s touch",
                             "l1tex__t_sectors_pipe_lsu_mem_global_op_" + suffix + ".sum"));
  rows.push_back(site_row(prefix + "ideal_sectors", Unit::kSector,
                          "sectors that the same bytes would take if they lay side by side"));
  rows.push_back(ratio_row(prefix + "sectors_per_request", Unit::kSectorsPerRequest,
                           "sectors that one global " + op + " request touches on average",
                           prefix + "sectors", prefix + "requests"));
  rows.push_back(ratio_row(prefix + "ideal_sectors_per_request", Unit::kSectorsPerRequest,
                           "what sectors_per_request would be with contiguous, aligned addresses",
                           prefix + "ideal_sectors", prefix + "requests"));
  rows.push_back(ratio_row(prefix + "efficiency", Unit::kPercent, "ideal sectors / sectors",
                           prefix + "ideal_sectors", prefix + "sectors", 100.0));
  rows.push_back(
      site_row(prefix + "unique_bytes", Unit::kByte,
               "distinct bytes that global " + op + "s touch, in whole sectors (predictions only)"));
}

/// Requests, wavefronts and what they should be, for one kind of shared-memory access. `requests` and
/// `wavefronts` are CUPTI counters; `chips` as in a binding.
void add_shared(std::vector<MetricRow>& rows, const std::string& op, const std::string& what,
                const std::string& requests, const std::string& wavefronts,
                std::vector<std::string> chips = {}) {
  const std::string prefix = "shared." + op + ".";
  rows.push_back(counter_row(prefix + "requests", Unit::kRequest, "warp-level " + what,
                             "smsp__sass_inst_executed_op_" + requests + ".sum", chips));
  rows.push_back(counter_row(
      prefix + "wavefronts", Unit::kWavefront, "wavefronts that the addresses of these accesses need (exact)",
      "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_" + wavefronts + ".sum", std::move(chips)));
  rows.push_back(site_row(prefix + "ideal_wavefronts", Unit::kWavefront,
                          "wavefronts that the same lanes and widths would need without bank conflicts"));
  rows.push_back(site_row(prefix + "excess_wavefronts", Unit::kWavefront,
                          "wavefronts above the ideal: what bank conflicts cost"));
  rows.push_back(ratio_row(prefix + "wavefronts_per_request", Unit::kWavefrontsPerRequest,
                           "wavefronts that one request needs on average", prefix + "wavefronts",
                           prefix + "requests"));
  rows.push_back(ratio_row(prefix + "conflict_degree", Unit::kRatio,
                           "wavefronts / ideal wavefronts: 32 = 32-way conflict, 1 = none",
                           prefix + "wavefronts", prefix + "ideal_wavefronts"));
}

void add_local(std::vector<MetricRow>& rows, const std::string& op, const std::string& suffix) {
  const std::string prefix = "local." + op + ".";
  rows.push_back(counter_row(prefix + "requests", Unit::kRequest,
                             "warp-level local-memory " + op + "s (register spills, local arrays)",
                             "smsp__sass_inst_executed_op_local_" + suffix + ".sum"));
  rows.push_back(counter_row(prefix + "sectors", Unit::kSector, "sectors that local-memory " + op + "s touch",
                             "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_local_op_" + suffix + ".sum"));
}

}  // namespace

std::vector<MetricRow> access_rows() {
  std::vector<MetricRow> rows;
  add_global(rows, "load", "ld");
  add_global(rows, "store", "st");
  rows.push_back(
      site_row("global.atomic.requests", Unit::kRequest, "warp-level global atomics and reductions"));
  rows.push_back(
      site_row("global.atomic.sectors", Unit::kSector,
               "sectors of global atomics and reductions; a prediction counts one once for each lane of "
               "its most wanted word"));
  add_shared(rows, "load", "shared-memory loads (LDS, LD)", "shared_ld", "ld");
  add_shared(rows, "store", "shared-memory stores (STS, ST)", "shared_st", "st");
  add_shared(rows, "atomic", "shared-memory atomics (ATOMS)", "shared_atom", "atom");
  add_shared(rows, "matrix_load", "ldmatrix instructions (LDSM)", "ldsm", "ldsm");
  add_shared(rows, "matrix_store", "stmatrix instructions (STSM)", "shared_stsm", "stsm",
             chips_from_hopper());
  add_shared(rows, "async_copy", "cp.async instructions (LDGSTS), shared-memory side", "ldgsts", "ldgsts",
             chips_from_ampere());
  rows.push_back(
      gpu_only(counter_row("shared.conflicts_hw.load", Unit::kWavefront,
                           "hardware count of load bank conflicts; includes arbitration, so it is not "
                           "zero without any conflict of addresses",
                           "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum")));
  rows.push_back(gpu_only(counter_row("shared.conflicts_hw.store", Unit::kWavefront,
                                      "hardware count of store bank conflicts; includes arbitration",
                                      "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum")));
  add_local(rows, "load", "ld");
  add_local(rows, "store", "st");
  rows.push_back(counter_row("texture.instructions", Unit::kInstruction,
                             "texture instructions, which the global-memory counters do not cover",
                             "smsp__sass_inst_executed_op_texture.sum"));
  rows.push_back(counter_row("tma.instructions", Unit::kInstruction,
                             "bulk and tensor copies (TMA), which the global-memory counters do not cover",
                             "smsp__sass_inst_executed_op_tma.sum", chips_from_hopper()));
  return rows;
}

}  // namespace gpuprobe::catalog
