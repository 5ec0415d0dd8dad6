// One kernel launch as the driver's callback shows it, whichever of the driver's launch functions was called.
//
//   if (kind_of(id) == CallKind::kLaunch) LaunchCall call = launch_call(id, data);
#pragma once

#include <cupti.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/launch.h"

namespace gpuprobe::cupti {

struct LaunchCall {
  CUfunction function = nullptr;
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  std::string symbol;  ///< mangled name
  Launch launch;
  bool cooperative = false;
};

/// What a driver function that a subscriber asks for does.
enum class CallKind {
  kLaunch,        ///< of one kernel
  kGraph,         ///< launches a whole graph
  kBeginCapture,  ///< of a stream into a graph
  kEndCapture,
  kMemory,  ///< copies or sets memory on the GPU
};

/// The functions that launch kernels or graphs or capture streams.
const std::vector<CUpti_CallbackId>& watched_calls();
/// True for the name of a function that copies or sets memory, as CUPTI gives it ("cuMemcpyHtoDAsync_v2").
bool writes_memory(std::string_view function);
/// kMemory for whatever is not in watched_calls().
CallKind kind_of(CUpti_CallbackId id);

/// Of kind kLaunch. The launch's parameters, whichever function it was.
LaunchCall launch_call(CUpti_CallbackId id, const CUpti_CallbackData& data);
/// Of kind kBeginCapture or kEndCapture.
CUstream captured_stream(CUpti_CallbackId id, const CUpti_CallbackData& data);

/// "void scale<float>(float*, float)" -> "scale<float>"; a name that is not mangled stays.
std::string readable_name(const std::string& symbol);

}  // namespace gpuprobe::cupti
