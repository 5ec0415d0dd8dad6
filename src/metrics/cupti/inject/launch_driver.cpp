#include "metrics/cupti/inject/launch_driver.h"

#include "metrics/cupti/driver_error.h"
#include "metrics/cupti/shared_library.h"

namespace gpuprobe::cupti {
namespace {

constexpr const char* kHint = "Update the NVIDIA driver to one for CUDA 12.6 or newer.";

template <class Function>
bool find(const SharedLibrary& library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(library.symbol(name));
  return function != nullptr;
}

}  // namespace

Result<LaunchDriver> launch_driver() {
  auto library = SharedLibrary::open({"libcuda.so.1"});
  if (!library) return tl::unexpected(library.error());
  LaunchDriver driver;
  if (!find(*library, "cuCtxGetDevice", driver.CtxGetDevice) ||
      !find(*library, "cuDeviceGetPCIBusId", driver.DeviceGetPCIBusId) ||
      !find(*library, "cuCtxSynchronize", driver.CtxSynchronize) ||
      !find(*library, "cuStreamIsCapturing", driver.StreamIsCapturing) ||
      !find(*library, "cuThreadExchangeStreamCaptureMode", driver.ThreadExchangeStreamCaptureMode) ||
      !find(*library, "cuFuncGetAttribute", driver.FuncGetAttribute))
    return fail(ErrorCode::kMachine, "The NVIDIA driver lacks functions that launches are looked at with.",
                kHint);
  find(*library, "cuKernelGetFunction", driver.KernelGetFunction);
  library->keep_loaded();
  return driver;
}

Result<FunctionResources> function_resources(const LaunchDriver& driver, CUfunction function) {
  int value = 0;
  CUresult result = driver.FuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function);
  if (result != CUDA_SUCCESS && driver.KernelGetFunction) {
    CUfunction loaded = nullptr;
    if (driver.KernelGetFunction(&loaded, reinterpret_cast<CUkernel>(function)) == CUDA_SUCCESS) {
      function = loaded;
      result = driver.FuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function);
    }
  }
  if (auto status = check_driver(result, "asking for the kernel's registers"); !status)
    return tl::unexpected(status.error());
  FunctionResources resources;
  resources.registers = value;
  const auto get = [&](CUfunction_attribute attribute) {
    int number = 0;
    if (driver.FuncGetAttribute(&number, attribute, function) != CUDA_SUCCESS) number = 0;
    return number;
  };
  resources.shared_static = static_cast<std::uint32_t>(get(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
  resources.local_bytes = static_cast<std::uint32_t>(get(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
  resources.max_threads = get(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  return resources;
}

}  // namespace gpuprobe::cupti
