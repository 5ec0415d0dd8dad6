#include "metrics/cupti/driver_error.h"

#include <fmt/format.h>

#include <array>

namespace gpuprobe::cupti {
namespace {

struct Explanation {
  CUresult result;
  ErrorCode code;
  const char* name;
  const char* cause;
  const char* remedy;
};

constexpr const char* kSanitize =
    "Predict it (--source model names the line, thread and address), or run it under compute-sanitizer.";
constexpr const char* kSmallerLaunch =
    "Use fewer threads a block, fewer registers (--maxrregcount, __launch_bounds__) or less shared memory.";
constexpr const char* kUpdateDriver = "Update the NVIDIA driver, or predict: --source model.";

constexpr std::array<Explanation, 31> kExplanations{{
    {CUDA_ERROR_NO_DEVICE, ErrorCode::kMachine, "CUDA_ERROR_NO_DEVICE",
     "the driver is there, but it sees no GPU",
     "Look at nvidia-smi and at CUDA_VISIBLE_DEVICES; in a container, start it with --gpus all. Or predict: "
     "--source model."},
    {CUDA_ERROR_INVALID_DEVICE, ErrorCode::kMachine, "CUDA_ERROR_INVALID_DEVICE", "there is no such device",
     "`gpuprobe doctor` lists the devices; choose one with --device."},
    {CUDA_ERROR_DEVICE_UNAVAILABLE, ErrorCode::kMachine, "CUDA_ERROR_DEVICE_UNAVAILABLE",
     "the device is busy or in exclusive mode and another process holds it",
     "End the other process (nvidia-smi lists it), or set the compute mode back: nvidia-smi -c DEFAULT."},
    {CUDA_ERROR_DEVICE_NOT_LICENSED, ErrorCode::kMachine, "CUDA_ERROR_DEVICE_NOT_LICENSED",
     "the virtual GPU has no licence for compute", "Get a vGPU licence, or predict: --source model."},
    {CUDA_ERROR_NOT_INITIALIZED, ErrorCode::kMachine, "CUDA_ERROR_NOT_INITIALIZED",
     "the driver could not be initialised", "Check that `nvidia-smi` works."},
    {CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, ErrorCode::kMachine, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
     "libcuda and the kernel driver are of different versions",
     "Reboot after a driver update, or reinstall the driver."},
    {CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, ErrorCode::kMachine,
     "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
     "forward compatibility (cuda-compat) is not supported on this GPU",
     "Remove cuda-compat from the library path, or update the driver."},
    {CUDA_ERROR_SYSTEM_NOT_READY, ErrorCode::kMachine, "CUDA_ERROR_SYSTEM_NOT_READY",
     "the system is not ready for CUDA yet (on HGX machines: the fabric manager is not running)",
     "Start nvidia-fabricmanager, then try again."},
    {CUDA_ERROR_STUB_LIBRARY, ErrorCode::kMachine, "CUDA_ERROR_STUB_LIBRARY",
     "the libcuda that was loaded is the toolkit's stub", "Take .../stubs out of LD_LIBRARY_PATH."},
    {CUDA_ERROR_OUT_OF_MEMORY, ErrorCode::kMachine, "CUDA_ERROR_OUT_OF_MEMORY",
     "there is not enough free memory on the GPU",
     "Choose a smaller problem size, or free memory (nvidia-smi lists who holds it)."},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, ErrorCode::kMachine, "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "the kernel was compiled for another architecture than this GPU's",
     "Leave --arch out, so that the kernel is compiled for the GPU at hand."},
    {CUDA_ERROR_INVALID_IMAGE, ErrorCode::kMachine, "CUDA_ERROR_INVALID_IMAGE",
     "the driver cannot read the compiled kernel (the compiler may be newer than the driver)", kUpdateDriver},
    {CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER, ErrorCode::kMachine, "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER",
     "the driver is too old for this call", kUpdateDriver},
    {CUDA_ERROR_ECC_UNCORRECTABLE, ErrorCode::kMachine, "CUDA_ERROR_ECC_UNCORRECTABLE",
     "the GPU met an uncorrectable memory error", "Reset the GPU or reboot; look at nvidia-smi -q -d ECC."},
    {CUDA_ERROR_NVLINK_UNCORRECTABLE, ErrorCode::kMachine, "CUDA_ERROR_NVLINK_UNCORRECTABLE",
     "the GPU met an uncorrectable NVLink error", "Reset the GPU or reboot."},
    {CUDA_ERROR_NOT_PERMITTED, ErrorCode::kMachine, "CUDA_ERROR_NOT_PERMITTED",
     "the operation is not permitted on this system", "Run it as a user who may use the GPU."},
    {CUDA_ERROR_NOT_SUPPORTED, ErrorCode::kMachine, "CUDA_ERROR_NOT_SUPPORTED",
     "this GPU or driver does not support it", kUpdateDriver},
    {CUDA_ERROR_MPS_CONNECTION_FAILED, ErrorCode::kMachine, "CUDA_ERROR_MPS_CONNECTION_FAILED",
     "the MPS control daemon does not answer", "Stop MPS, or unset CUDA_MPS_PIPE_DIRECTORY."},
    {CUDA_ERROR_MPS_SERVER_NOT_READY, ErrorCode::kMachine, "CUDA_ERROR_MPS_SERVER_NOT_READY",
     "the MPS server is not ready", "Wait for it, or stop MPS."},
    {CUDA_ERROR_NOT_FOUND, ErrorCode::kKernel, "CUDA_ERROR_NOT_FOUND",
     "the compiled module has no kernel of that name",
     "Check the kernel's name; `gpuprobe source` prints it."},
    {CUDA_ERROR_INVALID_VALUE, ErrorCode::kKernel, "CUDA_ERROR_INVALID_VALUE",
     "the launch configuration is not possible on this GPU (grid, block, cluster or shared memory over a "
     "limit)",
     "Check --block, the grid and the dynamic shared memory against `gpuprobe devices`."},
    {CUDA_ERROR_INVALID_CLUSTER_SIZE, ErrorCode::kKernel, "CUDA_ERROR_INVALID_CLUSTER_SIZE",
     "the cluster does not fit this GPU, or the grid is not a multiple of it",
     "Use a smaller cluster (8 blocks are portable)."},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, ErrorCode::kKernel, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
     "one block needs more registers or shared memory than an SM has: the kernel did not launch",
     kSmallerLaunch},
    {CUDA_ERROR_ILLEGAL_ADDRESS, ErrorCode::kKernel, "CUDA_ERROR_ILLEGAL_ADDRESS",
     "the kernel accessed memory that is not its own", kSanitize},
    {CUDA_ERROR_MISALIGNED_ADDRESS, ErrorCode::kKernel, "CUDA_ERROR_MISALIGNED_ADDRESS",
     "the kernel accessed an address that is not a multiple of the access width", kSanitize},
    {CUDA_ERROR_INVALID_ADDRESS_SPACE, ErrorCode::kKernel, "CUDA_ERROR_INVALID_ADDRESS_SPACE",
     "the kernel accessed an address of the wrong memory space", kSanitize},
    {CUDA_ERROR_ILLEGAL_INSTRUCTION, ErrorCode::kKernel, "CUDA_ERROR_ILLEGAL_INSTRUCTION",
     "the kernel executed an illegal instruction (a trap, perhaps)", kSanitize},
    {CUDA_ERROR_INVALID_PC, ErrorCode::kKernel, "CUDA_ERROR_INVALID_PC", "the kernel jumped outside its code",
     kSanitize},
    {CUDA_ERROR_HARDWARE_STACK_ERROR, ErrorCode::kKernel, "CUDA_ERROR_HARDWARE_STACK_ERROR",
     "the kernel's call stack overflowed", "Reduce the recursion depth or the local arrays."},
    {CUDA_ERROR_ASSERT, ErrorCode::kKernel, "CUDA_ERROR_ASSERT", "an assert in the kernel failed",
     "The message above names the line of the assert."},
    {CUDA_ERROR_LAUNCH_FAILED, ErrorCode::kKernel, "CUDA_ERROR_LAUNCH_FAILED",
     "the kernel ended with an exception on the GPU", kSanitize},
}};

}  // namespace

Error driver_error(CUresult result, std::string_view doing) {
  for (const Explanation& entry : kExplanations)
    if (entry.result == result)
      return {entry.code, fmt::format("CUDA failed while {}: {} ({}).", doing, entry.cause, entry.name),
              entry.remedy};
  return {ErrorCode::kMachine,
          fmt::format("CUDA failed while {}: result {}.", doing, static_cast<int>(result)),
          "Look the result up in cuda.h of the CUDA toolkit, or predict: --source model."};
}

}  // namespace gpuprobe::cupti
