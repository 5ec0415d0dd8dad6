#include "cli/environment.h"

#include <array>
#include <cstdlib>

namespace gpuprobe::cli {

std::vector<std::pair<std::string, std::string>> environment_settings() {
  static constexpr std::array kNames = {"GPUPROBE_NVRTC",
                                        "GPUPROBE_CUPTI",
                                        "GPUPROBE_CUBLAS",
                                        "CUDA_HOME",
                                        "CUDA_PATH",
                                        "VIRTUAL_ENV",
                                        "CONDA_PREFIX",
                                        "XDG_CACHE_HOME",
                                        "XDG_DATA_HOME",
                                        "HOME",
                                        "NO_COLOR",
                                        "TERM",
                                        "OMPI_COMM_WORLD_RANK",
                                        "PMIX_RANK",
                                        "PMI_RANK",
                                        "SLURM_PROCID",
                                        "GPUPROBE_SPOOL",
                                        "GPUPROBE_SPOOL_KERNEL",
                                        "GPUPROBE_SPOOL_SKIP",
                                        "GPUPROBE_SPOOL_COUNT",
                                        "GPUPROBE_SPOOL_NVTX",
                                        "GPUPROBE_SPOOL_BUDGET",
                                        "GPUPROBE_SPOOL_VERBOSITY"};
  std::vector<std::pair<std::string, std::string>> settings;
  for (const char* name : kNames)
    if (const char* value = std::getenv(name); value != nullptr && *value != 0)
      settings.emplace_back(name, value);
  return settings;
}

}  // namespace gpuprobe::cli
