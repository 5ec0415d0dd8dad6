#include "metrics/cupti/measurement.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <future>
#include <optional>

#include "metrics/cupti/buffer_comparison.h"
#include "metrics/cupti/device_buffers.h"
#include "metrics/cupti/driver_error.h"
#include "metrics/cupti/host_images.h"
#include "metrics/cupti/launcher.h"
#include "metrics/cupti/line_table.h"
#include "metrics/cupti/sass_session.h"
#include "metrics/cupti/sass_sites.h"
#include "metrics/cupti/timing.h"

namespace gpuprobe::cupti {
namespace {

constexpr double kFlushFactor = 2;  ///< write twice the L2 cache, so that nothing of the kernel's stays in it

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

/// What the steps of a measurement share.
class Measurement {
 public:
  Measurement(Gpu& gpu, const Kernel& kernel, const CompiledKernel& compiled, const CollectOptions& options)
      : gpu_(gpu), driver_(*gpu.apis().driver), kernel_(kernel), compiled_(compiled), options_(options) {}

  Result<Run> run();
  Result<HostBuffers> run_once();

 private:
  Status begin() const;
  Status set_up(bool counting);
  Status first_runs();
  Status describe_variation(const std::vector<std::size_t>& varying);
  Status count();
  Status time();
  Result<Run> run_without_counters();
  void count_instructions();
  void miss_sites(const std::string& why);
  void describe();
  Status before_run();
  tl::unexpected<Error> failed(Error error);

