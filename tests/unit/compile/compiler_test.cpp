#include "compile/compiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <fstream>

#include "unit/compile/compiled.h"

namespace gpuprobe::compile {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

const CompileOptions kFresh{.use_cache = false};
const char* const kSimple = "__global__ void simple(float* p) { p[threadIdx.x] = MACRO_VALUE; }\n";

Kernel simple(const std::string& value = "1") {
  Kernel kernel = kernel_of(kSimple, {"simple"});
  kernel.defines = {{"MACRO_VALUE", value}};
  return kernel;
}

std::size_t files_in(const fs::path& directory) {
  std::error_code error;
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(directory, error), fs::directory_iterator()));
}

TEST(Compiler, GivesPtxWithTheKernelsOwnFileNameAndACubin) {
  const auto compiled = compile(simple(), "sm_90", kFresh);
  ASSERT_TRUE(compiled.has_value()) << compiled.error().what;
  EXPECT_EQ(compiled->arch, "sm_90");
  EXPECT_THAT(compiled->compiler, HasSubstr("NVRTC "));
  EXPECT_FALSE(compiled->from_cache);
  EXPECT_THAT(compiled->ptx, HasSubstr(".target sm_90"));
  EXPECT_THAT(compiled->ptx, HasSubstr("\"test/kernel.cu\""));
  EXPECT_THAT(compiled->ptx, HasSubstr("\t.loc\t1 1 "));
  ASSERT_GT(compiled->cubin.size(), 4u);
  EXPECT_EQ(compiled->cubin[1], 'E');
  EXPECT_EQ(compiled->find("simple")->lowered_name, "_Z6simplePf");
  EXPECT_EQ(compiled->find("another"), nullptr);
}

TEST(Compiler, InstantiatesNameExpressions) {
  const auto compiled =
      compile(kernel_of("template <class Value, int kTimes> __global__ void scale(Value* p) {"
                        " *p *= kTimes; }",
                        {"scale<float, 3>", "scale<double, 4 + 1>"}),
              "sm_80", kFresh);
  ASSERT_TRUE(compiled.has_value()) << compiled.error().what;
  ASSERT_EQ(compiled->functions.size(), 2u);
  EXPECT_EQ(compiled->functions[0].lowered_name, "_Z5scaleIfLi3EEvPT_");
  EXPECT_EQ(compiled->functions[1].name_expression, "scale<double, 4 + 1>");
  EXPECT_EQ(compiled->functions[1].lowered_name, "_Z5scaleIdLi5EEvPT_");
}

TEST(Compiler, WithoutStepsListsAllKernels) {
  const auto compiled = compile(kernel_of("namespace n { __global__ void inner(int* p) { *p = 1; } }\n"
                                          "extern \"C\" __global__ void plain(int* p) { *p = 2; }\n"
                                          "__device__ int helper() { return 3; }\n",
                                          {}),
                                "sm_90", kFresh);
  ASSERT_TRUE(compiled.has_value()) << compiled.error().what;
  std::vector<std::string> names;
  for (const auto& function : compiled->functions) names.push_back(function.name_expression);
  EXPECT_THAT(names, testing::UnorderedElementsAre("n::inner", "plain"));
}

TEST(Compiler, ErrorsCarryFileAndLine) {
  const auto compiled =
      compile(kernel_of("\n\n__global__ void f() { undeclared = 1; }\n", {"f"}), "sm_90", kFresh);
  ASSERT_FALSE(compiled.has_value());
  EXPECT_EQ(compiled.error().code, ErrorCode::kKernel);
  EXPECT_THAT(compiled.error().what, HasSubstr("test/kernel.cu(3): error"));
  EXPECT_THAT(compiled.error().what, HasSubstr("undeclared"));
}

TEST(Compiler, AnEntryThatIsNotThereOrNoKernelIsAnErrorThatNamesIt) {
  for (const char* text : {"__global__ void f() {}", "__device__ void wanted() {}"}) {
    const auto compiled = compile(kernel_of(text, {"wanted"}), "sm_90", kFresh);
    ASSERT_FALSE(compiled.has_value());
    EXPECT_EQ(compiled.error().code, ErrorCode::kUsage);
    EXPECT_THAT(compiled.error().what, HasSubstr("wanted"));
  }
}

TEST(Compiler, AnUnknownOptionIsAnErrorThatNamesIt) {
  Kernel kernel = simple();
  kernel.compile_options = {"--no-such-option"};
  const auto compiled = compile(kernel, "sm_90", kFresh);
  ASSERT_FALSE(compiled.has_value());
  EXPECT_EQ(compiled.error().code, ErrorCode::kKernel);
  EXPECT_THAT(compiled.error().what, HasSubstr("no-such-option"));
}

