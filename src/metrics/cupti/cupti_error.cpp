#include "metrics/cupti/cupti_error.h"

#include <fmt/format.h>

#include <array>

namespace gpuprobe::cupti {
namespace {

struct Explanation {
  CUptiResult result;
  ErrorCode code;
  const char* name;
  const char* cause;
  const char* remedy;
};

constexpr const char* kPredict = "Use --source model to predict instead.";

constexpr std::array<Explanation, 21> kExplanations{{
    {CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, ErrorCode::kMachine, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES",
     "this user may not read GPU performance counters (the driver restricts them to administrators)",
     "Run as root or with CAP_SYS_ADMIN, or let every user read them: put\n"
     "  options nvidia NVreg_RestrictProfilingToAdminUsers=0\n"
     "into /etc/modprobe.d/nvidia-profiling.conf, then reload the nvidia modules or reboot. In a container, "
     "start it "
     "with --cap-add=SYS_ADMIN. Or predict: --source model."},
    {CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES, ErrorCode::kMachine,
     "CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES",
     "the hypervisor does not allow profiling on this virtual GPU",
     "Ask the host's administrator to enable profiling for this VM (vGPU plug-in parameter "
     "enable_profiling=1), or "
     "predict: --source model."},
    {CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, ErrorCode::kMachine,
     "CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED", "counters are not available on this virtual GPU",
     "Use a GPU that is passed through whole, or predict: --source model."},
    {CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED, ErrorCode::kMachine, "CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED",
     "the device is a MIG slice, on which these counters are not available",
     "Use a GPU with MIG off (nvidia-smi -i GPU -mig 0, as administrator), or predict: --source model."},
    {CUPTI_ERROR_HARDWARE_BUSY, ErrorCode::kMachine, "CUPTI_ERROR_HARDWARE_BUSY",
     "the performance counters are in use by another profiler (Nsight, another gpuprobe, DCGM's profiling "
     "metrics)",
     "End the other profiler; for DCGM: dcgmi profile --pause, and --resume afterwards. Then try again."},
    {CUPTI_ERROR_DISABLED, ErrorCode::kMachine, "CUPTI_ERROR_DISABLED",
     "another profiler is attached to this process, and CUPTI serves one at a time",
     "Run gpuprobe outside nsys, ncu and other tools that inject a profiler (look at "
     "CUDA_INJECTION64_PATH)."},
    {CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, ErrorCode::kMachine,
     "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED",
     "another tool (Nsight Systems, Nsight Compute, cuda-gdb) is attached to this process",
     "Run gpuprobe without the other tool."},
    {CUPTI_ERROR_NOT_INITIALIZED, ErrorCode::kMachine, "CUPTI_ERROR_NOT_INITIALIZED",
     "CUPTI could not connect to the CUDA driver (it may be newer than the driver)",
     "Use a CUPTI of the driver's CUDA version or older (set GPUPROBE_CUPTI to its folder), or update the "
     "driver."},
    {CUPTI_ERROR_OUT_OF_MEMORY, ErrorCode::kMachine, "CUPTI_ERROR_OUT_OF_MEMORY",
     "there is not enough memory on the GPU or the host for the profiler's buffers",
     "Free GPU memory (nvidia-smi lists who holds it) or choose a smaller problem size."},
    {CUPTI_ERROR_INVALID_CHIP_NAME, ErrorCode::kMachine, "CUPTI_ERROR_INVALID_CHIP_NAME",
     "this CUPTI does not know the GPU's chip", "Install a newer CUDA toolkit, or predict: --source model."},
    {CUPTI_ERROR_NOT_SUPPORTED, ErrorCode::kMachine, "CUPTI_ERROR_NOT_SUPPORTED",
     "this GPU or system does not support it", kPredict},
    {CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED, ErrorCode::kMachine,
     "CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED",
     "confidential computing is on, which forbids reading counters", kPredict},
    {CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED, ErrorCode::kMachine, "CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED",
     "the device is a mining processor (CMP), which offers no counters", kPredict},
    {CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED, ErrorCode::kMachine, "CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED",
     "SLI is enabled", "Disable SLI, then try again."},
    {CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED, ErrorCode::kMachine, "CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED",
     "counters are not available under WSL with this driver",
     "Allow counter access in the Windows NVIDIA Control Panel, or predict: --source model."},
    {CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED, ErrorCode::kMachine,
     "CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED", "the GPU is older than compute capability 7.5", kPredict},
    {CUPTI_ERROR_HARDWARE, ErrorCode::kMachine, "CUPTI_ERROR_HARDWARE",
     "the performance-monitoring hardware reported an error",
     "Try again; if it persists, look at dmesg for Xid."},
    {CUPTI_ERROR_INVALID_METRIC_NAME, ErrorCode::kMachine, "CUPTI_ERROR_INVALID_METRIC_NAME",
     "this chip or this CUPTI does not have the counter", "Install a newer CUDA toolkit."},
    {CUPTI_ERROR_INVALID_PARAMETER, ErrorCode::kDefect, "CUPTI_ERROR_INVALID_PARAMETER",
     "gpuprobe passed a parameter that this CUPTI refuses",
     "Please report it with the output of `gpuprobe doctor`."},
    {CUPTI_ERROR_INVALID_OPERATION, ErrorCode::kDefect, "CUPTI_ERROR_INVALID_OPERATION",
     "the call came in a state in which CUPTI refuses it",
     "Please report it with the output of `gpuprobe doctor`."},
    {CUPTI_ERROR_UNKNOWN, ErrorCode::kMachine, "CUPTI_ERROR_UNKNOWN",
     "CUPTI met an internal error (often a driver that does not match, or an earlier failure of the kernel)",
     "Check that `nvidia-smi` works and that the kernel itself runs (without counters), then try again."},
}};

}  // namespace

Error cupti_error(CUptiResult result, std::string_view doing) {
  for (const Explanation& entry : kExplanations)
    if (entry.result == result)
      return {entry.code, fmt::format("CUPTI failed while {}: {} ({}).", doing, entry.cause, entry.name),
              entry.remedy};
  return {ErrorCode::kMachine,
          fmt::format("CUPTI failed while {}: result {}.", doing, static_cast<int>(result)),
          "Look the result up in cupti_result.h of the installed CUDA toolkit, or predict: --source model."};
}

}  // namespace gpuprobe::cupti