  Gpu& gpu_;
  const DriverApi& driver_;
  const Kernel& kernel_;
  const CompiledKernel& compiled_;
  const CollectOptions& options_;
  std::optional<HostImages> host_;
  std::optional<DeviceBuffers> buffers_;
  std::optional<Launcher> launcher_;
  std::optional<DeviceMemory> flush_;
  std::future<CheckOutcome> check_;
  std::string varies_;  ///< a clause if two runs gave different results
  Run run_;
};

Status Measurement::set_up(bool counting) {
  auto images = std::async(std::launch::async, make_host_images, std::cref(kernel_));
  auto buffers = DeviceBuffers::allocate(driver_, kernel_);
  if (!buffers) return tl::unexpected(buffers.error());
  buffers_.emplace(std::move(*buffers));
  spdlog::debug("device buffers allocated");
  auto launcher = Launcher::load(driver_, kernel_, compiled_, *buffers_);
  if (!launcher) return tl::unexpected(launcher.error());
  launcher_.emplace(std::move(*launcher));
  if (options_.cold_cache) {
    const double bytes = kFlushFactor * gpu_.spec().rates.l2_capacity_bytes;
    auto flush = DeviceMemory::allocate(driver_, static_cast<std::uint64_t>(bytes), "flushing the L2 cache");
    if (!flush) return tl::unexpected(flush.error());
    flush_.emplace(std::move(*flush));
  }
  // Starting the counters waits 190 ms for the driver the first time, while the host fills the buffers.
  // Beside copies and runs it gains nothing (tried on an H200): the driver serves one after the other.
  if (counting) {
    auto schedule = gpu_.schedule();
    if (!schedule) return tl::unexpected(schedule.error());
    if (auto status = gpu_.profiler().prepare(*schedule, gpu_.counter_names()); !status) return status;
    spdlog::debug("counters started, {} passes", schedule->passes);
  }
  auto made = images.get();
  if (!made) return tl::unexpected(made.error());
  host_.emplace(std::move(*made));
  spdlog::debug("host buffers ready");
  return buffers_->upload(host_->initial);
}

Status Measurement::first_runs() {
  spdlog::debug("buffers uploaded");
  auto digests = gpu_.digests();
  if (!digests) return tl::unexpected(digests.error());
  const auto start = (*digests)->of(*buffers_, kernel_);
  if (!start) return tl::unexpected(start.error());
  if (auto status = launcher_->run(options_.timeout_s); !status) return status;
  const auto first = (*digests)->of(*buffers_, kernel_);
  if (!first) return tl::unexpected(first.error());
  const auto changed = differing(*start, *first);
  spdlog::debug("{} changed buffers", changed.size());
  if (auto status = buffers_->download(host_->result, changed); !status) return status;
  spdlog::debug("first result read back");
  check_ = std::async(std::launch::async,
                      [this] { return check_result(kernel_, host_->initial, host_->result, nullptr); });
  if (auto status = buffers_->keep_pristine(host_->initial, changed); !status) return status;
  if (auto status = before_run(); !status) return status;
  if (auto status = launcher_->run(options_.timeout_s); !status) return status;
  const auto second = (*digests)->of(*buffers_, kernel_);
  if (!second) return tl::unexpected(second.error());
  return describe_variation(differing(*first, *second));
}

Status Measurement::describe_variation(const std::vector<std::size_t>& varying) {
  for (const std::size_t i : varying) {
    const auto bytes = count_differences(driver_, buffers_->address(i), host_->result.bytes(i));
    if (!bytes) return tl::unexpected(bytes.error());
    varies_ += fmt::format("{}buffer '{}' differs in {} bytes between two runs from the same start",
                           varies_.empty() ? "" : ", ", kernel_.buffers[i].name, *bytes);
  }
  return {};
}

Status Measurement::before_run() {
  if (auto status = buffers_->restore(); !status) return status;
  if (!flush_) return {};
  const auto bytes = static_cast<std::size_t>(kFlushFactor * gpu_.spec().rates.l2_capacity_bytes);
  return check_driver(driver_.MemsetD8Async(flush_->address(), 0, bytes, nullptr), "flushing the L2 cache");
}

Status Measurement::count() {
  auto data = gpu_.profiler().collect([this] { return before_run(); },
                                      [this] { return launcher_->run(options_.timeout_s); });
  if (!data) return tl::unexpected(data.error());
  spdlog::debug("passes run");
  auto values = gpu_.host().evaluate(*data, gpu_.counter_names());
  if (!values) return tl::unexpected(values.error());
  set_hardware_counters(run_.counters, gpu_.counters(), *values, gpu_.spec().chip);
  spdlog::debug("counters read");
  return {};
}

Status Measurement::time() {
  auto timing = time_runs(
      driver_, *launcher_, options_, [this] { return before_run(); }, gpu_.has_counters());
  if (!timing) return tl::unexpected(timing.error());
  run_.timing = *timing;
  run_.counters.set("time.duration", {timing->median_s, Unit::kSecond, Origin::kMeasured, {}});
  run_.counters.set("time.min", {timing->min_s, Unit::kSecond, Origin::kMeasured, {}});
  run_.counters.set("time.max", {timing->max_s, Unit::kSecond, Origin::kMeasured, {}});
  spdlog::debug("timed");
  return {};
}

void Measurement::miss_sites(const std::string& why) {
  for (const MetricRow& row : metric_catalog())
    if (!run_.counters.find(row.name) &&
        (row.kind == MetricRow::Kind::kSite || row.kind == MetricRow::Kind::kCounter))
      run_.counters.set_missing(row.name, why);
}

void Measurement::count_instructions() {
  if (const Step* call = kernel_.library_call())
    return miss_sites("instructions are not told apart within " + call->entry);
  const CuptiApi& cupti = *gpu_.apis().cupti;
  Result<std::vector<SassRecord>> records = [&]() -> Result<std::vector<SassRecord>> {
    auto session = SassSession::open(cupti, gpu_.ordinal(), gpu_.spec().chip);
    if (!session) return tl::unexpected(session.error());
    spdlog::debug("instruction counters set up");
    if (auto status = before_run(); !status) return tl::unexpected(status.error());
    return session->collect(gpu_.context().handle(), [this] { return launcher_->run(options_.timeout_s); });
  }();
  if (!records) {
    const std::string why =
        "the exact counts of single instructions could not be had: " + records.error().what;
    run_.notes.push_back(why);
    return miss_sites(why);
  }
  run_.sites = sites_of(*records, line_lookup(cupti, compiled_, kernel_.source.file), kernel_.source.file);
  set_sass_counters(run_.counters, *records, run_.sites, gpu_.spec().chip);
  spdlog::debug("{} access sites", run_.sites.size());
}

void Measurement::describe() {
  run_.kernel = kernel_.name;
  run_.options = kernel_.options;
  run_.steps = kernel_.steps;
  run_.source = Origin::kMeasured;
  run_.device = gpu_.spec();
  run_.environment = gpu_.environment();
  run_.environment.compiler = compiled_.compiler;
  run_.environment.date = utc_now();
  for (const std::string& entry : kernel_.entries())
    if (const FunctionResources* resources = compiled_.find(entry)) run_.resources.push_back(*resources);
  if (const std::string library = launcher_->library(); !library.empty())
    run_.notes.push_back(library + " chose the kernels and their launches");
  run_.cures = kernel_.cures;
  run_.useful_bytes = kernel_.useful_bytes;
  run_.useful_flops = kernel_.useful_flops;
  for (const char* side : {"load", "store"})
    run_.counters.set_missing(fmt::format("global.{}.unique_bytes", side),
                              "only a prediction knows which bytes are distinct");
  run_.counters.set_missing("issue.cycles_per_instruction",
                            "only a prediction follows the instructions of one warp");
  std::size_t heaviest = 0;
  for (std::size_t i = 0; i < kernel_.steps.size(); ++i)
    if (&run_.main_launch() == &run_.steps[i].launch) heaviest = i;
  if (auto blocks = launcher_->blocks_per_sm(heaviest))
    run_.counters.set("occupancy.blocks_per_sm.driver",
                      {static_cast<double>(*blocks), Unit::kBlock, Origin::kMeasured, {}});
  else
    run_.counters.set_missing("occupancy.blocks_per_sm.driver", blocks.error().what);
}

tl::unexpected<Error> Measurement::failed(Error error) {
  if (error.code == ErrorCode::kKernel && launcher_ && !launcher_->idle()) {
    // A fault makes every later call of this process fail; a kernel that does not end makes them wait for
    // ever.
    gpu_.lose("an earlier kernel failed on this GPU: " + error.what);
    launcher_->abandon();
    if (buffers_) buffers_->abandon();
    if (flush_) flush_->abandon();
  }
  return tl::unexpected(std::move(error));
}

Status Measurement::begin() const {
  if (gpu_.lost())
    return fail(ErrorCode::kMachine, "The GPU cannot be used any more in this process: " + *gpu_.lost(),
                "Run gpuprobe again for the remaining kernels, without the one that failed.");
  return check_driver(driver_.CtxSetCurrent(gpu_.context().handle()), "using its context");
}

Result<HostBuffers> Measurement::run_once() {
  if (auto status = begin(); !status) return tl::unexpected(status.error());
  if (auto status = set_up(false); !status) return failed(status.error());
  if (auto status = launcher_->run(options_.timeout_s); !status) return failed(status.error());
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < kernel_.buffers.size(); ++i) all.push_back(i);
  if (auto status = buffers_->download(host_->result, all); !status) return failed(status.error());
  return std::move(host_->result);
}

/// Only the warm-up and the timed runs are launched, so that a profiler that watches sees exactly these.
Result<Run> Measurement::run_without_counters() {
  if (auto status = set_up(false); !status) return failed(status.error());
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < kernel_.buffers.size(); ++i) all.push_back(i);
  if (options_.warmup + options_.repeat > 1)
    if (auto status = buffers_->keep_pristine(host_->initial, all); !status) return failed(status.error());
  if (auto status = time(); !status) return failed(status.error());
  if (auto status = buffers_->download(host_->result, all); !status) return failed(status.error());
  run_.check = check_result(kernel_, host_->initial, host_->result, nullptr);
  for (const MetricRow& row : metric_catalog())
    if (row.kind != MetricRow::Kind::kRatio && row.kind != MetricRow::Kind::kStatic &&
        !run_.counters.find(row.name))
      run_.counters.set_missing(row.name, "counters were turned off (--counters off)");
  describe();
  return std::move(run_);
}

Result<Run> Measurement::run() {
  if (auto status = begin(); !status) return tl::unexpected(status.error());
  if (!gpu_.has_counters()) return run_without_counters();
  if (auto status = set_up(true); !status) return failed(status.error());
  if (auto status = first_runs(); !status) return failed(status.error());
  if (auto status = count(); !status) return failed(status.error());
  if (auto status = time(); !status) return failed(status.error());
  count_instructions();
  describe();
  spdlog::debug("described");
  run_.check = check_.get();
  spdlog::debug("result checked");
  if (!varies_.empty()) run_.check.text += fmt::format("{}{}", run_.check.text.empty() ? "" : "; ", varies_);
  return std::move(run_);
}

}  // namespace

Result<Run> measure(Gpu& gpu, const Kernel& kernel, const CompiledKernel& compiled,
                    const CollectOptions& options) {
  return Measurement(gpu, kernel, compiled, options).run();
}

Result<HostBuffers> run_plainly(Gpu& gpu, const Kernel& kernel, const CompiledKernel& compiled,
                                const CollectOptions& options) {
  return Measurement(gpu, kernel, compiled, options).run_once();
}

}  // namespace gpuprobe::cupti
