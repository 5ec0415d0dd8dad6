// How `gpuprobe app` tells the injected library what to do: environment variables, which every child of the
// program inherits.
//
//   environment_of({"/tmp/gpuprobe-x", {.kernel = "gemm"}})      // in gpuprobe, for the program
//   settings_from_environment()                                  // in the program
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "metrics/cupti/inject/selection.h"

namespace gpuprobe::inject {

struct Settings {
  std::string folder;  ///< of the spool; empty: this process was not started by gpuprobe
  SelectionOptions selection;
};

/// The variables to set, "NAME" and value.
std::vector<std::pair<std::string, std::string>> environment_of(const Settings& settings);
/// What environment_of() of the parent says; values that cannot be read are those of a default Settings.
Settings settings_from_environment();

}  // namespace gpuprobe::inject
