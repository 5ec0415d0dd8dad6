#include "metrics/recorded/run_json.h"

namespace gpuprobe::recorded {
namespace {

DeviceRates read_rates(const Cursor& json) {
  DeviceRates rates;
  rates.sm_clock_hz = json.at("sm_clock_hz").number();
  rates.dram_bytes_per_second = json.at("dram_bytes_per_second").number();
  rates.l2_bytes_per_second = json.at("l2_bytes_per_second").number();
  rates.fp32_flops_per_second = json.at("fp32_flops_per_second").number();
  rates.lsu_wavefronts_per_cycle = json.at("lsu_wavefronts_per_cycle").number();
  rates.l1_tag_requests_per_cycle = json.at("l1_tag_requests_per_cycle").number();
  rates.l1_sectors_per_cycle = json.at("l1_sectors_per_cycle").number();
  rates.issue_slots_per_cycle = json.at("issue_slots_per_cycle").number();
  rates.l2_capacity_bytes = json.at("l2_capacity_bytes").number();
  rates.dram_latency_cycles = json.at("dram_latency_cycles").number();
  rates.source = json.at("source").text();
  return rates;
}

CostRange read_range(const Cursor& json) {
  return {json.at("low").number(), json.at("high").number()};
}

}  // namespace

Calibration read_calibration(const Cursor& json) {
  Calibration calibration;
  calibration.wavefront = read_range(json.at("wavefront"));
  calibration.line = read_range(json.at("line"));
  calibration.warp = read_range(json.at("warp"));
  calibration.latency = read_range(json.at("latency"));
  if (const auto waits = json.find("waits")) calibration.waits = read_range(*waits);
  calibration.source = json.at("source").text();
  return calibration;
}

DeviceSpec read_device(const Cursor& json) {
  DeviceSpec device;
  device.name = json.at("name").text();
  device.arch = json.at("arch").text();
  device.chip = json.at("chip").text();
  std::vector<int> capability;
  json.at("compute_capability").each([&](const Cursor& item) { capability.push_back(item.integer()); });
  if (capability.size() == 2) {
    device.cc_major = capability[0];
    device.cc_minor = capability[1];
  } else {
    json.at("compute_capability").reject("expected two whole numbers");
  }
  device.sm_count = json.at("sm_count").integer();
  device.max_threads_per_block = json.at("max_threads_per_block").integer();
  device.max_warps_per_sm = json.at("max_warps_per_sm").integer();
  device.max_blocks_per_sm = json.at("max_blocks_per_sm").integer();
  device.max_barriers_per_sm = json.at("max_barriers_per_sm").integer();
  device.registers_per_sm = json.at("registers_per_sm").integer();
  device.registers_per_block = json.at("registers_per_block").integer();
  device.register_unit_per_warp = json.at("register_unit_per_warp").integer();
  device.sub_partitions = json.at("sub_partitions").integer();
  device.max_registers_per_thread = json.at("max_registers_per_thread").integer();
  device.shared_per_sm = json.at("shared_per_sm").integer();
  device.shared_per_block = json.at("shared_per_block").integer();
  device.shared_per_block_optin = json.at("shared_per_block_optin").integer();
  device.shared_reserved_per_block = json.at("shared_reserved_per_block").integer();
  device.shared_unit = json.at("shared_unit").integer();
  json.at("carveouts_kib").each([&](const Cursor& item) { device.carveouts_kib.push_back(item.integer()); });
  device.representative = json.at("representative").boolean();
  device.rates = read_rates(json.at("rates"));
  if (const auto calibration = json.find("calibration")) device.calibration = read_calibration(*calibration);
  return device;
}

}  // namespace gpuprobe::recorded
