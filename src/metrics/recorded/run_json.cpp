#include "metrics/recorded/run_json.h"

namespace gpuprobe::recorded {
namespace {

/// The value of an enumeration from its name, or a problem.
template <class Enum>
Enum named(const Cursor& json, std::optional<Enum> (*from_string)(std::string_view), const char* what) {
  const std::string name = json.text();
  const std::optional<Enum> value = from_string(name);
  if (!value) json.reject(std::string("\"") + name + "\" is not " + what);
  return value.value_or(Enum{});
}

Dim3 read_dim3(const Cursor& json) {
  std::vector<std::uint32_t> sizes;
  json.each([&](const Cursor& item) { sizes.push_back(item.count32()); });
  if (sizes.size() != 3) {
    json.reject("expected three sizes");
    return {};
  }
  return {sizes[0], sizes[1], sizes[2]};
}

Step read_step(const Cursor& json) {
  Step step;
  step.entry = json.at("entry").text();
  step.launch.grid = read_dim3(json.at("grid"));
  step.launch.block = read_dim3(json.at("block"));
  step.launch.dynamic_shared = json.at("shared_dynamic").count32();
  step.launch.cluster = read_dim3(json.at("cluster"));
  if (const auto call = json.find("library_call"); call && call->boolean()) step.kind = Step::Kind::kLibrary;
  return step;
}

std::vector<Step> read_steps(const Cursor& launch) {
  const auto several = launch.find("steps");
  if (!several) return {read_step(launch)};
  std::vector<Step> steps;
  several->each([&](const Cursor& item) { steps.push_back(read_step(item)); });
  return steps;
}

FunctionResources read_resources(const Cursor& json) {
  FunctionResources resources;
  resources.name_expression = json.at("entry").text();
  resources.lowered_name = json.at("symbol").text();
  resources.registers = json.at("registers").integer();
  resources.shared_static = json.at("shared_static").count32();
  resources.local_bytes = json.at("local_bytes").count32();
  resources.barriers = json.at("barriers").integer();
  resources.max_threads = json.at("max_threads").integer();
  json.at("parameter_bytes").each([&](const Cursor& item) {
    resources.parameter_bytes.push_back(item.count32());
  });
  return resources;
}

void read_metric(const std::string& name, const Cursor& json, Counters& counters) {
  if (const auto missing = json.find("missing")) {
    counters.set_missing(name, missing->text());
    return;
  }
  Value value;
  const Cursor content = json.at("value");
  if (content.is_text())
    value.value = content.text();
  else if (content.is_null())
    content.reject("expected a number or a text");
  else
    value.value = content.number();
  value.unit = named(json.at("unit"), unit_from_string, "a unit");
  named(json.at("origin"), origin_from_string, "an origin");
  value.origin = Origin::kRecorded;
  value.counters = json.at("counters").texts();
  counters.set(name, std::move(value));
}

LanePattern read_pattern(const Cursor& json) {
  LanePattern pattern;
  pattern.active = json.at("active").count32();
  pattern.width = json.at("width").count32();
  std::size_t lane = 0;
  const Cursor addresses = json.at("address");
  addresses.each([&](const Cursor& item) {
    if (lane < pattern.address.size()) pattern.address[lane] = item.count();
    ++lane;
  });
  if (lane != pattern.address.size()) addresses.reject("expected 32 addresses");
  return pattern;
}

/// null where the resource does not limit.
int read_blocks(const Cursor& json) {
  return json.is_null() ? kUnlimitedBlocks : json.integer();
}

OccupancyTable read_occupancy(const Cursor& json) {
  OccupancyTable table;
  table.entry = json.at("entry").text();
  table.threads_per_block = json.at("threads_per_block").integer();
  table.warps_per_block = json.at("warps_per_block").integer();
  table.registers_per_thread = json.at("registers_per_thread").integer();
  table.shared_per_block = json.at("shared_per_block").count32();
  json.at("limits").each_member([&](const std::string& name, const Cursor& blocks) {
    const auto resource = resource_from_string(name);
    if (!resource) blocks.reject("is not the name of a resource");
    table.limits.push_back({resource.value_or(Resource::kWarps), read_blocks(blocks)});
  });
  table.blocks_per_sm = read_blocks(json.at("blocks_per_sm"));
  json.at("limiters").each([&](const Cursor& item) {
    table.limiters.push_back(named(item, resource_from_string, "the name of a resource"));
  });
  table.theoretical_percent = json.at("theoretical_percent").number();
  table.waves = json.at("waves").number();
  table.carveout_kib = json.at("carveout_kib").integer();
  json.at("at_carveouts").each([&](const Cursor& item) {
    table.at_carveouts.push_back({item.at("carveout_kib").integer(), read_blocks(item.at("blocks_per_sm"))});
  });
  return table;
}

CheckOutcome read_check(const Cursor& json) {
  CheckOutcome check;
  check.state = named(json.at("state"), check_state_from_string, "the state of a check");
  check.text = json.at("text").text();
  check.compared = json.at("compared").count();
  check.wrong = json.at("wrong").count();
  check.worst_error = json.at("worst_error").number();
  return check;
}

Hazard read_hazard(const Cursor& json) {
  Hazard hazard;
  hazard.kind = named(json.at("kind"), hazard_kind_from_string, "a kind of hazard");
  hazard.text = json.at("text").text();
  json.at("locations").each([&](const Cursor& item) {
    hazard.locations.push_back({item.at("file").text(), item.at("line").integer()});
  });
  hazard.count = json.at("count").count();
  return hazard;
}

}  // namespace

Environment read_environment(const Cursor& json) {
  Environment environment;
  environment.gpuprobe_version = json.at("gpuprobe_version").text();
  environment.device = json.at("device").text();
  environment.arch = json.at("arch").text();
  environment.driver = json.at("driver").text();
  environment.cuda = json.at("cuda").text();
  environment.cupti = json.at("cupti").text();
  environment.compiler = json.at("compiler").text();
  environment.date = json.at("date").text();
  return environment;
}

Site read_site(const Cursor& json) {
  Site site;
  site.file = json.at("file").text();
  site.line = json.at("line").integer();
  site.function = json.at("function").text();
  site.instruction = json.at("instruction").text();
  site.access = named(json.at("access"), access_kind_from_string, "a kind of access");
  site.width = json.at("width").count32();
  site.requests = json.at("requests").number();
  site.actual = json.at("actual").number();
  site.ideal = json.at("ideal").number();
  site.lines = json.at("lines").number();
  site.active_lanes = json.at("active_lanes").number();
  site.misaligned_excess = json.at("misaligned_excess").number();
  site.same_address_lanes = json.at("same_address_lanes").number();
  site.depends_on_merging = json.at("depends_on_merging").boolean();
  if (const auto worst = json.find("worst")) site.worst = read_pattern(*worst);
  return site;
}

Run read_run(const Cursor& json, const Environment& environment) {
  Run run;
  run.kernel = json.at("kernel").text();
  json.at("options").each_member(
      [&](const std::string& name, const Cursor& value) { run.options.emplace_back(name, value.text()); });
  run.steps = read_steps(json.at("launch"));
  const Origin written_as = named(json.at("source"), origin_from_string, "a source");
  run.source = Origin::kRecorded;
  const auto recorded_from = json.find("recorded_from");
  run.recorded_from = recorded_from ? recorded_from->text() : std::string(to_string(written_as));
  run.device = read_device(json.at("device"));
  const auto own = json.find("environment");
  run.environment = own ? read_environment(*own) : environment;
  json.at("resources").each([&](const Cursor& item) { run.resources.push_back(read_resources(item)); });
  json.at("metrics").each_member(
      [&](const std::string& name, const Cursor& metric) { read_metric(name, metric, run.counters); });
  json.at("sites").each([&](const Cursor& item) { run.sites.push_back(read_site(item)); });
  json.at("occupancy").each([&](const Cursor& item) { run.occupancy.push_back(read_occupancy(item)); });
  run.check = read_check(json.at("check"));
  json.at("hazards").each([&](const Cursor& item) { run.hazards.push_back(read_hazard(item)); });
  if (const auto sampling = json.find("sampling"))
    run.sampling = Sampling{sampling->at("blocks_total").count(), sampling->at("blocks_executed").count(),
                            sampling->has("timed_out") && sampling->at("timed_out").boolean()};
  if (const auto timing = json.find("timing"))
    run.timing = Timing{timing->at("median_s").number(), timing->at("min_s").number(),
                        timing->at("max_s").number(), timing->at("repeats").integer()};
  run.useful_bytes = json.at("useful_bytes").number();
  run.useful_flops = json.at("useful_flops").number();
  run.notes = json.at("notes").texts();
  json.at("cures").each([&](const Cursor& item) {
    run.cures.push_back({item.at("finding").text(), item.at("options").text(), item.at("text").text()});
  });
  return run;
}

}  // namespace gpuprobe::recorded
