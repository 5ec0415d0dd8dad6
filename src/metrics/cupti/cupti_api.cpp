#include "metrics/cupti/cupti_api.h"

#include <fmt/format.h>

#include "metrics/cupti/library_search.h"
#include "metrics/cupti/shared_library.h"

namespace gpuprobe::cupti {
namespace {

constexpr const char* kGetCupti =
    "Install the CUDA toolkit 12.6 or newer with its CUPTI component "
    "(https://developer.nvidia.com/cuda-downloads), "
    "or set GPUPROBE_CUPTI to the folder that holds libcupti.so. Predictions need none of it: --source "
    "model.";

struct Loaded {
  CuptiApi api;
  std::string path;
};

Result<Loaded> load() {
  auto library = SharedLibrary::open(cupti_candidates());
  if (!library)
    return fail(ErrorCode::kMachine,
                "CUPTI (libcupti.so), which reads GPU counters, was not found. " + library.error().what,
                kGetCupti);
  Loaded loaded;
  loaded.path = library->path();
  const char* lacking = nullptr;
#define X(name)                                                                                  \
  loaded.api.name = reinterpret_cast<decltype(loaded.api.name)>(library->symbol("cupti" #name)); \
  if (!loaded.api.name) lacking = "cupti" #name;
  GPUPROBE_CUPTI_FUNCTIONS(X)
#undef X
  if (lacking)
    return fail(
        ErrorCode::kMachine,
        fmt::format("The CUPTI library {} is older than CUDA 12.6: it has no {}.", loaded.path, lacking),
        kGetCupti);
  // libcupti opens libnvperf_host.so by its bare name.
  preload_neighbours(loaded.path, {"libnvperf_host.so", "libnvperf_target.so"});
  library->keep_loaded();
  return loaded;
}

const Result<Loaded>& loaded_once() {
  static const Result<Loaded> kLoaded = load();
  return kLoaded;
}

}  // namespace

std::vector<std::string> cupti_candidates() {
  return library_candidates({"libcupti.so",
                             "GPUPROBE_CUPTI",
                             {"extras/CUPTI/lib64"},
                             {"cu13/lib", "cuda_cupti/lib"},
                             {"libcupti.so", "libcupti.so.13", "libcupti.so.12"}});
}

Result<const CuptiApi*> cupti_api() {
  const Result<Loaded>& loaded = loaded_once();
  if (!loaded) return tl::unexpected(loaded.error());
  return &loaded->api;
}

std::string cupti_path() {
  return loaded_once() ? loaded_once()->path : "";
}

int cuda_version_of_cupti(std::uint32_t version) {
  if (version >= 130000) return static_cast<int>(version / 10000 * 1000 + version / 100 % 100 * 10);
  switch (version) {  // cupti_version.h
    case 24:
    case 25:
      return 12060;
    case 26:
      return 12080;
    case 27:
    case 28:
      return 12090;
    default:
      return 0;
  }
}

std::string cupti_version_text(std::uint32_t version) {
  const int cuda = cuda_version_of_cupti(version);
  if (cuda == 0) return fmt::format("API {}", version);
  return fmt::format("{}.{}", cuda / 1000, cuda % 1000 / 10);
}

}  // namespace gpuprobe::cupti
