// `gpuprobe devices`: the GPUs that can be predicted, with the limits and rates that the model uses.
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/table.h"
#include "model/devices/devices.h"

namespace gpuprobe::cli {
namespace {

std::string rate(double value, double unit) {
  return value > 0 ? fmt::format("{:.2f}", value / unit) : "-";
}

Result<int> list_devices() {
  Table table(
      {"device", "arch", "SMs", "warps/SM", "blocks/SM", "shared KiB/SM", "DRAM TB/s", "FP32 TFLOP/s"});
  for (const DeviceSpec& device : known_devices())
    table.add({device.name, device.arch, std::to_string(device.sm_count),
               std::to_string(device.max_warps_per_sm), std::to_string(device.max_blocks_per_sm),
               std::to_string(device.shared_per_sm / 1024), rate(device.rates.dram_bytes_per_second, 1e12),
               rate(device.rates.fp32_flops_per_second, 1e12)});
  std::string text = render(table, TableFormat::kText);
  text += "\n--arch predicts for: ";
  std::string archs;
  std::string last;
  for (const DeviceSpec& device : known_devices()) {
    if (device.arch == last) continue;
    last = device.arch;
    archs +=
        fmt::format("{}{} ({})", archs.empty() ? "" : ", ", device.arch, device_for_arch(device.arch)->name);
  }
  text += wrap(archs, 80, 2).substr(2);
  return write_stdout(text).map([] { return 0; });
}

void define(CLI::App& app, Actions& actions) {
  actions[&app] = list_devices;
}

}  // namespace

Command devices_command() {
  return {"devices", "the GPUs that can be predicted", kAskGroup, define};
}

}  // namespace gpuprobe::cli
