#include "inject/settings.h"

#include <cstdlib>

namespace gpuprobe::inject {
namespace {

constexpr const char* kFolder = "GPUPROBE_SPOOL";
constexpr const char* kKernel = "GPUPROBE_SPOOL_KERNEL";
constexpr const char* kSkip = "GPUPROBE_SPOOL_SKIP";
constexpr const char* kCount = "GPUPROBE_SPOOL_COUNT";
constexpr const char* kNvtx = "GPUPROBE_SPOOL_NVTX";
constexpr const char* kBudget = "GPUPROBE_SPOOL_BUDGET";
constexpr const char* kVerbosity = "GPUPROBE_SPOOL_VERBOSITY";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> environment_of(const Settings& settings) {
  const SelectionOptions& selection = settings.selection;
  return {{kFolder, settings.folder},
          {kKernel, selection.kernel},
          {kSkip, std::to_string(selection.skip)},
          {kCount, std::to_string(selection.count)},
          {kNvtx, selection.nvtx},
          {kBudget, std::to_string(selection.budget_s)},
          {kVerbosity, std::to_string(selection.verbosity)}};
}

Settings settings_from_environment() {
  Settings settings;
  settings.folder = variable(kFolder);
  settings.selection.kernel = variable(kKernel);
  settings.selection.skip = std::strtoull(variable(kSkip).c_str(), nullptr, 10);
  settings.selection.count = std::strtoull(variable(kCount).c_str(), nullptr, 10);
  settings.selection.nvtx = variable(kNvtx);
  settings.selection.budget_s = std::strtod(variable(kBudget).c_str(), nullptr);
  settings.selection.verbosity = static_cast<int>(std::strtol(variable(kVerbosity).c_str(), nullptr, 10));
  return settings;
}

}  // namespace gpuprobe::inject