TEST(Compiler, AnUnknownArchitectureNamesThoseItKnows) {
  for (const char* arch : {"sm_20", "sm_", "compute_90", "", "sm_9000000000000000000000"}) {
    const auto compiled = compile(simple(), arch, kFresh);
    ASSERT_FALSE(compiled.has_value()) << arch;
    EXPECT_EQ(compiled.error().code, ErrorCode::kMachine);
    EXPECT_THAT(compiled.error().what, HasSubstr("sm_90"));
  }
}

TEST(Compiler, FindsTheToolkitsHeaders) {
  const auto compiled = compile(kernel_of(R"(#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cooperative_groups.h>
#include <cub/block/block_reduce.cuh>
#include <cuda/std/array>
__global__ void f(__half* p) {
  using Reduce = cub::BlockReduce<float, 128>;
  __shared__ typename Reduce::TempStorage storage;
  cuda::std::array<float, 2> pair{1.f, 2.f};
  const float sum = Reduce(storage).Sum(pair[0] + pair[1]);
  if (cooperative_groups::this_thread_block().thread_rank() == 0) *p = __float2half(sum);
}
)",
                                          {"f"}),
                                "sm_90", kFresh);
  ASSERT_TRUE(compiled.has_value()) << compiled.error().what;
  EXPECT_GT(compiled->functions[0].shared_static, 0u);
}

TEST(Compiler, FindsHeadersBesideAUsersFile) {
  const ScopedDirectory directory;
  std::ofstream(directory.path() / "value.cuh") << "#define FROM_HEADER 5\n";
  Kernel kernel =
      kernel_of("#include \"value.cuh\"\n__global__ void f(int* p) { *p = FROM_HEADER; }\n", {"f"});
  kernel.source.file = (directory.path() / "x.cu").string();
  const auto compiled = compile(kernel, "sm_90", kFresh);
  ASSERT_TRUE(compiled.has_value()) << compiled.error().what;
  EXPECT_THAT(compiled->ptx, HasSubstr(kernel.source.file));
}

TEST(Compiler, SaysWhereItLookedForTheCompiler) {
  const ScopedDirectory empty;
  const ScopedEnvironment choice("GPUPROBE_NVRTC", empty.path().string());
  const auto compiled = compile(simple(), "sm_90", kFresh);
  ASSERT_FALSE(compiled.has_value());
  EXPECT_EQ(compiled.error().code, ErrorCode::kMachine);
  EXPECT_THAT(compiled.error().what, HasSubstr(empty.path().string()));
  EXPECT_THAT(compiled.error().hint, HasSubstr("GPUPROBE_NVRTC"));
}

TEST(Compiler, RefusesALibraryThatIsNoCompiler) {
  const ScopedDirectory directory;
  const fs::path fake = directory.path() / "libnvrtc.so";
  std::ofstream(fake) << "not a library";
  const ScopedEnvironment choice("GPUPROBE_NVRTC", fake.string());
  const auto compiled = compile(simple(), "sm_90", kFresh);
  ASSERT_FALSE(compiled.has_value());
  EXPECT_EQ(compiled.error().code, ErrorCode::kMachine);
}

class CompilerCache : public testing::Test {
 protected:
  fs::path cache() const { return directory_.path() / "gpuprobe"; }

  ScopedDirectory directory_;
  ScopedEnvironment environment_{"XDG_CACHE_HOME", directory_.path().string()};
};

TEST_F(CompilerCache, TheSecondTimeIsAHitWithTheSameResult) {
  const auto first = compile(simple(), "sm_90");
  const auto second = compile(simple(), "sm_90");
  ASSERT_TRUE(first.has_value() && second.has_value());
  EXPECT_FALSE(first->from_cache);
  EXPECT_TRUE(second->from_cache);
  EXPECT_EQ(first->ptx, second->ptx);
  EXPECT_EQ(first->cubin, second->cubin);
  EXPECT_EQ(first->compiler, second->compiler);
  EXPECT_EQ(second->find("simple")->registers, first->find("simple")->registers);
}

