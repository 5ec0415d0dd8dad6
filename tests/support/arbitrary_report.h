// Random reports for property tests: every field of a Run filled, with the numbers and texts that break
// writers.
//
//   rc::check([] { const Run run = test::a_run(); ... });
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "core/report.h"

namespace gpuprobe::test {

/// Finite doubles: whole, fractional, tiny, huge, signed zeros.
inline rc::Gen<double> any_number() {
  return rc::gen::oneOf(
      rc::gen::cast<double>(rc::gen::arbitrary<int>()),
      rc::gen::map(rc::gen::arbitrary<std::int64_t>(), [](std::int64_t x) { return double(x); }),
      rc::gen::map(rc::gen::pair(rc::gen::arbitrary<std::int32_t>(), rc::gen::inRange(-300, 300)),
                   [](const auto& p) { return std::ldexp(1.0 + p.first / 3.0, p.second); }),
      rc::gen::element(0.0, -0.0, 5e-324, std::numeric_limits<double>::max(), 9.3e18, 1.8e19, 0.1));
}

/// Texts with quotes, backslashes, control characters and UTF-8.
inline rc::Gen<std::string> any_text() {
  return rc::gen::map(
      rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
          "a", "Z", "7", " ", "\"", "\\", "/", "\n", "\t", "\x01", std::string(1, '\0'), "\x7f", "\xC3\xA4",
          "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "<", "&", "|", ",", "%", ":", "-->", "]]>")),
      [](const std::vector<std::string>& pieces) {
        std::string text;
        for (const std::string& piece : pieces) text += piece;
        return text;
      });
}

template <class T>
T any() {
  return *rc::gen::arbitrary<T>();
}

inline std::uint32_t any_u32() {
  return any<std::uint32_t>();
}
inline int any_int() {
  return any<int>();
}
inline std::string a_text() {
  return *any_text();
}
inline double a_number() {
  return *any_number();
}

/// Up to `most` items made by `make`.
template <class Make>
auto some(int most, Make make) {
  std::vector<decltype(make())> items;
  const int count = *rc::gen::inRange(0, most + 1);
  for (int i = 0; i < count; ++i) items.push_back(make());
  return items;
}

template <class T>
T one_of(const std::vector<T>& items) {
  return *rc::gen::elementOf(items);
}

inline Unit a_unit() {
  return static_cast<Unit>(*rc::gen::inRange(0, static_cast<int>(Unit::kFlopsPerSecond) + 1));
}
inline Dim3 a_dim3() {
  return {any_u32(), any_u32(), any_u32()};
}

inline LanePattern a_pattern() {
  LanePattern pattern;
  for (auto& address : pattern.address) address = any<std::uint64_t>();
  pattern.active = any_u32();
  pattern.width = any_u32();
  return pattern;
}

inline Site a_site() {
  Site site;
  site.file = a_text();
  site.line = any_int();
  site.function = a_text();
  site.instruction = a_text();
  site.access = static_cast<AccessKind>(*rc::gen::inRange(0, static_cast<int>(AccessKind::kLocalStore) + 1));
  site.width = any_u32();
  site.requests = a_number();
  site.actual = a_number();
  site.ideal = a_number();
  site.lines = a_number();
  site.active_lanes = a_number();
  site.misaligned_excess = a_number();
  site.same_address_lanes = a_number();
  site.depends_on_merging = any<bool>();
  if (any<bool>()) site.worst = a_pattern();
  return site;
}

inline Environment an_environment() {
  return {a_text(), a_text(), a_text(), a_text(), a_text(), a_text(), a_text(), a_text()};
}

inline DeviceSpec a_device() {
  DeviceSpec device;
  device.name = a_text();
  device.arch = a_text();
  device.chip = a_text();
  for (int* field : {&device.cc_major, &device.cc_minor, &device.sm_count, &device.max_threads_per_block,
                     &device.max_warps_per_sm, &device.max_blocks_per_sm, &device.max_barriers_per_sm,
                     &device.registers_per_sm, &device.registers_per_block, &device.register_unit_per_warp,
                     &device.sub_partitions, &device.max_registers_per_thread, &device.shared_per_sm,
                     &device.shared_per_block, &device.shared_per_block_optin,
                     &device.shared_reserved_per_block, &device.shared_unit})
    *field = any_int();
  device.carveouts_kib = some(4, any_int);
  device.representative = any<bool>();
  DeviceRates& rates = device.rates;
  for (double* field : {&rates.sm_clock_hz, &rates.dram_bytes_per_second, &rates.l2_bytes_per_second,
                        &rates.fp32_flops_per_second, &rates.lsu_wavefronts_per_cycle,
                        &rates.l1_tag_requests_per_cycle, &rates.l1_sectors_per_cycle,
                        &rates.issue_slots_per_cycle, &rates.l2_capacity_bytes, &rates.dram_latency_cycles})
    *field = a_number();
  rates.source = a_text();
  if (any<bool>()) {
    Calibration& calibration = device.calibration.emplace();
    for (CostRange* range :
         {&calibration.wavefront, &calibration.line, &calibration.warp, &calibration.latency})
      *range = {double(any_int()), double(any_int())};
    calibration.source = a_text();
  }
  return device;
}

