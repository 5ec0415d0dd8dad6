#include "report/writers/json/document.h"

namespace gpuprobe::report {
namespace {

Json to_json(const Dim3& dim) {
  return Json::array({dim.x, dim.y, dim.z});
}

Json to_json(const Step& step) {
  Json json = {{"entry", step.entry},
               {"grid", to_json(step.launch.grid)},
               {"block", to_json(step.launch.block)},
               {"shared_dynamic", step.launch.dynamic_shared},
               {"cluster", to_json(step.launch.cluster)}};
  if (step.is_library_call()) json["library_call"] = true;
  return json;
}

/// The largest launch, so that a reader of one number finds it; all launches where there is not exactly one.
Json launches_of(const Run& run) {
  Step main;
  main.launch = run.main_launch();
  for (const Step& step : run.steps)
    if (step.launch == main.launch) {
      main.entry = step.entry;
      main.kind = step.kind;
      break;
    }
  Json launch = to_json(main);
  if (run.steps.size() != 1) {
    launch["steps"] = Json::array();
    for (const Step& step : run.steps) launch["steps"].push_back(to_json(step));
  }
  return launch;
}

Json to_json(const FunctionResources& resources) {
  return {{"entry", resources.name_expression},   {"symbol", resources.lowered_name},
          {"registers", resources.registers},     {"shared_static", resources.shared_static},
          {"local_bytes", resources.local_bytes}, {"barriers", resources.barriers},
          {"max_threads", resources.max_threads}, {"parameter_bytes", resources.parameter_bytes}};
}

Json to_json(const Metric& metric) {
  if (const auto* missing = std::get_if<Missing>(&metric)) return {{"missing", missing->reason}};
  const Value& value = std::get<Value>(metric);
  Json json = Json::object();
  if (const auto* text = std::get_if<std::string>(&value.value)) {
    json["value"] = *text;
  } else {
    json["value"] = number(std::get<double>(value.value));
    if (json["value"].is_null()) return {{"missing", "the source gave a value that is not a finite number"}};
  }
  json["unit"] = gpuprobe::to_string(value.unit);
  json["origin"] = gpuprobe::to_string(value.origin);
  json["counters"] = value.counters;
  return json;
}

/// null where the resource does not limit: the launch uses none of it.
Json blocks_or_null(int blocks) {
  return blocks == kUnlimitedBlocks ? Json(nullptr) : Json(blocks);
}

Json to_json(const OccupancyTable& table) {
  Json limits = Json::object();
  for (const ResourceLimit& limit : table.limits)
    limits[std::string(gpuprobe::to_string(limit.resource))] = blocks_or_null(limit.blocks);
  Json limiters = Json::array();
  for (Resource resource : table.limiters) limiters.push_back(gpuprobe::to_string(resource));
  Json carveouts = Json::array();
  for (const auto& at : table.at_carveouts)
    carveouts.push_back(
        {{"carveout_kib", at.carveout_kib}, {"blocks_per_sm", blocks_or_null(at.blocks_per_sm)}});
  return {{"entry", table.entry},
          {"threads_per_block", table.threads_per_block},
          {"warps_per_block", table.warps_per_block},
          {"registers_per_thread", table.registers_per_thread},
          {"shared_per_block", table.shared_per_block},
          {"limits", std::move(limits)},
          {"blocks_per_sm", blocks_or_null(table.blocks_per_sm)},
          {"limiters", std::move(limiters)},
          {"theoretical_percent", number(table.theoretical_percent)},
          {"waves", number(table.waves)},
          {"carveout_kib", table.carveout_kib},
          {"at_carveouts", std::move(carveouts)}};
}

Json to_json(const CheckOutcome& check) {
  return {{"state", gpuprobe::to_string(check.state)},
          {"text", check.text},
          {"compared", check.compared},
          {"wrong", check.wrong},
          {"worst_error", number(check.worst_error)}};
}

Json to_json(const Hazard& hazard) {
  Json locations = Json::array();
  for (const Location& location : hazard.locations)
    locations.push_back({{"file", location.file}, {"line", location.line}});
  return {{"kind", gpuprobe::to_string(hazard.kind)},
          {"text", hazard.text},
          {"locations", std::move(locations)},
          {"count", hazard.count}};
}

template <class T>
Json list_of(const std::vector<T>& items) {
  Json list = Json::array();
  for (const T& item : items) list.push_back(to_json(item));
  return list;
}

bool same(const Environment& a, const Environment& b) {
  return report::to_json(a) == report::to_json(b);
}

}  // namespace

Json to_json(const Calibration& calibration) {
  const auto range = [](const CostRange& cost) {
    return Json{{"low", number(cost.low)}, {"high", number(cost.high)}};
  };
  return {{"wavefront", range(calibration.wavefront)}, {"line", range(calibration.line)},
          {"warp", range(calibration.warp)},           {"latency", range(calibration.latency)},
          {"waits", range(calibration.waits)},         {"source", calibration.source}};
}

Json to_json(const DeviceSpec& device) {
  const DeviceRates& rates = device.rates;
  Json json = {{"name", device.name},
               {"arch", device.arch},
               {"chip", device.chip},
               {"compute_capability", Json::array({device.cc_major, device.cc_minor})},
               {"sm_count", device.sm_count},
               {"max_threads_per_block", device.max_threads_per_block},
               {"max_warps_per_sm", device.max_warps_per_sm},
               {"max_blocks_per_sm", device.max_blocks_per_sm},
               {"max_barriers_per_sm", device.max_barriers_per_sm},
               {"registers_per_sm", device.registers_per_sm},
               {"registers_per_block", device.registers_per_block},
               {"register_unit_per_warp", device.register_unit_per_warp},
               {"sub_partitions", device.sub_partitions},
               {"max_registers_per_thread", device.max_registers_per_thread},
               {"shared_per_sm", device.shared_per_sm},
               {"shared_per_block", device.shared_per_block},
               {"shared_per_block_optin", device.shared_per_block_optin},
               {"shared_reserved_per_block", device.shared_reserved_per_block},
               {"shared_unit", device.shared_unit},
               {"carveouts_kib", device.carveouts_kib},
               {"representative", device.representative}};
  json["rates"] = {{"sm_clock_hz", number(rates.sm_clock_hz)},
                   {"dram_bytes_per_second", number(rates.dram_bytes_per_second)},
                   {"l2_bytes_per_second", number(rates.l2_bytes_per_second)},
                   {"fp32_flops_per_second", number(rates.fp32_flops_per_second)},
                   {"lsu_wavefronts_per_cycle", number(rates.lsu_wavefronts_per_cycle)},
                   {"l1_tag_requests_per_cycle", number(rates.l1_tag_requests_per_cycle)},
                   {"l1_sectors_per_cycle", number(rates.l1_sectors_per_cycle)},
                   {"issue_slots_per_cycle", number(rates.issue_slots_per_cycle)},
                   {"l2_capacity_bytes", number(rates.l2_capacity_bytes)},
                   {"dram_latency_cycles", number(rates.dram_latency_cycles)},
                   {"source", rates.source}};
  if (device.calibration) json["calibration"] = to_json(*device.calibration);
  return json;
}

Json to_json(const Run& run, const Environment& report_environment) {
  Json json = Json::object();
  json["kernel"] = run.kernel;
  json["options"] = Json::object();
  for (const auto& [name, value] : run.options) json["options"][name] = value;
  json["launch"] = launches_of(run);
  json["source"] = gpuprobe::to_string(run.source);
  if (!run.recorded_from.empty()) json["recorded_from"] = run.recorded_from;
  json["arch"] = run.device.arch;
  json["device"] = to_json(run.device);
  if (!same(run.environment, report_environment)) json["environment"] = to_json(run.environment);
  json["resources"] = list_of(run.resources);
  json["metrics"] = Json::object();
  for (const auto& [name, metric] : run.counters.all()) json["metrics"][name] = to_json(metric);
  json["sites"] = Json::array();
  for (const Site& site : run.sites) json["sites"].push_back(to_json(site));
  json["occupancy"] = list_of(run.occupancy);
  json["check"] = to_json(run.check);
  json["hazards"] = list_of(run.hazards);
  if (run.sampling)
    json["sampling"] = {{"blocks_total", run.sampling->blocks_total},
                        {"blocks_executed", run.sampling->blocks_executed},
                        {"timed_out", run.sampling->timed_out}};
  if (run.timing)
    json["timing"] = {{"median_s", number(run.timing->median_s)},
                      {"min_s", number(run.timing->min_s)},
                      {"max_s", number(run.timing->max_s)},
                      {"repeats", run.timing->repeats}};
  json["useful_bytes"] = number(run.useful_bytes);
  json["useful_flops"] = number(run.useful_flops);
  json["notes"] = run.notes;
  json["cures"] = Json::array();
  for (const KernelCure& cure : run.cures)
    json["cures"].push_back({{"finding", cure.finding}, {"options", cure.options}, {"text", cure.text}});
  return json;
}

}  // namespace gpuprobe::report
