// Every way in which a machine can refuse to measure has its own message, with cause and remedy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "metrics/cupti/cupti_error.h"
#include "metrics/cupti/driver_error.h"
#include "metrics/cupti/gpu.h"
#include "metrics/cupti/shared_library.h"
#include "unit/metrics/cupti/fake_cupti.h"
#include "unit/metrics/cupti/fake_driver.h"

namespace gpuprobe::cupti {
namespace {

using testing::HasSubstr;

struct CuptiCase {
  CUptiResult result;
  const char* says;    ///< in `what`
  const char* remedy;  ///< in `hint`
};

TEST(CuptiErrors, EachHasItsOwnCauseAndRemedy) {
  const CuptiCase cases[] = {
      {CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, "may not read GPU performance counters",
       "NVreg_RestrictProfilingToAdminUsers=0"},
      {CUPTI_ERROR_HARDWARE_BUSY, "in use by another profiler", "dcgmi profile --pause"},
      {CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED, "MIG slice", "-mig 0"},
      {CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, "virtual GPU", "--source model"},
      {CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES, "hypervisor", "enable_profiling=1"},
      {CUPTI_ERROR_OUT_OF_MEMORY, "not enough memory", "smaller problem"},
      {CUPTI_ERROR_NOT_INITIALIZED, "could not connect to the CUDA driver", "update the driver"},
      {CUPTI_ERROR_INVALID_CHIP_NAME, "does not know the GPU's chip", "newer CUDA toolkit"},
      {CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, "another tool", "without the other tool"},
      {CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED, "confidential computing", "--source model"},
      {CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED, "WSL", "Control Panel"},
      {CUPTI_ERROR_HARDWARE, "hardware reported an error", "dmesg"},
  };
  std::set<std::string> seen;
  for (const CuptiCase& one : cases) {
    const Error error = cupti_error(one.result, "opening");
    EXPECT_EQ(error.code, ErrorCode::kMachine) << one.says;
    EXPECT_THAT(error.what, HasSubstr(one.says));
    EXPECT_THAT(error.hint, HasSubstr(one.remedy));
    EXPECT_TRUE(seen.insert(error.what).second);
  }
}

TEST(CuptiErrors, AResultThatNobodyListedKeepsItsNumber) {
  const Error error = cupti_error(static_cast<CUptiResult>(777), "starting");
  EXPECT_THAT(error.what, HasSubstr("777"));
  EXPECT_THAT(error.what, HasSubstr("starting"));
  EXPECT_FALSE(error.hint.empty());
}

TEST(DriverErrors, SeparateTheKernelsFaultsFromTheMachines) {
  for (CUresult result : {CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_MISALIGNED_ADDRESS, CUDA_ERROR_LAUNCH_FAILED,
                          CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, CUDA_ERROR_ASSERT, CUDA_ERROR_INVALID_VALUE})
    EXPECT_EQ(driver_error(result, "running").code, ErrorCode::kKernel) << result;
  for (CUresult result : {CUDA_ERROR_NO_DEVICE, CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_DEVICE_UNAVAILABLE,
                          CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, CUDA_ERROR_ECC_UNCORRECTABLE,
                          CUDA_ERROR_NO_BINARY_FOR_GPU, static_cast<CUresult>(12345)}) {
    EXPECT_EQ(driver_error(result, "running").code, ErrorCode::kMachine) << result;
    EXPECT_FALSE(driver_error(result, "running").hint.empty()) << result;
  }
  EXPECT_THAT(driver_error(static_cast<CUresult>(12345), "running").what, HasSubstr("12345"));
}

TEST(SharedLibrary, SaysWhatWasTried) {
  auto library = SharedLibrary::open({"/nowhere/libone.so", "/nowhere/libtwo.so"});
  ASSERT_FALSE(library);
  EXPECT_THAT(library.error().what, HasSubstr("/nowhere/libone.so"));
  EXPECT_THAT(library.error().what, HasSubstr("/nowhere/libtwo.so"));
}

TEST(SharedLibrary, FindsSymbols) {
  auto library = SharedLibrary::open({"/nowhere/libone.so", "libm.so.6"});
  ASSERT_TRUE(library) << library.error().what;
  EXPECT_EQ(library->path(), "libm.so.6");
  EXPECT_NE(library->symbol("cos"), nullptr);
  EXPECT_EQ(library->symbol("no_such_function"), nullptr);
}

TEST(CuptiVersions, ReadBothNumberings) {
  EXPECT_EQ(cuda_version_of_cupti(24), 12060);
  EXPECT_EQ(cuda_version_of_cupti(28), 12090);
  EXPECT_EQ(cuda_version_of_cupti(130001), 13000);
  EXPECT_EQ(cuda_version_of_cupti(130100), 13010);
  EXPECT_EQ(cuda_version_of_cupti(3), 0);
  EXPECT_EQ(cupti_version_text(130001), "13.0");
  EXPECT_EQ(cupti_version_text(26), "12.8");
}

/// Opens a GPU over the fakes.
Result<std::unique_ptr<Gpu>> open_fake(const DriverApi& driver, const CuptiApi& cupti, int ordinal = 0) {
  std::promise<Result<const CuptiApi*>> loaded;
  loaded.set_value(&cupti);
  return Gpu::open(driver, loaded.get_future(), ordinal, fake_compile);
}

TEST(OpeningAGpu, Works) {
  const DriverApi driver = make_fake_driver();
  const CuptiApi cupti = make_fake_cupti();
  auto gpu = open_fake(driver, cupti);
  ASSERT_TRUE(gpu) << gpu.error().what;
  EXPECT_EQ((*gpu)->spec().name, "Fake GPU");
  EXPECT_EQ((*gpu)->spec().chip, "gh100");
  EXPECT_EQ((*gpu)->spec().arch, "sm_90");
  EXPECT_EQ((*gpu)->spec().max_warps_per_sm, 64);
  EXPECT_EQ((*gpu)->spec().carveouts_kib.back(), 228);
  EXPECT_EQ((*gpu)->environment().cupti, "13.0");
  gpu->reset();
  EXPECT_EQ(fake_cupti().count("RangeProfilerDisable"), 1);
  EXPECT_EQ(fake_driver().count("CtxDestroy"), 1);
}

TEST(OpeningAGpu, WithoutAnyDevice) {
  const DriverApi driver = make_fake_driver();
  const CuptiApi cupti = make_fake_cupti();
  fake_driver().device_count = 0;
  auto gpu = open_fake(driver, cupti);
  ASSERT_FALSE(gpu);
  EXPECT_THAT(gpu.error().what, HasSubstr("sees no GPU"));
  EXPECT_EQ(fake_driver().count("CtxCreate"), 0);
}

TEST(OpeningAGpu, OfANumberThatIsNotThere) {
  const DriverApi driver = make_fake_driver();
  const CuptiApi cupti = make_fake_cupti();
  fake_driver().device_count = 2;
  for (int ordinal : {-1, 2}) {
    auto gpu = open_fake(driver, cupti, ordinal);
    ASSERT_FALSE(gpu);
    EXPECT_THAT(gpu.error().what, HasSubstr("sees 2 devices"));
    EXPECT_THAT(gpu.error().hint, HasSubstr("--device 0 to 1"));
  }
}

TEST(OpeningAGpu, ThatIsTooOld) {
  const DriverApi driver = make_fake_driver();
  const CuptiApi cupti = make_fake_cupti();
  fake_driver().attributes[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR] = 7;
  auto gpu = open_fake(driver, cupti);
  ASSERT_FALSE(gpu);
  EXPECT_THAT(gpu.error().what, HasSubstr("compute capability 7.0"));
  fake_driver().attributes[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR] = 5;
  EXPECT_TRUE(open_fake(driver, cupti));
}

TEST(OpeningAGpu, ThatIsAMigSlice) {
  const DriverApi driver = make_fake_driver();
  const CuptiApi cupti = make_fake_cupti();
  fake_driver().device_name = "NVIDIA H100 MIG 1g.10gb";
  auto gpu = open_fake(driver, cupti);
  ASSERT_FALSE(gpu);
  EXPECT_THAT(gpu.error().what, HasSubstr("MIG slice"));
}

TEST(OpeningAGpu, WithACuptiThatIsNewerThanTheDriver) {
  const DriverApi driver = make_fake_driver();
  const CuptiApi cupti = make_fake_cupti();
  fake_cupti().version = 140000;
  auto gpu = open_fake(driver, cupti);
  ASSERT_FALSE(gpu);
  EXPECT_THAT(gpu.error().what, HasSubstr("CUPTI is newer than the driver"));
  EXPECT_TRUE(check_versions(130100, 13000)) << "a newer minor version may work";
  EXPECT_TRUE(check_versions(24, 13000));
}

TEST(OpeningAGpu, OfAChipThatCuptiDoesNotKnow) {
  const DriverApi driver = make_fake_driver();
  const CuptiApi cupti = make_fake_cupti();
  fake_cupti().chip = "GR100";
  auto gpu = open_fake(driver, cupti);
  ASSERT_FALSE(gpu);
  EXPECT_THAT(gpu.error().what, HasSubstr("does not know the GPU's chip (gr100)"));
}

TEST(OpeningAGpu, WithoutPermissionOrWithBusyCounters) {
  const DriverApi driver = make_fake_driver();
  for (const auto& [result, says] : {std::pair{CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, "may not read"},
                                     std::pair{CUPTI_ERROR_HARDWARE_BUSY, "in use by another profiler"}}) {
    const CuptiApi cupti = make_fake_cupti();
    fake_cupti().fails["RangeProfilerEnable"] = result;
    auto gpu = open_fake(driver, cupti);
    ASSERT_FALSE(gpu);
    EXPECT_EQ(gpu.error().code, ErrorCode::kMachine);
    EXPECT_THAT(gpu.error().what, HasSubstr(says));
  }
}

TEST(OpeningAGpu, ThatCannotBeProfiledSaysWhy) {
  const DriverApi driver = make_fake_driver();
  const auto refusal = [&](auto CUpti_Profiler_DeviceSupported_Params::*field,
                           CUpti_Profiler_Support_Level level) {
    const CuptiApi cupti = make_fake_cupti();
    fake_cupti().support.isSupported = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
    fake_cupti().support.*field = level;
    auto gpu = open_fake(driver, cupti);
    return gpu ? std::string("opened") : gpu.error().what;
  };
  const auto no = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
  using P = CUpti_Profiler_DeviceSupported_Params;
  EXPECT_THAT(refusal(&P::vGpu, no), HasSubstr("not available on this virtual GPU"));
  EXPECT_THAT(refusal(&P::vGpu, CUPTI_PROFILER_CONFIGURATION_DISABLED), HasSubstr("hypervisor"));
  EXPECT_THAT(refusal(&P::sli, no), HasSubstr("SLI"));
  EXPECT_THAT(refusal(&P::confidentialCompute, no), HasSubstr("confidential"));
  EXPECT_THAT(refusal(&P::cmp, no), HasSubstr("mining"));
  EXPECT_THAT(refusal(&P::wsl, no), HasSubstr("WSL"));
  EXPECT_THAT(refusal(&P::isSupported, no), HasSubstr("does not support it"));
}

TEST(OpeningAGpu, WithoutCuptiGivesItsError) {
  const DriverApi driver = make_fake_driver();
  std::promise<Result<const CuptiApi*>> loaded;
  loaded.set_value(fail(ErrorCode::kMachine, "CUPTI was not found", "install it"));
  auto gpu = Gpu::open(driver, loaded.get_future(), 0, fake_compile);
  ASSERT_FALSE(gpu);
  EXPECT_EQ(gpu.error().what, "CUPTI was not found");
  EXPECT_EQ(fake_driver().count("CtxDestroy"), 1) << "the context does not leak";
}

}  // namespace
}  // namespace gpuprobe::cupti
