// What a prediction does besides counting right: sampling and its honesty, checks, hazards, missing numbers,
// errors.
#include "model/predicted_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "metrics/catalog.h"
#include "unit/model/predict.h"

namespace gpuprobe {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::predict;
using testing::source_kernel;
using testing::words;
using Lines = std::vector<int>;

const Hazard* hazard_of(const gpuprobe::Run& run, HazardKind kind) {
  for (const Hazard& hazard : run.hazards)
    if (hazard.kind == kind) return &hazard;
  return nullptr;
}

bool says_estimate(const gpuprobe::Run& run) {
  return std::any_of(run.notes.begin(), run.notes.end(),
                     [](const std::string& note) { return note.find("estimates") != std::string::npos; });
}

/// Line of the only place where `text` stands in the kernel's source.
int line_with(const std::string& source, const std::string& text) {
  const auto at = source.find(text);
  EXPECT_NE(at, std::string::npos) << text;
  return 1 +
         static_cast<int>(std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

TEST(PredictedSource, SampledEqualsExact) {
  for (const auto& [family, options] :
       std::vector<std::pair<std::string, std::string>>{{"transpose", "-n 1000"},
                                                        {"matmul", "--tile 16 -n 200"},
                                                        {"stride", "-n 300000 --stride 3"},
                                                        {"invert", "--width 1000 --height 700"},
                                                        {"copy", "-n 1000003 --offset 5"}}) {
    SCOPED_TRACE(family + " " + options);
    CollectOptions exact;
    exact.exact = true;
    const auto sampled = predict(family, options);
    const auto whole = predict(family, options, exact);
    ASSERT_TRUE(sampled.has_value()) << sampled.error().what;
    ASSERT_TRUE(whole.has_value());
    EXPECT_TRUE(whole->sampling->exact());
    EXPECT_EQ(whole->check.state, CheckOutcome::State::kPassed) << whole->check.text;
    for (const auto& [name, metric] : whole->counters.all()) {
      if (name.find("unique_bytes") != std::string::npos && !sampled->sampling->exact()) continue;
      EXPECT_EQ(sampled->counters.number(name), whole->counters.number(name)) << name;
    }
  }
}

TEST(PredictedSource, ALargeGridIsSampledAndTheWrittenElementsAreChecked) {
  const auto run = predict("transpose", "--pad");
  ASSERT_TRUE(run.has_value()) << run.error().what;
  EXPECT_FALSE(run->sampling->exact());
  EXPECT_EQ(run->sampling->blocks_total, 16384u);
  EXPECT_EQ(run->check.state, CheckOutcome::State::kPassed) << run->check.text;
  EXPECT_GT(run->check.compared, 1000u);
  EXPECT_EQ(run->counters.number("global.load.unique_bytes"), 4096.0 * 4096 * 4);
  EXPECT_EQ(run->counters.number("global.store.unique_bytes"), 4096.0 * 4096 * 4);
  EXPECT_FALSE(says_estimate(*run));
}

TEST(PredictedSource, WhatNeedsAGpuIsMissing) {
  const auto run = predict("transpose", "-n 64");
  ASSERT_TRUE(run.has_value());
  EXPECT_EQ(run->source, Origin::kPredicted);
  EXPECT_EQ(run->environment.arch, "sm_90");
  EXPECT_EQ(run->device.name, "NVIDIA H200");
  EXPECT_THAT(run->environment.compiler, HasSubstr("NVRTC"));
  for (const MetricRow& row : metric_catalog())
    if (row.needs_gpu) {
      EXPECT_EQ(run->counters.missing_reason(row.name), "needs a GPU") << row.name;
    }
  EXPECT_EQ(run->counters.value("global.load.sectors")->origin, Origin::kPredicted);
  EXPECT_EQ(run->counters.number("global.atomic.requests"), 0.0);
}

TEST(PredictedSource, TheMissingSecondBarrierIsARaceOfReadAndNextStageStore) {
  for (const char* size : {"", "-n 64", "-n 100", "--tile 16", "-n 96 --tile 8"}) {
    SCOPED_TRACE(size);
    const std::string tile = std::string(size).find("tile") == std::string::npos ? "--tile 32 " : "";
    const auto kernel = built("matmul", tile + "--barriers load-only " + size);
    ASSERT_TRUE(kernel.has_value()) << kernel.error().what;
    const auto run = predict(*kernel);
    ASSERT_TRUE(run.has_value()) << run.error().what;
    const Hazard* race = hazard_of(*run, HazardKind::kSharedRace);
    ASSERT_NE(race, nullptr);
    ASSERT_EQ(race->locations.size(), 2u);
    EXPECT_EQ(race->locations[0].file, "matmul/kernel.cu");
    EXPECT_EQ(race->locations[0].line, line_with(kernel->source.text, "= b_tile[b_index(i, tx)]"));
    EXPECT_EQ(race->locations[1].line, line_with(kernel->source.text, "b_tile[b_index(ty, tx)] ="));
  }
}

TEST(PredictedSource, CleanKernelsHaveNoHazards) {
  for (const auto& [family, options] : std::vector<std::pair<std::string, std::string>>{
           {"matmul", "--tile 32 -n 100"},
           {"matmul", "--dynamic -n 70"},
           {"transpose", "-n 100 --swizzle"},
           {"transpose", "--type u8 -n 99"},
           {"reduce", "--variant shuffle -n 10000"},
           {"reduce", "--variant sequential -n 10000"},
           {"rowsum", "--variant warp-per-row --rows 50 --columns 40"},
           {"stencil", ""}}) {
    SCOPED_TRACE(family + " " + options);
    const auto run = predict(family, options);
    ASSERT_TRUE(run.has_value()) << run.error().what;
    EXPECT_THAT(run->hazards, IsEmpty()) << run->hazards.front().text;
  }
}

constexpr const char* kGather = R"(
extern "C" __global__ void gather(const unsigned* index, const unsigned* in, unsigned* out) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  for (int k = 0; k < 64; ++k) {
    i = index[i];
    sum += in[i];
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
)";

TEST(PredictedSource, CountsThatDependOnDataAreCalledEstimates) {
  constexpr std::uint64_t kCount = 1 << 20;
  Kernel kernel = source_kernel("gather", kGather, {{4096, 1, 1}, {256, 1, 1}, 0, {}},
                                {words("index", kCount, {.kind = BufferInit::Kind::kShuffle}),
                                 words("in", kCount), words("out", kCount)},
                                {BufferRef{0}, BufferRef{1}, BufferRef{2}});
  const auto run = predict(kernel);
  ASSERT_TRUE(run.has_value()) << run.error().what;
  EXPECT_FALSE(run->sampling->exact());
  EXPECT_TRUE(says_estimate(*run));
  EXPECT_EQ(run->counters.number("global.store.requests"), 4096.0 * 8);
  kernel.steps[0].launch.grid = {64, 1, 1};  // small enough to be executed whole
  const auto small = predict(kernel);
  ASSERT_TRUE(small.has_value());
  EXPECT_TRUE(small->sampling->exact());
  EXPECT_FALSE(says_estimate(*small));
}

TEST(PredictedSource, BlocksThatDifferWithAPeriodAreCalledEstimates) {
  // Every row starts 4 bytes further off a sector: 7 of 8 rows need a fifth sector.
  const char* text =
      "extern \"C\" __global__ void rows(const float* in, float* out) {\n"
      "  float sum = 0;\n"
      "  for (int k = 0; k < 400; ++k) sum += in[blockIdx.x * 1023u + threadIdx.x + 32 * (k % 8)];\n"
      "  out[blockIdx.x * 1024u + threadIdx.x] = sum;\n"
      "}\n";
  const std::uint64_t rows = 16384;
  const Kernel kernel =
      source_kernel("rows", text, {{static_cast<std::uint32_t>(rows), 1, 1}, {32, 1, 1}, 0, {}},
                    {words("in", 1024 * rows), words("out", 1024 * rows)}, {BufferRef{0}, BufferRef{1}});
  const auto run = predict(kernel);
  ASSERT_TRUE(run.has_value()) << run.error().what;
  ASSERT_FALSE(run->sampling->exact());
  EXPECT_TRUE(says_estimate(*run));
  const double per_request =
      *run->counters.number("global.load.sectors") / *run->counters.number("global.load.requests");
  EXPECT_NEAR(per_request, 4.875, 0.1);
}

TEST(PredictedSource, AnAccessFaultLeavesTheCountsMissing) {
  const char* text =
      "extern \"C\" __global__ void off(unsigned* out) {\n"
      "  out[threadIdx.x + 1000] = 1;\n"
      "}\n";
  const auto run = predict(
      source_kernel("off", text, {{2, 1, 1}, {32, 1, 1}, 0, {}}, {words("out", 100)}, {BufferRef{0}}));
  ASSERT_TRUE(run.has_value()) << run.error().what;
  const Hazard* hazard = hazard_of(*run, HazardKind::kOutOfBounds);
  ASSERT_NE(hazard, nullptr);
  ASSERT_FALSE(hazard->locations.empty());
  EXPECT_EQ(hazard->locations[0].file, "test.cu");
  EXPECT_EQ(hazard->locations[0].line, 2);
  EXPECT_EQ(run->check.state, CheckOutcome::State::kNotChecked);
  EXPECT_THAT(run->counters.missing_reason("global.store.sectors"), HasSubstr("fault"));
  EXPECT_TRUE(run->sites.empty());
}

TEST(PredictedSource, UninitialisedSharedMemory) {
  const char* text =
      "extern \"C\" __global__ void sum(float* out) {\n"
      "  __shared__ float tile[64];\n"
      "  if (threadIdx.x < 32) tile[threadIdx.x] = 1;\n"
      "  __syncthreads();\n"
      "  out[threadIdx.x] = tile[threadIdx.x];\n"
      "}\n";
  const auto run =
      predict(source_kernel("sum", text, {{1, 1, 1}, {64, 1, 1}, 0, {}}, {words("out", 64)}, {BufferRef{0}}));
  ASSERT_TRUE(run.has_value()) << run.error().what;
  const Hazard* hazard = hazard_of(*run, HazardKind::kUninitialisedShared);
  ASSERT_NE(hazard, nullptr);
  EXPECT_EQ(hazard->locations[0].line, 5);
}

TEST(PredictedSource, ResultsThatDependOnTheOrderOfBlocks) {
  const char* text =
      "extern \"C\" __global__ void last(unsigned* out, unsigned* total) {\n"
      "  if (threadIdx.x == 0) atomicExch(out, blockIdx.x + 1);\n"
      "  if (threadIdx.x == 0) atomicAdd(total, 1u);\n"
      "}\n";
  const auto run = predict(source_kernel("last", text, {{8, 1, 1}, {32, 1, 1}, 0, {}},
                                         {words("out", 1), words("total", 1)}, {BufferRef{0}, BufferRef{1}}));
  ASSERT_TRUE(run.has_value()) << run.error().what;
  const Hazard* hazard = hazard_of(*run, HazardKind::kBlockOrder);
  ASSERT_NE(hazard, nullptr);
  EXPECT_THAT(hazard->text, HasSubstr("'out'"));
  EXPECT_EQ(hazard->count, 1u);
}

TEST(PredictedSource, AtomicSumsDoNotDependOnTheOrder) {
  const char* text =
      "extern \"C\" __global__ void sum(const float* in, float* out) {\n"
      "  atomicAdd(out, in[blockIdx.x * blockDim.x + threadIdx.x]);\n"
      "}\n";
  Kernel kernel =
      source_kernel("sum", text, {{64, 1, 1}, {64, 1, 1}, 0, {}}, {}, {BufferRef{0}, BufferRef{1}});
  kernel.buffers = {{"in", {ScalarType::kF32, 4}, 4096, {.kind = BufferInit::Kind::kRandom}},
                    {"out", {ScalarType::kF32, 4}, 1, {}}};
  const auto run = predict(kernel);
  ASSERT_TRUE(run.has_value()) << run.error().what;
  EXPECT_THAT(run->hazards, IsEmpty());
  EXPECT_EQ(run->counters.number("global.atomic.requests"), 128.0);
}

TEST(PredictedSource, ABlockThatWaitsForAnotherIsNotSampledAway) {
  // Each block waits for the one before it: a sample would wait in vain.
  const char* text =
      "extern \"C\" __global__ void chain(unsigned* flag, unsigned* out) {\n"
      "  if (threadIdx.x == 0) {\n"
      "    if (blockIdx.x > 0) while (atomicAdd(flag + blockIdx.x - 1, 0u) == 0) {}\n"
      "    out[blockIdx.x] = blockIdx.x;\n"
      "    __threadfence();\n"
      "    atomicExch(flag + blockIdx.x, 1u);\n"
      "  }\n"
      "}\n";
  const auto run =
      predict(source_kernel("chain", text, {{300, 1, 1}, {32, 1, 1}, 0, {}},
                            {words("flag", 300), words("out", 300)}, {BufferRef{0}, BufferRef{1}}));
  ASSERT_TRUE(run.has_value()) << run.error().what;
  EXPECT_TRUE(run->sampling->exact());
  EXPECT_EQ(run->counters.number("global.store.requests"), 300.0);
}

TEST(PredictedSource, ABlockThatWaitsForALowerOneIsFoundInTheOtherOrder) {
  CollectOptions options;
  options.threads = 1;  // in order, nobody waits
  const auto run = predict("order", "--wait --for previous --blocks 100", options);
  ASSERT_TRUE(run.has_value()) << run.error().what;
  ASSERT_EQ(run->hazards.size(), 1u);
  EXPECT_EQ(run->hazards[0].kind, HazardKind::kBlockWait);
  EXPECT_THAT(run->hazards[0].text, ::testing::StartsWith("with the last block first, block (1,0,0) waits"));
  EXPECT_EQ(run->check.state, CheckOutcome::State::kPassed);
}

TEST(PredictedSource, SeveralLaunchesShareTheirBuffers) {
  const char* text =
      "extern \"C\" __global__ void twice(unsigned* x) { x[threadIdx.x] = 2 * x[threadIdx.x]; }\n";
  Kernel kernel = source_kernel("twice", text, {{1, 1, 1}, {32, 1, 1}, 0, {}},
                                {words("x", 32, {.kind = BufferInit::Kind::kIota})}, {BufferRef{0}});
  kernel.steps.push_back(kernel.steps[0]);
  kernel.steps.push_back(kernel.steps[0]);
  ResultCheck check;
  check.expected = [](const HostBuffers& initial, std::uint64_t i) { return 8 * initial.element(0, i); };
  kernel.checks = {check};
  const auto run = predict(kernel);
  ASSERT_TRUE(run.has_value()) << run.error().what;
  EXPECT_EQ(run->check.state, CheckOutcome::State::kPassed) << run->check.text;
  EXPECT_EQ(run->sampling->blocks_total, 3u);
  EXPECT_EQ(run->counters.number("global.load.requests"), 3.0);
  EXPECT_EQ(run->counters.number("global.load.unique_bytes"), 128.0);
}

TEST(PredictedSource, ArgumentsThatDoNotFitAreRefused) {
  const char* text = "extern \"C\" __global__ void f(unsigned* x, double y) { x[0] = (unsigned)y; }\n";
  const Launch launch{{1, 1, 1}, {1, 1, 1}, 0, {}};
  const auto few = predict(source_kernel("f", text, launch, {words("x", 1)}, {BufferRef{0}}));
  ASSERT_FALSE(few.has_value());
  EXPECT_EQ(few.error().code, ErrorCode::kUsage);
  EXPECT_THAT(few.error().what, HasSubstr("takes 2 arguments, but 1"));
  const auto narrow =
      predict(source_kernel("f", text, launch, {words("x", 1)}, {BufferRef{0}, Scalar::f32(1)}));
  ASSERT_FALSE(narrow.has_value());
  EXPECT_THAT(narrow.error().what, HasSubstr("parameter 2 of f has 8 bytes, but the argument has 4"));
}

TEST(PredictedSource, AccessesOfAHeaderBelongToTheLineThatCallsIt) {
  const char* text =
      "#line 7 \"helper.h\"\n"
      "__device__ __forceinline__ float get(const float* p) { return *p; }\n"
      "#line 3 \"test.cu\"\n"
      "extern \"C\" __global__ void f(const float* x, float* y) {\n"
      "  y[threadIdx.x] =\n"
      "      1 + get(x + threadIdx.x);\n"
      "}\n";
  const auto run = predict(source_kernel("f", text, {{1, 1, 1}, {32, 1, 1}, 0, {}},
                                         {words("x", 32), words("y", 32)}, {BufferRef{0}, BufferRef{1}}));
  ASSERT_TRUE(run.has_value()) << run.error().what;
  bool found = false;
  for (const Site& site : run->sites) {
    EXPECT_EQ(site.file, "test.cu");
    if (site.access != AccessKind::kGlobalLoad) continue;
    found = true;
    EXPECT_EQ(site.line, 5);
    EXPECT_THAT(site.instruction, HasSubstr("helper.h:7"));
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace gpuprobe
