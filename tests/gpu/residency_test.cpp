// The occupancy calculator against the driver's own answers, for 2,000 different kernels that `pressure`
// makes: registers and shared memory are read from the cubin, blocks per SM are asked of the driver.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <vector>

#include "compile/compiler.h"
#include "metrics/cupti/context.h"
#include "metrics/cupti/device_facts.h"
#include "metrics/cupti/driver_api.h"
#include "metrics/cupti/shared_library.h"
#include "model/occupancy/calculator.h"
#include "support/temporary_folder.h"
#include "unit/kernels/families.h"

namespace gpuprobe::gpu_test {
namespace {

constexpr std::size_t kKernels = 2000;
constexpr std::uint32_t kSharedWithoutOptIn = 48 * 1024;

struct Made {
  std::string options;
  Kernel kernel;
  CompiledKernel compiled;
  std::string failure;
};

/// Different registers, shared memory and independent sums, each with some block size.
std::vector<Made> random_kernels() {
  std::mt19937 random(20261130);
  const auto below = [&](unsigned bound) { return random() % bound; };
  std::set<std::tuple<unsigned, unsigned, unsigned>> seen;
  std::vector<Made> all;
  while (all.size() < kKernels) {
    const unsigned registers = 24 + below(232);
    const unsigned shared = below(3) == 0 ? 0 : 4 * below(below(3) == 0 ? 58112 : 3072);
    const unsigned ilp = 1U << below(3);
    if (!seen.insert({registers, shared, ilp}).second) continue;
    const unsigned block = below(3) == 0 ? 1 + below(1024) : 32 * (1 + below(32));
    Made made;
    made.options = "--regs " + std::to_string(registers) + " --shared " + std::to_string(shared) + " --ilp " +
                   std::to_string(ilp) + " --block " + std::to_string(block) + " --blocks 132";
    auto kernel = built("pressure", made.options);
    if (!kernel) {
      made.failure = kernel.error().what;
    } else {
      made.kernel = std::move(*kernel);
    }
    all.push_back(std::move(made));
  }
  return all;
}

/// The cache that worker `i` fills, chosen for this process.
void use_cache_of(const test::TemporaryFolder& folder, unsigned i) {
  setenv("XDG_CACHE_HOME", (folder.path() + "/" + std::to_string(i)).c_str(), 1);
}

/// Compiles in a process for each core, since NVRTC may compile one kernel at a time in a process, and hands
/// the results over in caches of their own.
void compile_all(std::vector<Made>& all, const std::string& arch) {
  const test::TemporaryFolder folder;
  const char* before = std::getenv("XDG_CACHE_HOME");
  const std::string kept = before ? before : "";
  const unsigned workers = std::max(1U, std::thread::hardware_concurrency());
  std::vector<pid_t> children;
  for (unsigned i = 0; i < workers; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      use_cache_of(folder, i);
      for (std::size_t at = i; at < all.size(); at += workers)
        if (all[at].failure.empty()) (void)compile::compile(all[at].kernel, arch);
      _exit(0);
    }
    if (child > 0) children.push_back(child);
  }
  for (const pid_t child : children) waitpid(child, nullptr, 0);
  for (std::size_t at = 0; at < all.size(); ++at) {
    if (!all[at].failure.empty()) continue;
    use_cache_of(folder, static_cast<unsigned>(at % workers));
    auto compiled = compile::compile(all[at].kernel, arch);
    if (compiled) {
      all[at].compiled = std::move(*compiled);
    } else {
      all[at].failure = compiled.error().what;
    }
  }
  if (before) {
    setenv("XDG_CACHE_HOME", kept.c_str(), 1);
  } else {
    unsetenv("XDG_CACHE_HOME");
  }
}

/// The driver without CUPTI: residency needs no counter.
class Residency : public testing::Test {
 protected:
  void SetUp() override {
    auto driver = cupti::driver_api();
    auto context = driver ? cupti::Context::create(**driver, 0) : tl::unexpected(driver.error());
    if (!context) {
      const std::string why = context.error().what + " " + context.error().hint;
      if (std::getenv("GPUPROBE_REQUIRE_GPU")) FAIL() << why;
      GTEST_SKIP() << why;
    }
    driver_ = *driver;
    context_.emplace(std::move(*context));
    auto device = cupti::device_facts(*driver_, context_->device());
    ASSERT_TRUE(device) << device.error().what;
    device_ = *device;
  }