TEST_F(CompilerCache, EverythingThatChangesTheResultChangesTheKey) {
  ASSERT_TRUE(compile(simple(), "sm_90").has_value());
  EXPECT_FALSE(compile(simple("2"), "sm_90")->from_cache);
  EXPECT_FALSE(compile(simple(), "sm_80")->from_cache);
  Kernel optioned = simple();
  optioned.compile_options = {"--use_fast_math"};
  EXPECT_FALSE(compile(optioned, "sm_90")->from_cache);
  Kernel renamed = simple();
  renamed.source.file = "other.cu";
  EXPECT_FALSE(compile(renamed, "sm_90")->from_cache);
  Kernel edited = simple();
  edited.source.text += " ";
  EXPECT_FALSE(compile(edited, "sm_90")->from_cache);
  Kernel listed = simple();
  listed.steps.clear();
  EXPECT_FALSE(compile(listed, "sm_90")->from_cache);
  EXPECT_TRUE(compile(simple(), "sm_90")->from_cache);
}

TEST_F(CompilerCache, AChangedHeaderIsNoticed) {
  const ScopedDirectory sources;
  const auto write = [&](int value) {
    std::ofstream(sources.path() / "value.cuh") << "#define FROM_HEADER " << value << "\n";
  };
  Kernel kernel = kernel_of("#include <value.cuh>\n__global__ void f(int* p) { *p = FROM_HEADER; }\n", {"f"});
  kernel.compile_options = {"-I" + sources.path().string()};
  write(51);
  EXPECT_THAT(compile(kernel, "sm_90")->ptx, HasSubstr("51;"));
  EXPECT_TRUE(compile(kernel, "sm_90")->from_cache);
  write(52);
  const auto changed = compile(kernel, "sm_90");
  EXPECT_FALSE(changed->from_cache);
  EXPECT_THAT(changed->ptx, HasSubstr("52;"));
}

TEST_F(CompilerCache, ADamagedEntryIsRebuilt) {
  ASSERT_TRUE(compile(simple(), "sm_90").has_value());
  ASSERT_EQ(files_in(cache()), 1u);
  const fs::path entry = fs::directory_iterator(cache())->path();
  fs::resize_file(entry, fs::file_size(entry) / 2);
  EXPECT_FALSE(compile(simple(), "sm_90")->from_cache);
  EXPECT_TRUE(compile(simple(), "sm_90")->from_cache);
}

TEST(Compiler, AHitDoesNotLoadTheLibrary) {
  // Children, because this process may have loaded it before.
  const ScopedDirectory directory;
  const ScopedEnvironment environment("XDG_CACHE_HOME", directory.path().string());
  const auto in_child = [](bool expect_hit) {
    const pid_t child = fork();
    if (child == 0) {
      std::string self = fs::read_symlink("/proc/self/exe").string();
      setenv("GPUPROBE_TEST_EXPECT_HIT", expect_hit ? "1" : "0", 1);
      const char* arguments[] = {self.c_str(), "--gtest_filter=*LoadedLibraryReport",
                                 "--gtest_also_run_disabled_tests", nullptr};
      execv(self.c_str(), const_cast<char**>(arguments));
      _exit(99);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  EXPECT_EQ(in_child(false), 0);
  EXPECT_EQ(in_child(true), 0);
}

/// Run by the test above in a process of its own.
TEST(Compiler, DISABLED_LoadedLibraryReport) {
  const std::string expected = getenv("GPUPROBE_TEST_EXPECT_HIT");
  const auto compiled = compile(simple(), "sm_90");
  ASSERT_TRUE(compiled.has_value());
  std::ifstream maps("/proc/self/maps");
  const std::string text((std::istreambuf_iterator<char>(maps)), {});
  EXPECT_EQ(compiled->from_cache, expected == "1");
  EXPECT_EQ(text.find("libnvrtc") == std::string::npos, expected == "1");
}

TEST_F(CompilerCache, ManyProcessesCompileTheSameAtOnce) {
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      const auto compiled = compile(simple(), "sm_90");
      _exit(compiled && compiled->find("simple") != nullptr ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_EQ(files_in(cache()), 1u);
  EXPECT_TRUE(compile(simple(), "sm_90")->from_cache);
}

TEST_F(CompilerCache, WithoutAUsableDirectoryItCompilesEveryTime) {
  std::ofstream(cache()) << "a file where the directory should be";
  for (int i = 0; i < 2; ++i) {
    const auto compiled = compile(simple(), "sm_90");
    ASSERT_TRUE(compiled.has_value());
    EXPECT_FALSE(compiled->from_cache);
  }
  const ScopedEnvironment nowhere("XDG_CACHE_HOME", "/proc/no/such/place");
  EXPECT_TRUE(compile(simple(), "sm_90").has_value());
}

TEST_F(CompilerCache, CanBeSwitchedOff) {
  ASSERT_TRUE(compile(simple(), "sm_90", kFresh).has_value());
  EXPECT_FALSE(fs::exists(cache()));
}

}  // namespace
}  // namespace gpuprobe::compile
