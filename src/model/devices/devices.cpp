#include "model/devices/devices.h"

#include <algorithm>
#include <tuple>

namespace gpuprobe {

/// Written by CMake from the files of this folder.
const std::vector<DeviceSpec>& listed_devices();

const std::vector<DeviceSpec>& known_devices() {
  static const std::vector<DeviceSpec> kSorted = [] {
    std::vector<DeviceSpec> devices = listed_devices();
    std::sort(devices.begin(), devices.end(), [](const DeviceSpec& a, const DeviceSpec& b) {
      return std::tie(a.cc_major, a.cc_minor, a.name) < std::tie(b.cc_major, b.cc_minor, b.name);
    });
    return devices;
  }();
  return kSorted;
}

const DeviceSpec* device_for_arch(std::string_view arch) {
  for (const DeviceSpec& device : known_devices())
    if (device.arch == arch && device.representative) return &device;
  return nullptr;
}

const DeviceSpec* device_by_name(std::string_view name) {
  for (const DeviceSpec& device : known_devices())
    if (device.name == name) return &device;
  return nullptr;
}

}  // namespace gpuprobe
