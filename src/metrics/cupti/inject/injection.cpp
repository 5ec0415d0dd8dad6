#include "metrics/cupti/inject/injection.h"

#include <cuda.h>
#include <cupti.h>
#include <generated_nvtx_meta.h>
#include <nvtx3/nvToolsExt.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "metrics/cupti/cupti_error.h"
#include "metrics/cupti/inject/launch_profiler.h"

namespace gpuprobe::cupti {
namespace {

using Flight = LaunchProfiler::Flight;

/// What the callbacks work with. Never destroyed: threads may launch until the very end of the process.
struct Injection {
  LaunchProfiler profiler;
  LaunchSink& sink;
  pid_t process = 0;
  std::atomic<bool> broken = false;
};
Injection* injection = nullptr;

// Thread-local objects without destructors: a program may launch from destructors that run after those of
// thread-local objects.
/// Calls of the profiler's own must not be taken for the program's.
thread_local bool inside = false;
/// The program is in a watched call: those that the driver makes for it meanwhile are not the program's.
thread_local bool in_call = false;
/// Open NVTX ranges; allocated by the first one and left behind by a thread that ends.
thread_local std::vector<std::string>* open_ranges = nullptr;

class Inside {
 public:
  Inside() { inside = true; }
  ~Inside() { inside = false; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

std::vector<std::string>& ranges_of_thread() {
  if (!open_ranges) open_ranges = new std::vector<std::string>;
  return *open_ranges;
}

bool succeeded(const CUpti_CallbackData& data) {
  const auto* result = static_cast<const CUresult*>(data.functionReturnValue);
  return !result || *result == CUDA_SUCCESS;
}

std::unique_ptr<Flight> begin_call(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  LaunchProfiler& profiler = injection->profiler;
  switch (kind_of(id)) {
    case CallKind::kLaunch:
      return profiler.enter(launch_call(id, data), ranges_of_thread());
    case CallKind::kBeginCapture:
      profiler.captures().begin(captured_stream(id, data));
      return std::make_unique<Flight>();
    case CallKind::kEndCapture:
      return std::make_unique<Flight>();
    case CallKind::kGraph:
    case CallKind::kMemory:
      return profiler.enter_other();
  }
  return nullptr;
}

void end_call(CUpti_CallbackId id, const CUpti_CallbackData& data, Flight& flight) {
  LaunchProfiler& profiler = injection->profiler;
  switch (kind_of(id)) {
    case CallKind::kLaunch: {
      const auto* result = static_cast<const CUresult*>(data.functionReturnValue);
      return profiler.leave(flight, result ? *result : CUDA_SUCCESS);
    }
    case CallKind::kBeginCapture:
      if (!succeeded(data)) profiler.captures().end(captured_stream(id, data));
      return;
    case CallKind::kEndCapture:
      return profiler.captures().end(captured_stream(id, data));
    case CallKind::kGraph:
      if (succeeded(data)) profiler.graph_launched();
      return;
    case CallKind::kMemory:
      return;
  }
}

void on_driver_call(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  // CUPTI keeps these 64 bits between the two callbacks of one call.
  std::uint64_t& slot = *data.correlationData;
  if (data.callbackSite == CUPTI_API_ENTER) {
    slot = 0;
    if (in_call) return;
    auto flight = begin_call(id, data);
    if (!flight) return;
    in_call = true;
    slot = reinterpret_cast<std::uint64_t>(flight.release());
  } else if (slot != 0) {
    const std::unique_ptr<Flight> flight(reinterpret_cast<Flight*>(std::exchange(slot, 0)));
    in_call = false;
    end_call(id, data, *flight);
  }
}

void on_resource(CUpti_CallbackId id, const CUpti_ResourceData& data) {
  if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED) {
    const auto* module = static_cast<const CUpti_ModuleResourceData*>(data.resourceDescriptor);
    injection->profiler.module_loaded(module->pCubin, module->cubinSize);
  } else if (id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING && !inside) {
    const Inside guard;
    injection->profiler.context_goes(data.context);
  }
}

std::string message_of(const nvtxEventAttributes_t* attributes) {
  if (!attributes || attributes->messageType != NVTX_MESSAGE_TYPE_ASCII || !attributes->message.ascii)
    return "";
  return attributes->message.ascii;
}

void on_range(CUpti_CallbackId id, const CUpti_NvtxData& data) {
  std::vector<std::string>& ranges = ranges_of_thread();
  switch (id) {
    case CUPTI_CBID_NVTX_nvtxRangePushA: {
      const char* name = static_cast<const nvtxRangePushA_params*>(data.functionParams)->message;
      ranges.emplace_back(name ? name : "");
      break;
    }
    case CUPTI_CBID_NVTX_nvtxRangePushEx:
      ranges.push_back(
          message_of(static_cast<const nvtxRangePushEx_params*>(data.functionParams)->eventAttrib));
      break;
    case CUPTI_CBID_NVTX_nvtxDomainRangePushEx:
      ranges.push_back(message_of(
          static_cast<const nvtxDomainRangePushEx_params*>(data.functionParams)->core.eventAttrib));
      break;
    case CUPTI_CBID_NVTX_nvtxRangePop:
    case CUPTI_CBID_NVTX_nvtxDomainRangePop:
      if (!ranges.empty()) ranges.pop_back();
      break;
    default:
      break;
  }
}

void dispatch(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  // A module is often loaded only when a launch needs it: while this thread is inside a call of its own.
  if (domain == CUPTI_CB_DOMAIN_RESOURCE)
    return on_resource(id, *static_cast<const CUpti_ResourceData*>(data));
  if (inside) return;
  const Inside guard;
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API)
    on_driver_call(id, *static_cast<const CUpti_CallbackData*>(data));
  else if (domain == CUPTI_CB_DOMAIN_NVTX)
    on_range(id, *static_cast<const CUpti_NvtxData*>(data));
}

void CUPTIAPI on_callback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  // A child that was forked and not replaced has no CUDA, and locks in whatever state they were.
  if (getpid() != injection->process || injection->broken) return;
  try {
    dispatch(domain, id, data);
  } catch (const std::exception& error) {
    // The program must not end by what goes wrong here.
    injection->broken = true;
    injection->sink.note(std::string("the profiler gave up in the middle of the program: ") + error.what());
  }
}

Status subscribe(const CuptiApi& api, bool ranges) {
  CUpti_SubscriberHandle subscriber = nullptr;
  if (auto status = check_cupti(api.Subscribe(&subscriber, on_callback, nullptr), "watching the program");
      !status)
    return status;
  const auto watch = [&](CUpti_CallbackDomain domain, CUpti_CallbackId id) {
    // An older CUPTI does not know every function; what it does not know cannot be called either.
    if (api.EnableCallback(1, subscriber, domain, id) != CUPTI_SUCCESS)
      spdlog::debug("callback {} of domain {} is not known to this CUPTI", id, static_cast<int>(domain));
  };
  for (const CUpti_CallbackId id : watched_calls()) watch(CUPTI_CB_DOMAIN_DRIVER_API, id);
  for (CUpti_CallbackId id = 1; id < CUPTI_DRIVER_TRACE_CBID_SIZE; ++id) {
    const char* name = nullptr;
    if (api.GetCallbackName(CUPTI_CB_DOMAIN_DRIVER_API, id, &name) == CUPTI_SUCCESS && name &&
        writes_memory(name))
      watch(CUPTI_CB_DOMAIN_DRIVER_API, id);
  }
  watch(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED);
  watch(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
  if (ranges)
    for (const CUpti_CallbackId id :
         {CUPTI_CBID_NVTX_nvtxRangePushA, CUPTI_CBID_NVTX_nvtxRangePushEx, CUPTI_CBID_NVTX_nvtxRangePop,
          CUPTI_CBID_NVTX_nvtxDomainRangePushEx, CUPTI_CBID_NVTX_nvtxDomainRangePop})
      watch(CUPTI_CB_DOMAIN_NVTX, id);
  return {};
}

}  // namespace

Status start_injection(Selection selection, LaunchSink& sink) {
  auto api = cupti_api();
  if (!api) return tl::unexpected(api.error());
  auto driver = driver_api();
  if (!driver) return tl::unexpected(driver.error());
  auto launches = launch_driver();
  if (!launches) return tl::unexpected(launches.error());
  const bool ranges = !selection.options().nvtx.empty();
  injection =
      new Injection{LaunchProfiler({*driver, *api}, *launches, std::move(selection), sink), sink, getpid()};
  spdlog::debug("CUPTI from {}", cupti_path());
  // Not atexit(): that runs through __cxa_atexit, which this library's own one replaces (inject/no_exit.cpp).
  ::on_exit([](int, void*) { injection->profiler.end(); }, nullptr);
  return subscribe(**api, ranges);
}

}  // namespace gpuprobe::cupti
