// A CUDA driver made of host memory: device pointers are host pointers, a launch calls a function of the
// test, and any call can be made to fail. One state a process, reset by each test.
#pragma once

#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/compiled_kernel.h"
#include "core/kernel.h"
#include "core/result.h"
#include "metrics/cupti/driver_api.h"

namespace gpuprobe::cupti {

struct FakeDriver {
  std::map<std::string, CUresult> fails;         ///< calls that fail, and how
  std::vector<std::string> calls;                ///< in order
  std::map<CUdevice_attribute, int> attributes;  ///< what is not here is 1
  std::string device_name = "Fake GPU";
  int device_count = 1;
  bool never_done = false;                  ///< the kernel does not end
  std::function<void(void** args)> kernel;  ///< what a launch does
  CUlaunchConfig last_launch{};
  CUlaunchAttribute last_attribute{};
  std::map<CUfunction_attribute, int> function_attributes;
  int live_allocations = 0;

  CUresult called(const char* name) {
    calls.push_back(name);
    const auto fail = fails.find(name);
    return fail == fails.end() ? CUDA_SUCCESS : fail->second;
  }
  int count(const std::string& name) const {
    int n = 0;
    for (const std::string& call : calls) n += call == name;
    return n;
  }
};

inline FakeDriver& fake_driver() {
  static FakeDriver state;
  return state;
}

template <class T>
T fake_handle(std::uintptr_t value) {
  return reinterpret_cast<T>(value);
}

constexpr std::uintptr_t kDigestFunction = 0x31;

/// What a launch of the digest kernel does; the digest is FNV-1a, not that of the kernel.
inline void fake_digest(void** args) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(*static_cast<CUdeviceptr*>(args[0]));
  const auto size = *static_cast<std::uint64_t*>(args[1]);
  std::uint64_t digest = 0xcbf29ce484222325;
  for (std::uint64_t i = 0; i < size; ++i) digest = (digest ^ bytes[i]) * 0x100000001b3;
  *reinterpret_cast<std::uint64_t*>(*static_cast<CUdeviceptr*>(args[2])) += digest;
}

/// In place of the compiler: what it is asked for is made, and holds nothing.
inline Result<CompiledKernel> fake_compile(const Kernel&, std::string_view arch) {
  CompiledKernel compiled;
  compiled.arch = arch;
  compiled.cubin = {1};
  return compiled;
}

