// Which rank of a parallel job this process is, as its launcher says: Open MPI, MPICH and its kin, or Slurm.
//
//   rank_of_process()                  // 3 under mpirun or srun, nullopt otherwise
//   with_rank("report.%r.json")        // "report.3.json"; "report.0.json" outside a job
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.h"

namespace gpuprobe::cli {

/// From OMPI_COMM_WORLD_RANK, PMIX_RANK, PMI_RANK or SLURM_PROCID, the first that is a number.
std::optional<int> rank_of_process();

/// `path` with the rank in place of every %r; rank 0 if this process is no part of a job.
std::string with_rank(const std::string& path);

/// The ranks of "0,3" or "0-3". Errors: kUsage.
Result<std::vector<int>> parse_ranks(const std::vector<std::string>& lists);

}  // namespace gpuprobe::cli
