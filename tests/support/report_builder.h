// Small reports made by hand for the tests of rules' consumers: writers and readers.
//
//   Report report = sample_report();               // the unpadded transpose: conflict 32-way at line 21
//   report.runs[0].run.counters.set_missing("time.duration", "needs a GPU");
#pragma once

#include <string>

#include "core/report.h"

namespace gpuprobe::test {

inline Environment sample_environment() {
  return {"0.1.0", "NVIDIA H200", "sm_90", "580.0", "13.0", "13.0.85", "NVRTC 13.0", "2026-11-29T12:00:00Z"};
}

inline DeviceSpec sample_device() {
  DeviceSpec device;
  device.name = "NVIDIA H200";
  device.arch = "sm_90";
  device.chip = "gh100";
  device.cc_major = 9;
  device.sm_count = 132;
  device.max_warps_per_sm = 64;
  device.max_blocks_per_sm = 32;
  device.max_barriers_per_sm = 32;
  device.shared_per_sm = 233472;
  device.shared_per_block_optin = 232448;
  device.shared_reserved_per_block = 1024;
  device.carveouts_kib = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
  device.rates.dram_bytes_per_second = 4.8e12;
  return device;
}

/// Lane i at byte offset stride x i.
inline LanePattern strided(std::uint64_t stride, std::uint32_t width = 4,
                           std::uint32_t active = 0xffffffffu) {
  LanePattern pattern;
  for (std::size_t lane = 0; lane < 32; ++lane) pattern.address[lane] = lane * stride;
  pattern.active = active;
  pattern.width = width;
  return pattern;
}

inline Site shared_site(double requests, double actual, double ideal) {
  Site site;
  site.file = "transpose/kernel.cu";
  site.line = 21;
  site.function = "transpose_tile";
  site.instruction = "ld.shared.f32";
  site.access = AccessKind::kSharedLoad;
  site.requests = requests;
  site.actual = actual;
  site.ideal = ideal;
  site.worst = strided(128);
  return site;
}

inline OccupancyTable sample_occupancy() {
  OccupancyTable table;
  table.threads_per_block = 1024;
  table.warps_per_block = 32;
  table.registers_per_thread = 10;
  table.shared_per_block = 5120;
  table.limits = {
      {Resource::kWarps, 2}, {Resource::kBlocks, 32}, {Resource::kRegisters, 4}, {Resource::kShared, 45}};
  table.blocks_per_sm = 2;
  table.limiters = {Resource::kWarps};
  table.theoretical_percent = 100;
  table.waves = 62.06;
  table.carveout_kib = 228;
  table.at_carveouts = {{0, 0}, {8, 1}, {16, 3}};
  return table;
}

inline void set(Counters& counters, const std::string& name, double value, Unit unit, Origin origin) {
  counters.set(name, {value, unit, origin, {}});
}

/// transpose 4096 x 4096 with an unpadded tile, as measured.
inline Run sample_run() {
  Run run;
  run.kernel = "transpose";
  run.options = {{"tile", "32"}, {"type", "f32"}};
  run.steps = {{"transpose_tile", {{128, 128, 1}, {32, 32, 1}, 0, {1, 1, 1}}, {}}};
  run.source = Origin::kMeasured;
  run.device = sample_device();
  run.environment = sample_environment();
  run.resources = {{"transpose_tile", "_Z14transpose_tilePfS_", 10, 4096, 0, 1, 1024, {8, 8, 4}}};
  const auto origin = Origin::kMeasured;
  set(run.counters, "global.load.requests", 524288, Unit::kRequest, origin);
  set(run.counters, "global.load.sectors", 2097152, Unit::kSector, origin);
  set(run.counters, "global.load.ideal_sectors", 2097152, Unit::kSector, origin);
  set(run.counters, "shared.load.requests", 524288, Unit::kRequest, origin);
  set(run.counters, "shared.load.wavefronts", 16777216, Unit::kWavefront, origin);
  set(run.counters, "shared.load.ideal_wavefronts", 524288, Unit::kWavefront, origin);
  set(run.counters, "occupancy.achieved", 95.25, Unit::kPercent, origin);
  set(run.counters, "dram.utilization", 35.5, Unit::kPercent, origin);
  run.counters.set("time.duration", {79.9e-6, Unit::kSecond, origin, {"gpu__time_duration.sum"}});
  run.counters.set_missing("l2.utilization", "this chip has no such counter");
  run.sites = {shared_site(524288, 16777216, 524288)};
  run.occupancy = {sample_occupancy()};
  run.check = {CheckOutcome::State::kPassed, "4096 of 16777216 elements compared, all equal", 4096, 0, 0.0};
  run.timing = Timing{79.9e-6, 78.1e-6, 83.0e-6, 15};
  run.useful_bytes = 134217728;
  run.notes = {"registers read back: 10"};
  run.cures = {{"bank-conflict-load", "--pad", "pad each tile row by one element"}};
  return run;
}

inline Finding sample_finding(Severity severity = Severity::kLimiting) {
  Finding finding;
  finding.kind = FindingKind::kBankConflictLoad;
  finding.severity = severity;
  finding.text = "32 lanes of a warp read the same bank.";
  finding.sites = {shared_site(524288, 16777216, 524288)};
  finding.evidence = {
      {"shared.load.wavefronts_per_request", 32.0, Unit::kWavefrontsPerRequest, "1.00 would do"}};
  finding.gain = Gain{1.5, 2.0, "the data stage would be free"};
  finding.cure = "Pad each row of the tile by one element (--pad).";
  finding.price = "128 B more shared memory a block; 2 blocks an SM as before.";
  return finding;
}

inline Report sample_report() {
  Report report;
  report.environment = sample_environment();
  DiagnosedRun diagnosed;
  diagnosed.run = sample_run();
  diagnosed.diagnosis.verdict = {"bank-conflict-load",
                                 "Shared loads conflict 32-way at transpose/kernel.cu:21."};
  diagnosed.diagnosis.findings = {sample_finding()};
  report.runs.push_back(std::move(diagnosed));
  return report;
}

}  // namespace gpuprobe::test
