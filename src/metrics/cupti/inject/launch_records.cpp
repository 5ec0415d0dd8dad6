// The second half of LaunchProfiler: what is known of kernels and devices, and what becomes of a launch that
// is done.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <utility>

#include "metrics/cupti/driver_error.h"
#include "metrics/cupti/inject/launch_profiler.h"
#include "metrics/cupti/sass_sites.h"

namespace gpuprobe::cupti {
namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::string key_of(const LaunchCall& call, int ordinal) {
  const Launch& launch = call.launch;
  return fmt::format("{} {} {},{},{} {},{},{} {} {},{},{}", ordinal, call.symbol, launch.grid.x,
                     launch.grid.y, launch.grid.z, launch.block.x, launch.block.y, launch.block.z,
                     launch.dynamic_shared, launch.cluster.x, launch.cluster.y, launch.cluster.z);
}

}  // namespace

const LaunchProfiler::Name& LaunchProfiler::name_of(const std::string& symbol) {
  const auto [name, added] = names_.try_emplace(symbol);
  if (added) {
    name->second.readable = readable_name(symbol);
    name->second.selected = selection_.matches(name->second.readable);
  }
  return name->second;
}

LaunchProfiler::Device& LaunchProfiler::device(int ordinal) {
  const auto found = devices_.find(ordinal);
  if (found != devices_.end()) return found->second;
  Device& device = devices_[ordinal];
  auto counters = DeviceCounters::open(apis_, ordinal);
  if (counters) {
    device.counters.emplace(std::move(*counters));
    char bus[32] = {};
    driver_.DeviceGetPCIBusId(bus, sizeof bus - 1, ordinal);
    device.turn.emplace(CounterTurn::join(bus));
    spdlog::debug("device {}: {} counters in {} passes", ordinal, device.counters->names().size(),
                  device.counters->schedule().passes);
  } else {
    device.problem = counters.error().what;
    sink_.note(counters.error().what + " " + counters.error().hint);
  }
  return device;
}

LaunchProfiler::Kernel& LaunchProfiler::kernel_of(const LaunchCall& call, const std::string& name,
                                                  int ordinal) {
  const std::string key = key_of(call, ordinal);
  const auto found = kernels_.find(key);
  if (found != kernels_.end()) return found->second;
  Kernel& kernel = kernels_[key];
  kernel.id = static_cast<int>(kernels_.size());
  kernel.ordinal = ordinal;
  Run& run = kernel.run;
  run.kernel = name;
  run.source = Origin::kMeasured;
  run.steps = {{run.kernel, call.launch, {}}};
  const Device& on = device(ordinal);
  if (on.counters) {
    run.device = on.counters->spec();
    run.environment = on.counters->environment();
  }
  run.check.text = "the results are the program's own";
  sink_.kernel(kernel.id, run);
  return kernel;
}

void LaunchProfiler::describe(Kernel& kernel, const Flight& flight) {
  // Only now, when the driver has loaded the function by itself: a question about one that is not loaded yet
  // would load its module from inside a callback, where CUPTI need not call back for the module.
  kernel.described = true;
  if (auto resources = function_resources(driver_, flight.function)) {
    resources->name_expression = kernel.run.kernel;
    resources->lowered_name = flight.symbol;
    kernel.run.resources = {*resources};
  } else {
    kernel.run.notes.push_back("the resources of the kernel are not known: " + resources.error().what);
  }
}

Status LaunchProfiler::finish_counters(Flight& flight) {
  if (auto status = wait(); !status) return status;
  auto data = profilers_.at(flight.context).finish_launch();
  if (!data) return tl::unexpected(data.error());
  return devices_.at(flight.kernel->ordinal).counters->evaluate(*data, flight.kernel->run.counters);
}

Status LaunchProfiler::finish_sites(Flight& flight) {
  Device& on = devices_.at(flight.kernel->ordinal);
  Run& run = flight.kernel->run;
  const Status waited = wait();
  auto records = on.sass->end(flight.context);
  if (!waited) return waited;
  if (!records) return tl::unexpected(records.error());
  run.sites = sites_of(*records, modules_.lookup(*apis_.cupti), "");
  set_sass_counters(run.counters, *records, run.sites, on.counters->spec().chip);
  return {};
}

void LaunchProfiler::leave(Flight& flight, CUresult result) {
  Status done;
  if (flight.kernel && !flight.captured && result == CUDA_SUCCESS) {
    const std::lock_guard lock(mutex_);
    flight.describes = !flight.kernel->described;
    if (flight.describes) describe(*flight.kernel, flight);  // before a fault of the kernel can be seen
  }
  if (flight.use == Use::kCounters) {
    done = finish_counters(flight);
    Device* on = nullptr;
    {
      const std::lock_guard lock(mutex_);
      on = &device(flight.kernel->ordinal);
    }
    if (!done) retire_profilers();  // whatever state it is in
    end_turn(*on);
  } else if (flight.use == Use::kSites) {
    done = finish_sites(flight);
  }
  if (flight.kernel) record(flight, done, result);
  if (flight.waits && !flight.captured && !captures_.any()) waiting_.launched(flight.stream);
}

void LaunchProfiler::record(Flight& flight, const Status& done, CUresult result) {
  const std::lock_guard lock(mutex_);
  Kernel& kernel = *flight.kernel;
  if (!done) spdlog::debug("{}: {}", kernel.run.kernel, done.error().what);
  if (flight.use == Use::kCounters) {
    kernel.measured = done.has_value();
    if (!done) kernel.problem = flight.skipped = done.error().what;
  }
  if (flight.use == Use::kSites) {
    kernel.counted_instructions = true;  // tried once; a failure would only repeat itself
    if (!done) kernel.run.notes.push_back("no counts of single instructions: " + done.error().what);
  }
  if (result != CUDA_SUCCESS) flight.skipped = driver_error(result, "launching " + kernel.run.kernel).what;
  if (flight.describes || flight.use != Use::kNothing) sink_.kernel(kernel.id, kernel.run);
  if (flight.use != Use::kNothing) {
    spent_s_ += seconds_since(flight.since);
    spdlog::debug("{}: {} in {:.1f} ms", kernel.run.kernel,
                  flight.use == Use::kCounters ? "counters" : "instructions",
                  1e3 * seconds_since(flight.since));
  }
  const LaunchFate fate = !flight.skipped.empty()        ? LaunchFate::kSkipped
                          : flight.use == Use::kCounters ? LaunchFate::kMeasured
                                                         : LaunchFate::kCounted;
  sink_.launch(kernel.id, fate, flight.skipped);
}

}  // namespace gpuprobe::cupti
