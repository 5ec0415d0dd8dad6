// Measures the kernel launches of the program that it was injected into. One launch of each kernel and
// configuration is replayed by CUPTI for the hardware counters; the next one runs with counting instructions,
// which gives the sites. Everything else runs as it would.
//
//   LaunchProfiler profiler(apis, launch_driver, selection, sink);
//   auto flight = profiler.enter(call, ranges);    /* the driver launches */    profiler.leave(*flight,
//   result);
//
// Any number of threads may launch. Locks, in this order: the gate (held from enter() to leave(), closed
// while a launch is measured), then mutex_ (never held while somebody is waited for).
#pragma once

#include <cuda.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "metrics/cupti/inject/counter_turn.h"
#include "metrics/cupti/inject/device_counters.h"
#include "metrics/cupti/inject/launch_call.h"
#include "metrics/cupti/inject/launch_driver.h"
#include "metrics/cupti/inject/launch_gate.h"
#include "metrics/cupti/inject/launch_sink.h"
#include "metrics/cupti/inject/module_lines.h"
#include "metrics/cupti/inject/selection.h"
#include "metrics/cupti/inject/stream_captures.h"
#include "metrics/cupti/inject/waiting_kernels.h"
#include "metrics/cupti/range_profiler.h"
#include "metrics/cupti/sass_session.h"

namespace gpuprobe::cupti {

/// How long a launch waits until it can be measured, before it runs unmeasured.
struct Patience {
  std::chrono::milliseconds turn{20000};    ///< for processes that use the counters in turn
  std::chrono::milliseconds waiting{2000};  ///< for kernels that wait for other GPUs
  std::chrono::milliseconds gate{1000};     ///< for calls of other threads to return
};

class LaunchProfiler {
 public:
  struct Flight;

  LaunchProfiler(Apis apis, LaunchDriver driver, Selection selection, LaunchSink& sink,
                 Patience patience = {})
      : apis_(apis),
        driver_(driver),
        selection_(std::move(selection)),
        sink_(sink),
        patience_(patience),
        waiting_(*apis.driver) {}

  /// Before the driver launches; in the thread that launches. `ranges`: the NVTX ranges that are open.
  std::unique_ptr<Flight> enter(const LaunchCall& call, const std::vector<std::string>& ranges);
  /// After the driver returned `result`.
  void leave(Flight& flight, CUresult result);

  /// Before the program gives other work to the GPU; until the flight is destroyed, nothing is measured.
  std::unique_ptr<Flight> enter_other();
  void graph_launched() { sink_.graph(); }
  StreamCaptures& captures() { return captures_; }
  /// While the driver may hold locks: takes none that is held around a call of the driver.
  void module_loaded(const char* cubin, std::size_t bytes);
  /// Before the context is destroyed, in the thread that does it.
  void context_goes(CUcontext context);
  /// The process ends: from now on nothing is measured, only counted.
  void end() { ending_ = true; }

 private:
  /// What a launch is used for.
  enum class Use { kNothing, kCounters, kSites };

  struct Device {
    std::optional<DeviceCounters> counters;
    std::optional<SassSession> sass;  ///< used while the gate is closed
    std::set<CUcontext> patched;      ///< contexts that `sass` has worked in; likewise
    std::optional<CounterTurn> turn;
    std::string problem;       ///< why nothing can be measured on it
    std::string sass_problem;  ///< why single instructions cannot be counted
  };
  struct Kernel {
    int id = 0;
    Run run;
    int ordinal = 0;
    bool described = false;
    bool measured = false;
    bool counted_instructions = false;
    std::string problem;  ///< why it was not measured, and will not be
  };
  /// What depends on the symbol alone.
  struct Name {
    std::string readable;
    bool selected = false;
  };

  Use plan(const LaunchCall& call, const std::vector<std::string>& ranges, Flight& flight);
  Use use_for(const Kernel& kernel, Flight& flight);
  bool begin(const LaunchCall& call, Flight& flight);
  Status begin_counters(const LaunchCall& call, Device& device);
  Status prepare(const LaunchCall& call, Device& device);
  Status begin_sites(const LaunchCall& call, Device& device);
  Status finish_counters(Flight& flight);
  Status finish_sites(Flight& flight);
  void record(Flight& flight, const Status& done, CUresult result);
  void describe(Kernel& kernel, const Flight& flight);
  void retire_profilers();
  void end_turn(Device& device);
  void make_room();
  void forget_contexts();
  void forget_sites(CUcontext context);
  const Name& name_of(const std::string& symbol);
  Kernel& kernel_of(const LaunchCall& call, const std::string& name, int ordinal);
  Device& device(int ordinal);
  Status wait();

  Apis apis_;
  LaunchDriver driver_;
  Selection selection_;
  LaunchSink& sink_;
  Patience patience_;
  LaunchGate gate_;
  StreamCaptures captures_;
  WaitingKernels waiting_;
  ModuleLines modules_;
  std::atomic<bool> ending_ = false;

  // While the gate is closed.
  std::map<CUcontext, RangeProfiler> profilers_;
  std::deque<RangeProfiler> retired_;       ///< disabled, but CUPTI may still touch what they gave it
  std::atomic<bool> has_counters_ = false;  ///< profilers_ is not empty
  std::atomic<bool> has_worked_ = false;    ///< it was not always empty

  // With mutex_.
  std::mutex mutex_;
  std::map<int, Device> devices_;
  std::unordered_map<std::string, Name> names_;  ///< by symbol
  std::map<std::string, Kernel> kernels_;        ///< by device, symbol and configuration
  std::chrono::steady_clock::time_point asked_;  ///< when it was last asked whether others want the counters
  std::vector<CUcontext> gone_;                  ///< destroyed while the gate could not be closed
  double spent_s_ = 0;
};

/// One call of the program, between its two callbacks; whoever else waits for it does so until it is
/// destroyed.
struct LaunchProfiler::Flight {
  LaunchGate::Pass pass;
  Kernel* kernel = nullptr;  ///< nullptr: the user did not select the launch
  Use use = Use::kNothing;
  std::string skipped;     ///< why it is not measured
  bool waits = false;      ///< the kernel waits for other GPUs
  bool captured = false;   ///< it is recorded into a graph
  bool describes = false;  ///< it is the first one after which the driver knows the function
  CUfunction function = nullptr;
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  std::string symbol;  ///< until the kernel is described
  std::chrono::steady_clock::time_point since;
};

}  // namespace gpuprobe::cupti
