#include "metrics/cupti/inject/launch_profiler.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <thread>
#include <utility>

#include "metrics/cupti/driver_error.h"

namespace gpuprobe::cupti {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr auto kRetry = milliseconds(50);

/// True if another process has the counters: they may be free again soon.
bool is_busy(const Error& error) {
  return error.what.find("CUPTI_ERROR_HARDWARE_BUSY") != std::string::npos;
}

/// Lets this thread call what is forbidden while any stream is being captured, as long as it does not touch
/// the captured ones.
class CaptureLeave {
 public:
  CaptureLeave(const LaunchDriver& driver, bool capturing) : driver_(capturing ? &driver : nullptr) {
    if (driver_) driver_->ThreadExchangeStreamCaptureMode(&mode_);
  }
  ~CaptureLeave() {
    if (driver_) driver_->ThreadExchangeStreamCaptureMode(&mode_);
  }
  CaptureLeave(const CaptureLeave&) = delete;
  CaptureLeave& operator=(const CaptureLeave&) = delete;

 private:
  const LaunchDriver* driver_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

}  // namespace

Status LaunchProfiler::wait() {
  return check_driver(driver_.CtxSynchronize(), "waiting for the launch");
}

std::unique_ptr<LaunchProfiler::Flight> LaunchProfiler::enter_other() {
  auto flight = std::make_unique<Flight>();
  flight->pass = gate_.enter();
  return flight;
}

std::unique_ptr<LaunchProfiler::Flight> LaunchProfiler::enter(const LaunchCall& call,
                                                              const std::vector<std::string>& ranges) {
  auto flight = std::make_unique<Flight>();
  flight->since = Clock::now();
  flight->function = call.function;
  flight->context = call.context;
  flight->stream = call.stream;
  const bool capturing = captures_.any();
  const CaptureLeave leave(driver_, capturing);
  if (capturing) {
    CUstreamCaptureStatus state = CU_STREAM_CAPTURE_STATUS_NONE;
    flight->captured = driver_.StreamIsCapturing(call.stream, &state) == CUDA_SUCCESS &&
                       state != CU_STREAM_CAPTURE_STATUS_NONE;
  } else {
    make_room();
  }
  {
    const std::lock_guard lock(mutex_);
    flight->use = plan(call, ranges, *flight);
  }
  if (flight->use != Use::kNothing && !begin(call, *flight)) flight->use = Use::kNothing;
  if (flight->use == Use::kNothing) flight->pass = gate_.enter();
  return flight;
}

LaunchProfiler::Use LaunchProfiler::plan(const LaunchCall& call, const std::vector<std::string>& ranges,
                                         Flight& flight) {
  const Name& name = name_of(call.symbol);
  const std::string never = never_replayed(name.readable, call.cooperative);
  flight.waits = !never.empty() && !call.cooperative;
  if (!name.selected || !selection_.selects_next(ranges)) {
    sink_.not_selected();
    return Use::kNothing;
  }
  CUdevice ordinal = 0;
  driver_.CtxGetDevice(&ordinal);
  Kernel& kernel = kernel_of(call, name.readable, ordinal);
  flight.kernel = &kernel;
  if (!kernel.described) flight.symbol = call.symbol;
  if (flight.captured)
    flight.skipped = "it was recorded into a CUDA graph, not launched";
  else if (!never.empty())
    flight.skipped = never;
  else
    return use_for(kernel, flight);
  return Use::kNothing;
}

LaunchProfiler::Use LaunchProfiler::use_for(const Kernel& kernel, Flight& flight) {
  const Device& on = device(kernel.ordinal);
  const double budget = selection_.options().budget_s;
  if (kernel.measured && (kernel.counted_instructions || !on.sass_problem.empty())) return Use::kNothing;
  std::string why = kernel.problem.empty() ? on.problem : kernel.problem;
  if (why.empty() && captures_.any()) why = "it ran while another stream was being recorded into a graph";
  if (why.empty() && ending_) why = "the program was about to end";
  if (why.empty() && !flight.context) why = "it was launched without a current context";
  if (why.empty() && budget > 0 && spent_s_ >= budget)
    why = fmt::format("the time for measuring, --budget {} s, was used up", budget);
  if (why.empty()) return kernel.measured ? Use::kSites : Use::kCounters;
  if (!kernel.measured) flight.skipped = why;
  return Use::kNothing;
}

bool LaunchProfiler::begin(const LaunchCall& call, Flight& flight) {
  const auto later = [&](const char* why) {
    spdlog::debug("{}: not now: {}", flight.kernel->run.kernel, why);
    if (flight.use == Use::kCounters) flight.skipped = why;
    return false;
  };
  constexpr const char* kWaits = "a kernel that waits for other GPUs was still running";
  if (!waiting_.done_within(patience_.waiting)) return later(kWaits);
  auto pass = gate_.close(patience_.gate);
  if (!pass) return later("other threads were using the GPU");
  if (!waiting_.done_within(milliseconds(0))) return later(kWaits);
  std::unique_lock lock(mutex_);
  flight.use = use_for(*flight.kernel, flight);  // another thread may have measured it meanwhile
  Device& on = device(flight.kernel->ordinal);
  if (flight.use == Use::kNothing) return false;
  lock.unlock();
  const Status ready = flight.use == Use::kSites ? begin_sites(call, on) : begin_counters(call, on);
  if (ready) {
    flight.pass = std::move(*pass);
    return true;
  }
  spdlog::debug("{}: {}", flight.kernel->run.kernel, ready.error().what);
  lock.lock();
  if (flight.use == Use::kCounters) {
    flight.kernel->problem = flight.skipped = ready.error().what;
    // Whoever has the counters for so long has them for good; not every kernel can wait for that.
    if (is_busy(ready.error())) on.problem = ready.error().what;
  } else {
    on.sass_problem = ready.error().what;
    sink_.note("Single instructions cannot be counted: " + ready.error().what);
  }
  return false;
}

Status LaunchProfiler::prepare(const LaunchCall& call, Device& on) {
  forget_contexts();
  auto profiler = profilers_.find(call.context);
  if (profiler == profilers_.end()) {
    auto enabled = RangeProfiler::enable(*apis_.cupti, call.context);
    if (!enabled) return tl::unexpected(enabled.error());
    profiler = profilers_.emplace(call.context, std::move(*enabled)).first;
    has_counters_ = has_worked_ = true;
  }
  return profiler->second.prepare(on.counters->schedule(), on.counters->names(),
                                  RangeProfiler::Ranges::kLaunch);
}

void LaunchProfiler::forget_contexts() {
  const std::lock_guard lock(mutex_);
  for (CUcontext context : std::exchange(gone_, {})) {
    const auto profiler = profilers_.find(context);
    if (profiler == profilers_.end()) continue;
    profiler->second.abandon();
    retired_.push_back(std::move(profiler->second));
    profilers_.erase(profiler);
  }
}

Status LaunchProfiler::begin_counters(const LaunchCall& call, Device& on) {
  if (auto status = wait(); !status) return status;
  const auto begin = Clock::now();
  for (;;) {
    if (!on.turn->take(patience_.turn))
      return fail(ErrorCode::kMachine, "Another process that gpuprobe profiles kept the counters for itself.",
                  "Profile fewer processes of the GPU at a time: --rank.");
    Status ready = prepare(call, on);
    if (ready) return ready;
    retire_profilers();
    on.turn->give();
    if (!is_busy(ready.error()) || Clock::now() - begin > patience_.turn) return ready;
    std::this_thread::sleep_for(kRetry);
  }
}

void LaunchProfiler::retire_profilers() {
  for (auto& [context, profiler] : profilers_) {
    profiler.disable();
    retired_.push_back(std::move(profiler));
  }
  profilers_.clear();
  has_counters_ = false;
}

void LaunchProfiler::end_turn(Device& on) {
  // A profiler that stays enabled keeps the counters (measured), but enabling it anew costs 130 ms: so it
  // goes only where somebody else may want them.
  if (!on.turn->alone()) retire_profilers();
  on.turn->give();
}

void LaunchProfiler::make_room() {
  if (!has_counters_ || ending_) return;
  bool wanted = false;
  {
    const std::lock_guard lock(mutex_);
    if (Clock::now() - asked_ < kRetry) return;
    asked_ = Clock::now();
    for (const auto& [ordinal, on] : devices_) wanted = wanted || (on.turn && !on.turn->alone());
  }
  if (!wanted || !waiting_.done_within(milliseconds(0))) return;
  if (auto pass = gate_.close(milliseconds(0))) retire_profilers();
}

Status LaunchProfiler::begin_sites(const LaunchCall& call, Device& on) {
  if (auto status = wait(); !status) return status;
  if (!on.sass) {
    CUdevice ordinal = 0;
    driver_.CtxGetDevice(&ordinal);
    auto session = SassSession::open(*apis_.cupti, ordinal, on.counters->spec().chip);
    if (!session) return tl::unexpected(session.error());
    on.sass.emplace(std::move(*session));
  }
  on.patched.insert(call.context);
  return on.sass->begin(call.context);
}

void LaunchProfiler::module_loaded(const char* cubin, std::size_t bytes) {
  const bool lines = modules_.add(cubin, bytes);
  spdlog::debug("module of {} bytes{}", bytes, lines ? ", with lines" : "");
}

void LaunchProfiler::context_goes(CUcontext context) {
  waiting_.forget();
  if (ending_ || !has_worked_) return;
  auto pass = gate_.close(patience_.gate);
  if (!pass) {
    const std::lock_guard lock(mutex_);
    gone_.push_back(context);
    return;
  }
  forget_sites(context);
  const auto profiler = profilers_.find(context);
  if (profiler == profilers_.end()) return;
  profiler->second.disable();
  retired_.push_back(std::move(profiler->second));
  profilers_.erase(profiler);
  has_counters_ = !profilers_.empty();
}

void LaunchProfiler::forget_sites(CUcontext context) {
  // When the process ends, CUPTI frees what it still has of each context, and crashes if the context is gone.
  const std::lock_guard lock(mutex_);
  for (auto& [ordinal, on] : devices_) {
    if (!on.patched.contains(context)) continue;
    SassSession::forget(*apis_.cupti, ordinal);
    on.sass.reset();
    on.patched.clear();
  }
}

}  // namespace gpuprobe::cupti
