#include "metrics/cupti/cupti_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "metrics/cupti/shared_library.h"

namespace gpuprobe::cupti {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGetCupti =
    "Install the CUDA toolkit 12.6 or newer with its CUPTI component "
    "(https://developer.nvidia.com/cuda-downloads), "
    "or set GPUPROBE_CUPTI to the folder that holds libcupti.so. Predictions need none of it: --source "
    "model.";

struct Loaded {
  CuptiApi api;
  std::string path;
};

void add_folder(std::vector<std::string>& candidates, const fs::path& folder) {
  std::error_code ignored;
  if (folder.empty() || !fs::is_directory(folder, ignored)) return;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind("libcupti.so", 0) == 0) names.push_back(entry.path().string());
  }
  std::sort(names.begin(), names.end());
  candidates.insert(candidates.end(), names.begin(), names.end());
}

void add_toolkit(std::vector<std::string>& candidates, const fs::path& root) {
  if (root.empty()) return;
  add_folder(candidates, root / "extras/CUPTI/lib64");
  add_folder(candidates, root / "lib64");
  add_folder(candidates, root / "targets/x86_64-linux/lib");
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// The folders of site-packages of the active Python environment, where the pip wheels of CUPTI lie.
void add_python_environment(std::vector<std::string>& candidates) {
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const fs::path root = environment(variable);
    if (root.empty()) continue;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(root / "lib", ignored)) {
      const fs::path nvidia = entry.path() / "site-packages/nvidia";
      add_folder(candidates, nvidia / "cu13/lib");
      add_folder(candidates, nvidia / "cuda_cupti/lib");
    }
    add_folder(candidates, root / "lib");
  }
}

/// libcupti opens libnvperf_host.so by its bare name, which the loader finds only if it is loaded already.
void preload_neighbours(const std::string& cupti) {
  const fs::path folder = fs::path(cupti).parent_path();
  if (folder.empty()) return;
  for (const char* name : {"libnvperf_host.so", "libnvperf_target.so"}) {
    auto library = SharedLibrary::open({(folder / name).string()});
    if (library) library->keep_loaded();
  }
}

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
  preload_neighbours(loaded.path);
  library->keep_loaded();
  return loaded;
}

const Result<Loaded>& loaded_once() {
  static const Result<Loaded> kLoaded = load();
  return kLoaded;
}

}  // namespace

std::vector<std::string> cupti_candidates() {
  std::vector<std::string> candidates;
  if (const std::string chosen = environment("GPUPROBE_CUPTI"); !chosen.empty()) {
    std::error_code ignored;
    if (fs::is_directory(chosen, ignored))
      add_folder(candidates, chosen);
    else
      candidates.push_back(chosen);
    return candidates;  // an explicit choice that fails must not be replaced silently by another library
  }
  add_folder(candidates, GPUPROBE_TOOLKIT_LIBRARY_DIR);
  add_toolkit(candidates, GPUPROBE_TOOLKIT_DIR);
  add_toolkit(candidates, environment("CUDA_HOME"));
  add_toolkit(candidates, environment("CUDA_PATH"));
  std::error_code ignored;
  std::vector<fs::path> toolkits;
  for (const auto& entry : fs::directory_iterator("/usr/local", ignored))
    if (entry.path().filename().string().rfind("cuda", 0) == 0) toolkits.push_back(entry.path());
  std::sort(toolkits.begin(), toolkits.end());  // "cuda", the default one, before "cuda-12.6"
  for (const fs::path& toolkit : toolkits) add_toolkit(candidates, toolkit);
  candidates.insert(candidates.end(), {"libcupti.so", "libcupti.so.13", "libcupti.so.12"});
  add_python_environment(candidates);
  return candidates;
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
