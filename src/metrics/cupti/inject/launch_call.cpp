#include "metrics/cupti/inject/launch_call.h"

#include <cuda.h>
#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>

namespace gpuprobe::cupti {
namespace {

// The parameter structs of a function and of its per-thread-stream twin (_ptsz) are the same.
LaunchCall from_kernel(const cuLaunchKernel_params& params) {
  LaunchCall call;
  call.function = params.f;
  call.stream = params.hStream;
  call.launch.grid = {params.gridDimX, params.gridDimY, params.gridDimZ};
  call.launch.block = {params.blockDimX, params.blockDimY, params.blockDimZ};
  call.launch.dynamic_shared = params.sharedMemBytes;
  return call;
}

LaunchCall from_cooperative(const cuLaunchCooperativeKernel_params& params) {
  LaunchCall call;
  call.function = params.f;
  call.stream = params.hStream;
  call.launch.grid = {params.gridDimX, params.gridDimY, params.gridDimZ};
  call.launch.block = {params.blockDimX, params.blockDimY, params.blockDimZ};
  call.launch.dynamic_shared = params.sharedMemBytes;
  call.cooperative = true;
  return call;
}

LaunchCall from_config(const cuLaunchKernelEx_params& params) {
  const CUlaunchConfig& config = *params.config;
  LaunchCall call;
  call.function = params.f;
  call.stream = config.hStream;
  call.launch.grid = {config.gridDimX, config.gridDimY, config.gridDimZ};
  call.launch.block = {config.blockDimX, config.blockDimY, config.blockDimZ};
  call.launch.dynamic_shared = config.sharedMemBytes;
  for (unsigned int i = 0; i < config.numAttrs; ++i) {
    const CUlaunchAttribute& attribute = config.attrs[i];
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) call.cooperative = attribute.value.cooperative != 0;
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      call.launch.cluster = {attribute.value.clusterDim.x, attribute.value.clusterDim.y,
                             attribute.value.clusterDim.z};
  }
  return call;
}

struct WatchedCall {
  CUpti_CallbackId id;
  CallKind kind;
  bool per_thread;  ///< _ptsz: stream 0 is the thread's own default stream
};

constexpr WatchedCall kWatched[] = {
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CallKind::kLaunch, false},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz, CallKind::kLaunch, true},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, CallKind::kLaunch, false},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz, CallKind::kLaunch, true},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel, CallKind::kLaunch, false},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz, CallKind::kLaunch, true},
    {CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, CallKind::kGraph, false},
    {CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz, CallKind::kGraph, true},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture, CallKind::kBeginCapture, false},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_ptsz, CallKind::kBeginCapture, true},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2, CallKind::kBeginCapture, false},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2_ptsz, CallKind::kBeginCapture, true},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph, CallKind::kBeginCapture, false},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph_ptsz, CallKind::kBeginCapture, true},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture, CallKind::kEndCapture, false},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture_ptsz, CallKind::kEndCapture, true},
};

const WatchedCall* find(CUpti_CallbackId id) {
  const auto* call = std::find_if(std::begin(kWatched), std::end(kWatched),
                                  [&](const WatchedCall& c) { return c.id == id; });
  return call == std::end(kWatched) ? nullptr : call;
}

/// Functions that ask for the state of a stream take CU_STREAM_PER_THREAD where the program's call meant it.
CUstream stream_of(CUpti_CallbackId id, CUstream stream) {
  const WatchedCall* call = find(id);
  return stream == nullptr && call && call->per_thread ? CU_STREAM_PER_THREAD : stream;
}

}  // namespace

const std::vector<CUpti_CallbackId>& watched_calls() {
  static const std::vector<CUpti_CallbackId> kCalls = [] {
    std::vector<CUpti_CallbackId> calls;
    for (const WatchedCall& call : kWatched) calls.push_back(call.id);
    return calls;
  }();
  return kCalls;
}

bool writes_memory(std::string_view function) {
  return function.starts_with("cuMemcpy") || function.starts_with("cuMemset");
}

CallKind kind_of(CUpti_CallbackId id) {
  const WatchedCall* call = find(id);
  return call ? call->kind : CallKind::kMemory;
}

LaunchCall launch_call(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  LaunchCall call;
  if (id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx || id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz)
    call = from_config(*static_cast<const cuLaunchKernelEx_params*>(data.functionParams));
  else if (id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel ||
           id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz)
    call = from_cooperative(*static_cast<const cuLaunchCooperativeKernel_params*>(data.functionParams));
  else
    call = from_kernel(*static_cast<const cuLaunchKernel_params*>(data.functionParams));
  call.stream = stream_of(id, call.stream);
  call.context = data.context;
  call.symbol = data.symbolName ? data.symbolName : "(unnamed kernel)";
  return call;
}

CUstream captured_stream(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  // The stream is the first parameter of each of these functions.
  return stream_of(id, static_cast<const cuStreamEndCapture_params*>(data.functionParams)->hStream);
}

std::string readable_name(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> demangled(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0 || !demangled) return symbol;
  std::string name = demangled.get();
  // The parameter list is what the last parenthesis at the outermost level of templates opens.
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) {
      name.resize(i);
      break;
    }
  }
  if (name.rfind("void ", 0) == 0) name.erase(0, 5);
  return name.empty() ? symbol : name;
}

}  // namespace gpuprobe::cupti
