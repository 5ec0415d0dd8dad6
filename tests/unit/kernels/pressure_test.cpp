// `pressure` uses exactly the registers and the shared memory that it is asked for, on every architecture.
#include <gtest/gtest.h>

#include "unit/kernels/families.h"

namespace gpuprobe {
namespace {

FunctionResources compiled_pressure(const std::string& options, const char* arch) {
  const auto kernel = built("pressure", options);
  EXPECT_TRUE(kernel.has_value()) << kernel.error().what;
  const auto compiled = compile::compile(*kernel, arch);
  EXPECT_TRUE(compiled.has_value()) << compiled.error().what;
  return compiled->functions.front();
}

class Pressure : public testing::TestWithParam<const char*> {};

TEST_P(Pressure, RegistersAreExact) {
  // Occupancy knows only multiples of 8 (a warp gets registers in units of 256); other counts on a sample.
  for (const int registers : {24, 32, 40, 64, 72, 96, 128, 168, 200, 248, 255, 27, 90, 151}) {
    const FunctionResources f = compiled_pressure("--regs " + std::to_string(registers), GetParam());
    EXPECT_EQ(f.registers, registers);
    EXPECT_EQ(f.local_bytes, 0u) << registers;
  }
  for (const int registers : {32, 64, 128}) {
    for (const char* rest : {" --ilp 2", " --ilp 4", " --shared 1024", " --ilp 4 --shared 1024 --dynamic"}) {
      const FunctionResources f = compiled_pressure("--regs " + std::to_string(registers) + rest, GetParam());
      EXPECT_EQ(f.registers, registers) << rest;
      EXPECT_EQ(f.local_bytes, 0u) << rest;
    }
  }
}

TEST_P(Pressure, SharedMemoryIsExact) {
  for (const std::uint32_t bytes : {4u, 100u, 8192u, 49152u})
    EXPECT_EQ(compiled_pressure("--shared " + std::to_string(bytes), GetParam()).shared_static, bytes);
  EXPECT_EQ(compiled_pressure("--shared 8192 --dynamic", GetParam()).shared_static, 0u);
  EXPECT_EQ(built("pressure", "--shared 8192 --dynamic")->steps[0].launch.dynamic_shared, 8192u);
  EXPECT_EQ(built("pressure", "--shared 100000")->steps[0].launch.dynamic_shared, 100000u);
}

INSTANTIATE_TEST_SUITE_P(Architectures, Pressure, testing::Values("sm_75", "sm_86", "sm_90", "sm_120"),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace gpuprobe
