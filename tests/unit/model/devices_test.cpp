// The listed GPUs: one representative for each architecture, plausible numbers, every rate with a source.
#include "model/devices/devices.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace gpuprobe {
namespace {

TEST(Devices, EachArchHasExactlyOneRepresentative) {
  std::map<std::string, int> representatives;
  std::set<std::string> names;
  for (const DeviceSpec& device : known_devices()) {
    representatives[device.arch] += device.representative;
    EXPECT_TRUE(names.insert(device.name).second) << device.name;
    EXPECT_EQ(device_by_name(device.name), &device);
  }
  for (const char* arch : {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"})
    EXPECT_EQ(representatives[arch], 1) << arch;
  EXPECT_EQ(device_for_arch("sm_90")->name, "NVIDIA H200");
}

TEST(Devices, UnknownIsNeverTakenForAnother) {
  EXPECT_EQ(device_for_arch("sm_70"), nullptr);
  EXPECT_EQ(device_for_arch("sm_9"), nullptr);
  EXPECT_EQ(device_for_arch(""), nullptr);
  EXPECT_EQ(device_by_name("H200"), nullptr);
  EXPECT_EQ(device_by_name("NVIDIA H200 NVL"), nullptr);
}

TEST(Devices, NumbersHangTogether) {
  for (const DeviceSpec& device : known_devices()) {
    SCOPED_TRACE(device.name);
    EXPECT_EQ(device.arch, "sm_" + std::to_string(device.cc_major * 10 + device.cc_minor));
    EXPECT_FALSE(device.chip.empty());
    EXPECT_FALSE(device.rates.source.empty());
    EXPECT_GT(device.sm_count, 0);
    EXPECT_EQ(device.carveouts_kib.back() * 1024, device.shared_per_sm);
    EXPECT_EQ(device.shared_per_block_optin + device.shared_reserved_per_block, device.shared_per_sm);
    EXPECT_GT(device.rates.dram_bytes_per_second, 0);
    // A peak rate of FP32 is lanes x 2 x clock; 64 lanes an SM on 7.5 and 8.0, 128 elsewhere.
    if (device.rates.sm_clock_hz > 0 && device.rates.fp32_flops_per_second > 0) {
      const int lanes = device.cc_major * 10 + device.cc_minor <= 80 ? 64 : 128;
      EXPECT_NEAR(
          device.rates.fp32_flops_per_second / (device.sm_count * lanes * 2 * device.rates.sm_clock_hz), 1,
          0.01);
    }
  }
}

}  // namespace
}  // namespace gpuprobe
