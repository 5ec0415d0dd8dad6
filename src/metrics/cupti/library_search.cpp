#include "metrics/cupti/library_search.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "metrics/cupti/shared_library.h"

namespace gpuprobe::cupti {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

class Search {
 public:
  explicit Search(const LibraryPlaces& places) : places_(places) {}

  void add_folder(const fs::path& folder) {
    std::error_code ignored;
    if (folder.empty() || !fs::is_directory(folder, ignored)) return;
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      const std::string name = entry.path().filename().string();
      if (name.rfind(places_.file, 0) == 0) names.push_back(entry.path().string());
    }
    std::sort(names.begin(), names.end());
    candidates_.insert(candidates_.end(), names.begin(), names.end());
  }

  void add_toolkit(const fs::path& root) {
    if (root.empty()) return;
    for (const std::string& folder : places_.subfolders) add_folder(root / folder);
    add_folder(root / "lib64");
    add_folder(root / "targets/x86_64-linux/lib");
  }

  /// The toolkits below /usr/local: "cuda", the default one, before "cuda-12.6".
  void add_installed_toolkits() {
    std::error_code ignored;
    std::vector<fs::path> toolkits;
    for (const auto& entry : fs::directory_iterator("/usr/local", ignored))
      if (entry.path().filename().string().rfind("cuda", 0) == 0) toolkits.push_back(entry.path());
    std::sort(toolkits.begin(), toolkits.end());
    for (const fs::path& toolkit : toolkits) add_toolkit(toolkit);
  }

  /// The site-packages of the active Python environment, where the pip wheels of the toolkit lie.
  void add_python_environment() {
    for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
      const fs::path root = environment(variable);
      if (root.empty()) continue;
      std::error_code ignored;
      for (const auto& entry : fs::directory_iterator(root / "lib", ignored))
        for (const std::string& wheel : places_.wheels)
          add_folder(entry.path() / "site-packages/nvidia" / wheel);
      add_folder(root / "lib");
    }
  }

  void add_names() {
    candidates_.insert(candidates_.end(), places_.loader_names.begin(), places_.loader_names.end());
  }

  std::vector<std::string> take() { return std::move(candidates_); }

 private:
  const LibraryPlaces& places_;
  std::vector<std::string> candidates_;
};

}  // namespace

std::vector<std::string> library_candidates(const LibraryPlaces& places) {
  Search search(places);
  if (const std::string chosen = environment(places.variable); !chosen.empty()) {
    std::error_code ignored;
    if (!fs::is_directory(chosen, ignored)) return {chosen};
    search.add_folder(chosen);
    return search.take();  // an explicit choice that fails must not be replaced silently by another library
  }
  search.add_folder(GPUPROBE_TOOLKIT_LIBRARY_DIR);
  search.add_toolkit(GPUPROBE_TOOLKIT_DIR);
  search.add_toolkit(environment("CUDA_HOME"));
  search.add_toolkit(environment("CUDA_PATH"));
  search.add_installed_toolkits();
  search.add_names();
  search.add_python_environment();
  return search.take();
}

void preload_neighbours(const std::string& library, const std::vector<std::string>& names) {
  const fs::path folder = fs::path(library).parent_path();
  if (folder.empty()) return;
  for (const std::string& name : names) {
    auto neighbour = SharedLibrary::open({(folder / name).string()});
    if (neighbour) neighbour->keep_loaded();
  }
}

}  // namespace gpuprobe::cupti
