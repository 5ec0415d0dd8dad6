#include "metrics/cupti/driver_api.h"

#include <fmt/format.h>

#include <fstream>

#include "metrics/cupti/shared_library.h"

#define GPUPROBE_TEXT_OF(x) #x
#define GPUPROBE_TEXT(x) GPUPROBE_TEXT_OF(x)

namespace gpuprobe::cupti {
namespace {

constexpr const char* kGetDriver =
    "Install the NVIDIA driver (https://www.nvidia.com/drivers); in a container, start it with GPU access "
    "(--gpus all). Predictions need none of it: --source model.";

/// cuEventElapsedTime got a second version in CUDA 12.8 with the same signature; older drivers have the first
/// only. No other function of the table may fall back: the old cuMemAlloc, for one, takes 32-bit sizes.
void* find(const SharedLibrary& library, const char* symbol) {
  if (void* found = library.symbol(symbol)) return found;
  return std::string(symbol) == "cuEventElapsedTime_v2" ? library.symbol("cuEventElapsedTime") : nullptr;
}

Result<DriverApi> load() {
  auto library = SharedLibrary::open({"libcuda.so.1", "libcuda.so", "/usr/local/nvidia/lib64/libcuda.so.1",
                                      "/usr/lib/wsl/lib/libcuda.so.1"});
  if (!library)
    return fail(
        ErrorCode::kMachine,
        "There is no NVIDIA driver on this machine (libcuda.so.1 was not found). " + library.error().what,
        kGetDriver);
  DriverApi api;
  std::string lacking;
#define X(name)                                                                             \
  api.name = reinterpret_cast<decltype(api.name)>(find(*library, GPUPROBE_TEXT(cu##name))); \
  if (!api.name) lacking = GPUPROBE_TEXT(cu##name);
  GPUPROBE_DRIVER_FUNCTIONS(X)
#undef X
  api.CtxCreate = reinterpret_cast<decltype(api.CtxCreate)>(library->symbol("cuCtxCreate_v2"));
  if (!api.CtxCreate) lacking = "cuCtxCreate_v2";
  if (!lacking.empty())
    return fail(ErrorCode::kMachine,
                fmt::format("The NVIDIA driver ({}) is too old: it has no {}.", library->path(), lacking),
                "Update the driver to one for CUDA 12.6 or newer, or predict: --source model.");
  library->keep_loaded();
  return api;
}

}  // namespace

Result<const DriverApi*> driver_api() {
  static const Result<DriverApi> kLoaded = load();
  if (!kLoaded) return tl::unexpected(kLoaded.error());
  return &*kLoaded;
}

std::string driver_version_text() {
  std::string version;
  if (std::ifstream file("/sys/module/nvidia/version"); file >> version) return version;
  std::ifstream file(
      "/proc/driver/nvidia/version");  // "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159 ..."
  for (std::string word; file >> word;)
    if (word.find_first_not_of("0123456789.") == std::string::npos && word.find('.') != std::string::npos)
      return word;
  return "";
}

}  // namespace gpuprobe::cupti
