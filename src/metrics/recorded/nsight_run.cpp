#include "metrics/recorded/nsight_run.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>

namespace gpuprobe::recorded {
namespace {

/// "(32, 32, 1)"; also "32,32,1" and "32x32x1", as older versions print.
std::optional<Dim3> parse_dim3(std::string_view text) {
  std::vector<std::uint32_t> sizes;
  std::size_t i = 0;
  while (i < text.size()) {
    if (text[i] < '0' || text[i] > '9') {
      ++i;
      continue;
    }
    std::uint32_t size = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), size);
    if (error != std::errc{} || size == 0) return std::nullopt;
    sizes.push_back(size);
    i = static_cast<std::size_t>(end - text.data());
  }
  if (sizes.size() != 3) return std::nullopt;
  return Dim3{sizes[0], sizes[1], sizes[2]};
}

/// A whole number that fits the type, from a reading; 0 otherwise.
template <class T>
T whole(std::optional<double> number) {
  if (!number || *number < 0 || *number > static_cast<double>(std::numeric_limits<T>::max())) return 0;
  return static_cast<T>(std::llround(*number));
}

std::optional<Dim3> dims_of(const std::string& column, const Readings& readings, const std::string& what) {
  if (const auto dims = parse_dim3(column)) return dims;
  Dim3 dims;
  dims.x = whole<std::uint32_t>(readings.number("launch__" + what + "_dim_x"));
  dims.y = whole<std::uint32_t>(readings.number("launch__" + what + "_dim_y"));
  dims.z = whole<std::uint32_t>(readings.number("launch__" + what + "_dim_z"));
  if (dims.count() == 0) return std::nullopt;
  return dims;
}

void set(int& field, std::optional<double> number) {
  if (number) field = whole<int>(number);
}

/// Limits from the device attributes that the raw page has; 0 where it has not.
DeviceSpec device_of(const NsightLaunch& launch, const Readings& readings) {
  DeviceSpec device;
  device.name = readings.text("device__attribute_display_name").value_or("");
  const std::size_t dot = launch.compute_capability.find('.');
  if (dot != std::string::npos) {
    const std::string& text = launch.compute_capability;
    std::from_chars(text.data(), text.data() + dot, device.cc_major);
    std::from_chars(text.data() + dot + 1, text.data() + text.size(), device.cc_minor);
  }
  set(device.cc_major, readings.number("device__attribute_compute_capability_major"));
  set(device.cc_minor, readings.number("device__attribute_compute_capability_minor"));
  if (device.cc_major > 0) device.arch = fmt::format("sm_{}{}", device.cc_major, device.cc_minor);
  set(device.sm_count, readings.number("launch__sm_count"));
  set(device.sm_count, readings.number("device__attribute_multiprocessor_count"));
  set(device.max_threads_per_block, readings.number("device__attribute_max_threads_per_block"));
  set(device.max_warps_per_sm, readings.number("device__attribute_max_warps_per_multiprocessor"));
  set(device.max_blocks_per_sm, readings.number("device__attribute_max_blocks_per_multiprocessor"));
  set(device.registers_per_sm, readings.number("device__attribute_max_registers_per_multiprocessor"));
  set(device.registers_per_block, readings.number("device__attribute_max_registers_per_block"));
  set(device.max_registers_per_thread, readings.number("device__attribute_max_registers_per_thread"));
  set(device.sub_partitions, readings.number("device__attribute_num_schedulers_per_multiprocessor"));
  set(device.shared_per_sm, readings.number("device__attribute_max_shared_memory_per_multiprocessor"));
  set(device.shared_per_block, readings.number("device__attribute_max_shared_memory_per_block"));
  set(device.shared_per_block_optin, readings.number("device__attribute_max_shared_memory_per_block_optin"));
  set(device.shared_reserved_per_block, readings.number("launch__shared_mem_per_block_driver"));
  if (const auto bytes = readings.number("device__attribute_l2_cache_size"))
    device.rates.l2_capacity_bytes = *bytes;
  if (const auto clock = readings.number("gpc__cycles_elapsed.avg.per_second"))
    device.rates.sm_clock_hz = *clock;
  device.rates.source = "Nsight Compute";
  return device;
}

FunctionResources resources_of(const NsightLaunch& launch, const Readings& readings) {
  FunctionResources resources;
  resources.name_expression = launch.kernel;
  resources.registers = whole<int>(readings.number("launch__registers_per_thread"));
  resources.shared_static = whole<std::uint32_t>(readings.number("launch__shared_mem_per_block_static"));
  resources.barriers = whole<int>(readings.number("launch__barrier_count"));
  return resources;
}

}  // namespace

tl::expected<Run, std::string> run_of(const NsightLaunch& launch, NumberStyle style) {
  const Readings readings(launch, style);
  const auto grid = dims_of(launch.grid, readings, "grid");
  if (!grid) return tl::unexpected(fmt::format("its grid size \"{}\" is not three sizes", launch.grid));
  const auto block = dims_of(launch.block, readings, "block");
  if (!block) return tl::unexpected(fmt::format("its block size \"{}\" is not three sizes", launch.block));

  Run run;
  run.kernel = launch.kernel;
  run.source = Origin::kRecorded;
  run.recorded_from = "nsight-compute";
  run.device = device_of(launch, readings);
  run.environment.device = run.device.name;
  run.environment.arch = run.device.arch;
  Step step;
  step.entry = launch.kernel;
  step.launch.grid = *grid;
  step.launch.block = *block;
  step.launch.dynamic_shared = whole<std::uint32_t>(readings.number("launch__shared_mem_per_block_dynamic"));
  Dim3 cluster{whole<std::uint32_t>(readings.number("launch__cluster_dim_x")),
               whole<std::uint32_t>(readings.number("launch__cluster_dim_y")),
               whole<std::uint32_t>(readings.number("launch__cluster_dim_z"))};
  if (cluster.count() > 0) step.launch.cluster = cluster;
  run.steps = {std::move(step)};
  if (readings.number("launch__registers_per_thread")) run.resources = {resources_of(launch, readings)};
  run.check.text = "a recording has no results";
  run.notes.push_back(fmt::format("launch {} of process {}", launch.id, launch.process));
  for (const char* metric : {"launch__shared_mem_per_block_static", "launch__shared_mem_per_block_dynamic"})
    if (readings.is_rounded(metric)) {
      run.notes.push_back("shared-memory sizes are rounded as printed; --print-units base gives exact ones");
      break;
    }
  add_nsight_metrics(run, readings);
  return run;
}

}  // namespace gpuprobe::recorded