inline OccupancyTable an_occupancy_table() {
  OccupancyTable table;
  table.entry = a_text();
  table.threads_per_block = any_int();
  table.warps_per_block = any_int();
  table.registers_per_thread = any_int();
  table.shared_per_block = any_u32();
  for (int i = 0; i < 5; ++i)
    if (any<bool>())
      table.limits.push_back({static_cast<Resource>(i), any<bool>() ? kUnlimitedBlocks : any_int()});
  table.blocks_per_sm = any_int();
  table.limiters = some(3, [] { return static_cast<Resource>(*rc::gen::inRange(0, 5)); });
  table.theoretical_percent = a_number();
  table.waves = a_number();
  table.carveout_kib = any_int();
  table.at_carveouts = some(3, [] { return OccupancyTable::AtCarveout{any_int(), any_int()}; });
  return table;
}

inline Counters some_counters() {
  Counters counters;
  for (const std::string& name : some(6, a_text)) {
    if (any<bool>())
      counters.set_missing(name, a_text());
    else if (any<bool>())
      counters.set(name, {a_text(), a_unit(), Origin::kRecorded, some(3, a_text)});
    else
      counters.set(name, {a_number(), a_unit(), Origin::kRecorded, some(3, a_text)});
  }
  return counters;
}

/// A recorded run, so that reading it back must give an equal one.
inline Run a_run() {
  Run run;
  run.kernel = a_text();
  std::set<std::string> names;  // options are the members of an object: each name once
  for (const std::string& name : some(3, a_text))
    if (names.insert(name).second) run.options.emplace_back(name, a_text());
  run.steps = some(3, [] {
    return Step{a_text(),
                {a_dim3(), a_dim3(), any_u32(), a_dim3()},
                {},
                any_u32() % 2 ? Step::Kind::kKernel : Step::Kind::kLibrary};
  });
  run.source = Origin::kRecorded;
  run.recorded_from = one_of<std::string>({"measured", "predicted", "nsight-compute"});
  run.device = a_device();
  run.environment = an_environment();
  run.resources = some(2, [] {
    return FunctionResources{a_text(),  a_text(),  any_int(), any_u32(),
                             any_u32(), any_int(), any_int(), some(3, any_u32)};
  });
  run.counters = some_counters();
  run.sites = some(3, a_site);
  run.occupancy = some(2, an_occupancy_table);
  run.check.state = static_cast<CheckOutcome::State>(*rc::gen::inRange(0, 3));
  run.check.text = a_text();
  run.check.compared = any<std::uint64_t>();
  run.check.wrong = any<std::uint64_t>();
  run.check.worst_error = a_number();
  run.hazards = some(2, [] {
    Hazard hazard;
    hazard.kind = static_cast<HazardKind>(*rc::gen::inRange(0, 7));
    hazard.text = a_text();
    hazard.locations = some(2, [] { return Location{a_text(), any_int()}; });
    hazard.count = any<std::uint64_t>();
    return hazard;
  });
  if (any<bool>()) run.sampling = Sampling{any<std::uint64_t>(), any<std::uint64_t>(), any<bool>()};
  if (any<bool>()) run.timing = Timing{a_number(), a_number(), a_number(), any_int()};
  run.cures = some(2, [] { return KernelCure{a_text(), a_text(), a_text()}; });
  run.notes = some(2, a_text);
  run.useful_bytes = a_number();
  run.useful_flops = a_number();
  return run;
}

inline Finding a_finding() {
  Finding finding;
  finding.kind = one_of(all_finding_kinds());
  finding.severity = static_cast<Severity>(*rc::gen::inRange(0, 3));
  finding.text = a_text();
  finding.sites = some(2, a_site);
  finding.evidence = some(2, [] { return Evidence{a_text(), a_number(), a_unit(), a_text()}; });
  if (any<bool>()) finding.gain = Gain{a_number(), a_number(), a_text()};
  finding.cure = a_text();
  finding.price = a_text();
  return finding;
}

inline Proof a_proof() {
  Proof proof;
  proof.finding = a_text();
  proof.change = a_text();
  proof.text = a_text();
  if (any<bool>()) proof.expected = Gain{a_number(), a_number(), a_text()};
  if (any<bool>()) proof.gain = a_number();
  proof.missing = a_text();
  proof.metrics = some(2, [] {
    MetricChange change{a_text(), a_unit(), std::nullopt, std::nullopt};
    if (any<bool>()) change.before = a_number();
    if (any<bool>()) change.after = a_number();
    return change;
  });
  proof.after = a_text();
  proof.gone = any<bool>();
  return proof;
}

inline Report a_report() {
  Report report;
  report.environment = an_environment();
  const int runs = *rc::gen::inRange(0, 3);
  for (int i = 0; i < runs; ++i) {
    DiagnosedRun diagnosed;
    diagnosed.run = a_run();
    diagnosed.diagnosis.verdict = {one_of<std::string>({"dram-bound", "inconclusive", "bank-conflict-load"}),
                                   a_text()};
    diagnosed.diagnosis.findings = some(3, a_finding);
    diagnosed.proofs = some(2, a_proof);
    report.runs.push_back(std::move(diagnosed));
  }
  return report;
}

}  // namespace gpuprobe::test
