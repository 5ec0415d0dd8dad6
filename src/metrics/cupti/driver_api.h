// The CUDA driver functions that gpuprobe calls, as a table filled from libcuda at run time: the binary
// starts where there is no driver. Tests fill the table themselves to make any call fail as they like.
//
//   Result<const DriverApi*> driver = driver_api();
//   (*driver)->DeviceGetCount(&count);
#pragma once

#include <cuda.h>

#include <string>

#include "core/result.h"

// All names without their "cu" prefix; cuda.h maps some to a versioned symbol, which is what is looked up.
// clang-format off
#define GPUPROBE_DRIVER_FUNCTIONS(X) \
  X(Init) X(DriverGetVersion) X(DeviceGetCount) X(DeviceGet) X(DeviceGetName) X(DeviceGetAttribute) \
  X(CtxDestroy) X(CtxSetCurrent) X(ModuleLoadData) X(ModuleUnload) X(ModuleGetFunction) \
  X(FuncSetAttribute) X(MemAlloc) X(MemFree) X(MemcpyHtoD) X(MemcpyDtoH) X(MemcpyDtoDAsync) \
  X(MemsetD8Async) X(EventCreate) X(EventDestroy) X(EventRecord) X(EventQuery) X(EventElapsedTime) \
  X(MemHostAlloc) X(MemFreeHost) X(StreamWaitValue32) X(LaunchKernelEx) \
  X(OccupancyMaxActiveBlocksPerMultiprocessor)
// clang-format on

namespace gpuprobe::cupti {

struct DriverApi {
#define X(name) decltype(&::cu##name) name = nullptr;
  GPUPROBE_DRIVER_FUNCTIONS(X)
#undef X
  /// cuCtxCreate_v2, which every driver has; the name in cuda.h means another signature in each toolkit.
  CUresult (*CtxCreate)(CUcontext* context, unsigned int flags, CUdevice device) = nullptr;
};

/// The loaded driver, loaded once a process. Errors (kMachine): no libcuda on this machine; too old a driver.
Result<const DriverApi*> driver_api();

/// Version of the kernel driver ("580.159.04") as the system tells it; empty if it does not.
std::string driver_version_text();

}  // namespace gpuprobe::cupti