  occupancy::Usage usage_of(const Made& made, int threads) const {
    const FunctionResources& function = made.compiled.functions.front();
    return {threads, function.registers, function.shared_static,
            made.kernel.steps.front().launch.dynamic_shared, function.barriers};
  }

  /// What our calculator says.
  int ours(const Made& made, int threads) const {
    return occupancy::table(device_, usage_of(made, threads), 1).blocks_per_sm;
  }

  const cupti::DriverApi* driver_ = nullptr;
  std::optional<cupti::Context> context_;
  DeviceSpec device_;
};

/// A module of the driver's for one kernel.
class Loaded {
 public:
  Loaded(const cupti::DriverApi& driver, const Made& made) : driver_(driver) {
    if (driver.ModuleLoadData(&module_, made.compiled.cubin.data()) != CUDA_SUCCESS) return;
    const FunctionResources& resources = made.compiled.functions.front();
    if (driver.ModuleGetFunction(&function_, module_, resources.lowered_name.c_str()) != CUDA_SUCCESS)
      function_ = nullptr;
    const std::uint32_t dynamic = made.kernel.steps.front().launch.dynamic_shared;
    if (function_ && dynamic > kSharedWithoutOptIn)
      opted_in_ = driver.FuncSetAttribute(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                          static_cast<int>(dynamic)) == CUDA_SUCCESS;
  }
  ~Loaded() {
    if (module_) driver_.ModuleUnload(module_);
  }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;

  bool usable() const { return function_ && opted_in_; }
  CUfunction function() const { return function_; }

 private:
  const cupti::DriverApi& driver_;
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
  bool opted_in_ = true;
};

TEST_F(Residency, TheCalculatorEqualsTheDriverForTwoThousandKernels) {
  std::vector<Made> all = random_kernels();
  compile_all(all, device_.arch);
  const auto driver_library = cupti::SharedLibrary::open({"libcuda.so.1"});
  ASSERT_TRUE(driver_library);
  using PotentialBlock = CUresult (*)(int*, int*, CUfunction, CUoccupancyB2DSize, std::size_t, int);
  const auto potential_block =
      reinterpret_cast<PotentialBlock>(driver_library->symbol("cuOccupancyMaxPotentialBlockSize"));
  ASSERT_NE(potential_block, nullptr);

  std::set<std::size_t> cubins;  // their hashes
  std::set<int> registers;
  std::set<int> answers;
  for (const Made& made : all) {
    SCOPED_TRACE(made.options);
    ASSERT_TRUE(made.failure.empty()) << made.failure;
    const std::vector<std::uint8_t>& cubin = made.compiled.cubin;
    cubins.insert(std::hash<std::string_view>{}({reinterpret_cast<const char*>(cubin.data()), cubin.size()}));
    registers.insert(made.compiled.functions.front().registers);
    const Loaded loaded(*driver_, made);
    ASSERT_TRUE(loaded.usable());
    const std::uint32_t dynamic = made.kernel.steps.front().launch.dynamic_shared;
    const int threads = static_cast<int>(made.kernel.steps.front().launch.block.count());
    int theirs = -1;
    ASSERT_EQ(
        driver_->OccupancyMaxActiveBlocksPerMultiprocessor(&theirs, loaded.function(), threads, dynamic),
        CUDA_SUCCESS);
    EXPECT_EQ(ours(made, threads), theirs) << made.compiled.functions.front().registers << " registers";
    answers.insert(theirs);

    // The block size that the driver proposes holds as many threads as any other that is whole warps.
    int grid = 0;
    int block = 0;
    ASSERT_EQ(potential_block(&grid, &block, loaded.function(), nullptr, dynamic, 0), CUDA_SUCCESS);
    int most = 0;
    for (int size = 32; size <= device_.max_threads_per_block; size += 32)
      most = std::max(most, ours(made, size) * size);
    EXPECT_EQ(ours(made, block) * block, most) << "block of " << block;
    EXPECT_EQ(grid, ours(made, block) * device_.sm_count);
  }
  EXPECT_EQ(cubins.size(), kKernels) << "each is another kernel";
  EXPECT_GT(registers.size(), 100U);
  EXPECT_GT(answers.size(), 12U) << "the sample is worth something only if the answers differ";
}

}  // namespace
}  // namespace gpuprobe::gpu_test
