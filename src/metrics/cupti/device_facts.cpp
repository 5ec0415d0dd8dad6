#include "metrics/cupti/device_facts.h"

#include <fmt/format.h>

#include "metrics/cupti/driver_error.h"

namespace gpuprobe::cupti {
namespace {

constexpr double kHertzPerKilohertz = 1000.0;
constexpr double kTransfersPerClock =
    2.0;  ///< the driver's memory clock is half the data rate on GDDR and HBM
constexpr double kBitsPerByte = 8.0;

/// Reads attributes and keeps the first failure.
class Attributes {
 public:
  Attributes(const DriverApi& driver, CUdevice device) : driver_(driver), device_(device) {}

  int operator()(CUdevice_attribute attribute) {
    int value = 0;
    const CUresult result = driver_.DeviceGetAttribute(&value, attribute, device_);
    if (result != CUDA_SUCCESS && failure_ == CUDA_SUCCESS) failure_ = result;
    return value;
  }
  CUresult failure() const { return failure_; }

 private:
  const DriverApi& driver_;
  CUdevice device_;
  CUresult failure_ = CUDA_SUCCESS;
};

/// FP32 additions, products or multiply-adds that an SM starts each cycle; 0 if not known. Source: CUDA C++
/// Programming Guide, "Throughput of Native Arithmetic Instructions".
int fp32_lanes(int cc_major, int cc_minor) {
  if (cc_major == 7 || (cc_major == 8 && cc_minor == 0)) return 64;
  return cc_major >= 8 && cc_major <= 12 ? 128 : 0;
}

}  // namespace

std::vector<int> carveouts_of(int cc_major, int cc_minor) {
  const int cc = cc_major * 10 + cc_minor;
  switch (cc) {
    case 75:
      return {32, 64};
    case 80:
    case 87:
      return {0, 8, 16, 32, 64, 100, 132, 164};
    case 86:
    case 89:
    case 120:
    case 121:
      return {0, 8, 16, 32, 64, 100};
    case 90:
    case 100:
    case 103:
    case 110:
      return {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
    default:
      return {};
  }
}

Result<DeviceSpec> device_facts(const DriverApi& driver, CUdevice device) {
  DeviceSpec spec;
  char name[256] = {};
  if (auto status = check_driver(driver.DeviceGetName(name, sizeof name - 1, device), "asking for its name");
      !status)
    return tl::unexpected(status.error());
  spec.name = name;
  Attributes get(driver, device);
  spec.cc_major = get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  spec.cc_minor = get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  spec.arch = fmt::format("sm_{}{}", spec.cc_major, spec.cc_minor);
  spec.sm_count = get(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  spec.max_threads_per_block = get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  spec.max_warps_per_sm = get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) / 32;
  spec.max_blocks_per_sm = get(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  spec.registers_per_sm = get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  spec.registers_per_block = get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  spec.shared_per_sm = get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  spec.shared_per_block = get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  spec.shared_per_block_optin = get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  spec.shared_reserved_per_block = get(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
  spec.shared_unit = spec.cc_major == 7 ? 256 : 128;  // cuda_occupancy.h
  spec.carveouts_kib = carveouts_of(spec.cc_major, spec.cc_minor);
  spec.rates.sm_clock_hz = get(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) * kHertzPerKilohertz;
  spec.rates.fp32_flops_per_second =
      2.0 * fp32_lanes(spec.cc_major, spec.cc_minor) * spec.sm_count * spec.rates.sm_clock_hz;
  spec.rates.l2_capacity_bytes = get(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  spec.rates.dram_bytes_per_second = get(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) * kHertzPerKilohertz *
                                     kTransfersPerClock * get(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) /
                                     kBitsPerByte;
  spec.rates.source = "driver attributes of this device";
  if (auto status = check_driver(get.failure(), "reading the device's attributes"); !status)
    return tl::unexpected(status.error());
  return spec;
}

}  // namespace gpuprobe::cupti
