// Where a library of the CUDA toolkit may lie on this machine, best place first.
//
//   library_candidates({"libcupti.so", "GPUPROBE_CUPTI", {"extras/CUPTI/lib64"}, {"cuda_cupti/lib"}, {}})
#pragma once

#include <string>
#include <vector>

namespace gpuprobe::cupti {

struct LibraryPlaces {
  std::string file;                       ///< "libcupti.so": files whose names begin so
  const char* variable;                   ///< environment variable that chooses a folder or a file instead
  std::vector<std::string> subfolders;    ///< of a toolkit, before its ordinary library folders
  std::vector<std::string> wheels;        ///< folders below site-packages/nvidia of a Python environment
  std::vector<std::string> loader_names;  ///< what the system's loader is asked for
};

/// Paths and loader names to try in order: the choice of `variable` alone if it is set, else the toolkit of
/// the build, those of CUDA_HOME, CUDA_PATH and /usr/local, the loader, and the active Python environment.
std::vector<std::string> library_candidates(const LibraryPlaces& places);

/// Loads `names` from the folder of `library` and keeps them loaded: some libraries open others by their bare
/// names, which the loader finds only if they are loaded already. What does not load is left to the loader.
void preload_neighbours(const std::string& library, const std::vector<std::string>& names);

}  // namespace gpuprobe::cupti
