#include "compile/toolkit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace gpuprobe::compile {
namespace {

namespace fs = std::filesystem;

constexpr const char* kChoice = "GPUPROBE_NVRTC";

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

/// Version numbers of "cuda-13.0", so that 13.10 is newer than 13.9.
std::vector<int> version_of(const fs::path& folder) {
  std::vector<int> numbers;
  int number = -1;
  for (const char c : folder.filename().string() + " ") {
    if (c >= '0' && c <= '9' && number < 10000)
      number = std::max(number, 0) * 10 + (c - '0');
    else if (number >= 0)
      numbers.push_back(std::exchange(number, -1));
  }
  return numbers;
}

std::vector<fs::path> versioned_toolkits() {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator it("/usr/local", error), end; !error && it != end; it.increment(error))
    if (it->path().filename().string().starts_with("cuda-")) found.push_back(it->path());
  std::sort(found.begin(), found.end(),
            [](const fs::path& a, const fs::path& b) { return version_of(a) > version_of(b); });
  return found;
}

/// Toolkit roots, best first. The one of build time comes before them, with its own library folder.
std::vector<fs::path> roots() {
  std::vector<fs::path> result;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (const std::string value = environment(name); !value.empty()) result.emplace_back(value);
  result.emplace_back("/usr/local/cuda");
  for (fs::path& path : versioned_toolkits()) result.push_back(std::move(path));
  return result;
}

std::optional<fs::path> library_in(const fs::path& folder) {
  for (const std::string& name : nvrtc_names())
    if (is_there(folder / name)) return folder / name;
  return std::nullopt;
}

std::vector<std::string> with_cccl(const fs::path& include) {
  std::vector<std::string> result{include.string()};
  if (is_there(include / "cccl"))
    result.push_back((include / "cccl").string());  // CUDA 13 moved cub and cuda/std there
  return result;
}

}  // namespace

const std::vector<std::string>& nvrtc_names() {
  static const std::vector<std::string> kNames{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  return kNames;
}

bool nvrtc_is_chosen_by_user() {
  return !environment(kChoice).empty();
}

ToolkitSearch find_nvrtc() {
  ToolkitSearch search;
  if (const fs::path chosen = environment(kChoice); !chosen.empty()) {
    search.tried.push_back(fmt::format("{} (from {})", chosen.string(), kChoice));
    std::error_code error;
    if (fs::is_directory(chosen, error))
      search.library = library_in(chosen);
    else if (is_there(chosen))
      search.library = chosen;
    return search;
  }
  std::vector<fs::path> folders{GPUPROBE_TOOLKIT_LIBRARY_DIR};
  for (const fs::path& root : roots())
    for (const char* lib : {"lib64", "lib"}) folders.push_back(root / lib);
  for (const fs::path& folder : folders) {
    search.tried.push_back(folder.string());
    if ((search.library = library_in(folder))) return search;
  }
  return search;
}

std::vector<std::string> include_directories(const fs::path& library) {
  std::vector<fs::path> candidates;
  std::error_code error;
  for (const fs::path& path : {library, fs::canonical(library, error)})
    if (path.has_parent_path()) candidates.push_back(path.parent_path().parent_path() / "include");
  candidates.emplace_back(GPUPROBE_TOOLKIT_INCLUDE_DIR);
  for (const fs::path& root : roots()) candidates.push_back(root / "include");
  for (const fs::path& include : candidates)
    if (is_there(include / "cuda_fp16.h")) return with_cccl(include);
  return {};
}

std::string library_identity(const fs::path& library) {
  std::error_code error;
  const fs::path real = fs::canonical(library, error);
  const auto size = fs::file_size(real, error);
  const auto time = fs::last_write_time(real, error).time_since_epoch().count();
  return fmt::format("{}:{}:{}", real.string(), size, time);
}

}  // namespace gpuprobe::compile
