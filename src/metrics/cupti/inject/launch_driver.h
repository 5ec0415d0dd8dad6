// The driver functions that only an injected profiler calls: facts of a function that somebody else loaded,
// and the state of the stream that it is launched into.
#pragma once

#include <cuda.h>

#include <string>

#include "core/compiled_kernel.h"
#include "core/result.h"

namespace gpuprobe::cupti {

struct LaunchDriver {
  decltype(&::cuCtxGetDevice) CtxGetDevice = nullptr;
  decltype(&::cuDeviceGetPCIBusId) DeviceGetPCIBusId = nullptr;
  decltype(&::cuCtxSynchronize) CtxSynchronize = nullptr;
  decltype(&::cuStreamIsCapturing) StreamIsCapturing = nullptr;
  decltype(&::cuThreadExchangeStreamCaptureMode) ThreadExchangeStreamCaptureMode = nullptr;
  decltype(&::cuFuncGetAttribute) FuncGetAttribute = nullptr;
  /// nullptr on drivers before CUDA 12, which know no context-independent kernels.
  decltype(&::cuKernelGetFunction) KernelGetFunction = nullptr;
};

/// From the libcuda that the program itself has loaded. Errors: kMachine naming the function that it lacks.
Result<LaunchDriver> launch_driver();

/// Registers, static shared and local memory of `function`, which may also be a context-independent kernel.
/// Errors: kMachine.
Result<FunctionResources> function_resources(const LaunchDriver& driver, CUfunction function);

}  // namespace gpuprobe::cupti
