// Where measured unit costs are kept: a file of this user, or the table that ships with the device's file.
//
//   if (auto costs = calibration_for("NVIDIA H200")) costs->source     // where and when it was measured
#pragma once

#include <optional>
#include <string>

#include "core/calibration.h"
#include "core/result.h"

namespace gpuprobe::cli {

/// ${XDG_DATA_HOME:-~/.local/share}/gpuprobe/calibration/<device>.json; "" if neither variable is set.
std::string calibration_path(const std::string& device_name);

/// The unit costs of the device: measured by this user, else shipped, else nullopt. A file that cannot be
/// read is said once on stderr and counts as none.
std::optional<Calibration> calibration_for(const std::string& device_name);

/// Keeps `calibration`; the file appears whole or not at all. Returns its path. Errors: kMachine.
Result<std::string> store_calibration(const std::string& device_name, const Calibration& calibration);

}  // namespace gpuprobe::cli
