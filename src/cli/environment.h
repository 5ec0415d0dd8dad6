// The environment variables that gpuprobe reads, anywhere in its sources; the manual page says what each
// does.
//
//   for (const auto& [name, value] : environment_settings()) ...   // "GPUPROBE_CUPTI", "/opt/cupti"
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace gpuprobe::cli {

/// Those that are set and not empty. A test compares the names with the sources.
std::vector<std::pair<std::string, std::string>> environment_settings();

}  // namespace gpuprobe::cli
