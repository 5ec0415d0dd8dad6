// Where the CUDA toolkit's run-time compiler and headers are on this machine.
//
//   ToolkitSearch search = find_nvrtc();      // search.library == "/usr/local/cuda/lib64/libnvrtc.so.13"
//   include_directories(*search.library)      // {"/usr/local/cuda/include", "/usr/local/cuda/include/cccl"}
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gpuprobe::compile {

struct ToolkitSearch {
  std::optional<std::filesystem::path>
      library;                     ///< the file to load; nullopt if only the loader might know one
  std::vector<std::string> tried;  ///< every place looked at, in order
};

/// Names of the library that work, best first: the majors this tool was tested with, then whatever is there.
const std::vector<std::string>& nvrtc_names();

/// Looks in $GPUPROBE_NVRTC (a file or a folder; alone if set), the toolkit that gpuprobe was built with,
/// $CUDA_HOME, $CUDA_PATH, /usr/local/cuda and /usr/local/cuda-* (newest first). Loads nothing.
ToolkitSearch find_nvrtc();

/// True if $GPUPROBE_NVRTC decides, so that the loader's path must not be asked.
bool nvrtc_is_chosen_by_user();

/// The toolkit's include directories: those beside `library`, else those of the toolkit gpuprobe was built
/// with, else of the other places above. Empty if none has cuda_fp16.h: NVRTC works without headers.
std::vector<std::string> include_directories(const std::filesystem::path& library);

/// Changes whenever the library file does: its real path, size and time of modification.
std::string library_identity(const std::filesystem::path& library);

}  // namespace gpuprobe::compile
