#include "cli/calibration_store.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>

#include "cli/log.h"
#include "cli/output.h"
#include "cli/session.h"
#include "metrics/recorded/gpuprobe_json.h"
#include "model/devices/devices.h"
#include "report/writer.h"

namespace gpuprobe::cli {
namespace {

namespace fs = std::filesystem;

/// "NVIDIA H200" -> "nvidia-h200": a name from the driver must not leave the directory.
std::string file_name(const std::string& device_name) {
  std::string name;
  for (const char c : device_name)
    name += std::isalnum(static_cast<unsigned char>(c))
                ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
                : '-';
  return name + ".json";
}

std::optional<Calibration> find(const std::string& device_name) {
  const std::string path = calibration_path(device_name);
  std::error_code error;
  if (!path.empty() && fs::exists(path, error)) {
    const auto text = read_text_file(path);
    auto costs =
        text ? recorded::read_calibration_file(*text, path, device_name) : tl::unexpected(text.error());
    if (costs) return std::move(*costs);
    warn(costs.error().what + " " + costs.error().hint);
  }
  const DeviceSpec* known = device_by_name(device_name);
  return known ? known->calibration : std::nullopt;
}

}  // namespace

std::string calibration_path(const std::string& device_name) {
  const char* data = std::getenv("XDG_DATA_HOME");
  const char* home = std::getenv("HOME");
  fs::path directory;
  // The XDG base directory specification: a relative path is to be ignored.
  if (data && fs::path(data).is_absolute())
    directory = data;
  else if (home && *home)
    directory = fs::path(home) / ".local" / "share";
  else
    return "";
  return (directory / "gpuprobe" / "calibration" / file_name(device_name)).string();
}

std::optional<Calibration> calibration_for(const std::string& device_name) {
  if (device_name.empty()) return std::nullopt;
  static std::mutex guard;
  static std::map<std::string, std::optional<Calibration>> known;
  const std::lock_guard lock(guard);
  // Keyed by the file, so that another data directory is another answer.
  const std::string key = device_name + '\n' + calibration_path(device_name);
  auto found = known.find(key);
  if (found == known.end()) found = known.emplace(key, find(device_name)).first;
  return found->second;
}

Result<std::string> store_calibration(const std::string& device_name, const Calibration& calibration) {
  const std::string path = calibration_path(device_name);
  if (path.empty())
    return fail(ErrorCode::kMachine,
                "there is no place for the calibration: neither XDG_DATA_HOME nor HOME is set",
                "set XDG_DATA_HOME to a directory of yours");
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  if (error)
    return fail(ErrorCode::kMachine, "cannot create the directory of " + path + ": " + error.message(),
                "check its permissions, or set XDG_DATA_HOME to a directory of yours");
  auto output = Output::open(path);
  if (!output) return tl::unexpected(Error{ErrorCode::kMachine, output.error().what, output.error().hint});
  if (Status written = (*output)->write(report::calibration_file(device_name, calibration)); !written)
    return tl::unexpected(written.error());
  return path;
}

}  // namespace gpuprobe::cli