/// A fresh state of a compute-capability 9.0 device, and the table that works on it.
inline DriverApi make_fake_driver() {
  fake_driver() = {};
  fake_driver().attributes = {{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
                              {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
                              {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
                              {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
                              {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 1024}};
  DriverApi api;
  api.Init = [](unsigned) { return fake_driver().called("Init"); };
  api.DriverGetVersion = [](int* version) {
    *version = 13000;
    return fake_driver().called("DriverGetVersion");
  };
  api.DeviceGetCount = [](int* count) {
    *count = fake_driver().device_count;
    return fake_driver().called("DeviceGetCount");
  };
  api.DeviceGet = [](CUdevice* device, int ordinal) {
    *device = ordinal;
    return fake_driver().called("DeviceGet");
  };
  api.DeviceGetName = [](char* name, int size, CUdevice) {
    std::strncpy(name, fake_driver().device_name.c_str(), static_cast<std::size_t>(size));
    return fake_driver().called("DeviceGetName");
  };
  api.DeviceGetAttribute = [](int* value, CUdevice_attribute attribute, CUdevice) {
    const auto found = fake_driver().attributes.find(attribute);
    *value = found == fake_driver().attributes.end() ? 1 : found->second;
    return fake_driver().called("DeviceGetAttribute");
  };
  api.CtxCreate = [](CUcontext* context, unsigned, CUdevice) {
    *context = fake_handle<CUcontext>(0x10);
    return fake_driver().called("CtxCreate");
  };
  api.CtxDestroy = [](CUcontext) { return fake_driver().called("CtxDestroy"); };
  api.CtxSetCurrent = [](CUcontext) { return fake_driver().called("CtxSetCurrent"); };
  api.ModuleLoadData = [](CUmodule* module, const void*) {
    *module = fake_handle<CUmodule>(0x20);
    return fake_driver().called("ModuleLoadData");
  };
  api.ModuleUnload = [](CUmodule) { return fake_driver().called("ModuleUnload"); };
  api.ModuleGetFunction = [](CUfunction* function, CUmodule, const char* name) {
    *function = fake_handle<CUfunction>(std::strcmp(name, "buffer_digest") == 0 ? kDigestFunction : 0x30);
    return fake_driver().called("ModuleGetFunction");
  };
  api.FuncSetAttribute = [](CUfunction, CUfunction_attribute attribute, int value) {
    fake_driver().function_attributes[attribute] = value;
    return fake_driver().called("FuncSetAttribute");
  };
  api.MemAlloc = [](CUdeviceptr* address, std::size_t bytes) {
    const CUresult result = fake_driver().called("MemAlloc");
    if (result != CUDA_SUCCESS) return result;
    ++fake_driver().live_allocations;
    *address = reinterpret_cast<CUdeviceptr>(std::calloc(bytes, 1));
    return result;
  };
  api.MemFree = [](CUdeviceptr address) {
    --fake_driver().live_allocations;
    std::free(reinterpret_cast<void*>(address));
    return fake_driver().called("MemFree");
  };
  api.MemcpyHtoD = [](CUdeviceptr to, const void* from, std::size_t bytes) {
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return fake_driver().called("MemcpyHtoD");
  };
  api.MemcpyDtoH = [](void* to, CUdeviceptr from, std::size_t bytes) {
    std::memcpy(to, reinterpret_cast<void*>(from), bytes);
    return fake_driver().called("MemcpyDtoH");
  };
  api.MemcpyDtoDAsync = [](CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream) {
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
    return fake_driver().called("MemcpyDtoDAsync");
  };
  api.MemsetD8Async = [](CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream) {
    std::memset(reinterpret_cast<void*>(to), value, bytes);
    return fake_driver().called("MemsetD8Async");
  };
  api.EventCreate = [](CUevent* event, unsigned) {
    *event = fake_handle<CUevent>(0x40);
    return fake_driver().called("EventCreate");
  };
  api.EventDestroy = [](CUevent) { return fake_driver().called("EventDestroy"); };
  api.EventRecord = [](CUevent, CUstream) { return fake_driver().called("EventRecord"); };
  api.EventQuery = [](CUevent) {
    const CUresult result = fake_driver().called("EventQuery");
    return result == CUDA_SUCCESS && fake_driver().never_done ? CUDA_ERROR_NOT_READY : result;
  };
  api.EventElapsedTime = [](float* milliseconds, CUevent, CUevent) {
    *milliseconds = static_cast<float>(fake_driver().count("EventElapsedTime") + 1);
    return fake_driver().called("EventElapsedTime");
  };
  api.MemHostAlloc = [](void** memory, std::size_t bytes, unsigned) {
    *memory = std::calloc(bytes, 1);
    return fake_driver().called("MemHostAlloc");
  };
  api.MemFreeHost = [](void* memory) {
    std::free(memory);
    return fake_driver().called("MemFreeHost");
  };
  api.StreamWaitValue32 = [](CUstream, CUdeviceptr, std::uint32_t, unsigned) {
    return fake_driver().called("StreamWaitValue32");
  };
  api.LaunchKernelEx = [](const CUlaunchConfig* config, CUfunction function, void** args, void**) {
    if (function == fake_handle<CUfunction>(kDigestFunction)) {
      fake_digest(args);
      return fake_driver().called("Digest");
    }
    fake_driver().last_launch = *config;
    if (config->numAttrs > 0) fake_driver().last_attribute = config->attrs[0];
    const CUresult result = fake_driver().called("LaunchKernelEx");
    if (result == CUDA_SUCCESS && fake_driver().kernel) fake_driver().kernel(args);
    return result;
  };
  api.OccupancyMaxActiveBlocksPerMultiprocessor = [](int* blocks, CUfunction, int, std::size_t) {
    *blocks = 7;
    return fake_driver().called("OccupancyMaxActiveBlocksPerMultiprocessor");
  };
  return api;
}

}  // namespace gpuprobe::cupti
