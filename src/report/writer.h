// Writers render a Report; they decide nothing. To add a format: one file under writers/ that defines
// `Writer <name>_writer()`; CMake writes the registry.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/report.h"

namespace gpuprobe::report {

struct WriteOptions {
  bool color = false;
  int width = 80;     ///< columns of text output
  int verbosity = 0;  ///< -v adds every metric and site; -q only the verdict line (-1)
};

struct Writer {
  std::string name;  ///< "text", "json"
  std::string help;  ///< one line
  std::string (*write)(const Report& report, const WriteOptions& options) = nullptr;
};

/// All formats, sorted by name.
const std::vector<Writer>& writers();
/// A calibration as it is kept on disk (JSON); recorded::read_calibration_file() reads it back.
std::string calibration_file(std::string_view device_name, const Calibration& calibration);
/// nullptr for an unknown name.
const Writer* find_writer(std::string_view name);

}  // namespace gpuprobe::report
