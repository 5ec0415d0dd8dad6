#include "cli/injection_library.h"

#include <filesystem>

#include "metrics/cupti/cupti_source.h"

namespace gpuprobe::cli {

Result<std::string> injection_library() {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  const fs::path beside = folder / "libgpuprobe_inject.so";
  const fs::path installed = (folder / GPUPROBE_INJECTION_PLACE).lexically_normal();
  for (const fs::path& path : {beside, installed})
    if (fs::exists(path, error)) return path.string();
  return fail(ErrorCode::kMachine,
              "the library that profiles programs was not found: neither " + beside.string() + " nor " +
                  installed.string() + " is there",
              "install gpuprobe as a whole (cmake --install)");
}

Result<std::string> nvtx_library() {
  return CuptiSource::library_path();
}

}  // namespace gpuprobe::cli
