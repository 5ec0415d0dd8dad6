// Planted answers on a real GPU: counts that follow from the addresses, the lines they come from, and that
// replays do the same work.
#include <gmock/gmock.h>

#include <array>

#include "gpu_fixture.h"

namespace gpuprobe::gpu_test {
namespace {

constexpr std::uint32_t kSize = 4096;                     ///< elements a side
constexpr double kRequests = double(kSize) * kSize / 32;  ///< 524,288 warps

const char* const kTransposes = R"(
extern "C" __global__ void naive_write(const float* in, float* out, int n) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  float v = in[y * n + x];   // naive load
  out[x * n + y] = v;        // naive store
}
extern "C" __global__ void tiled(const float* in, float* out, int n) {
  __shared__ float tile[32][32 + PADDING];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  float v = in[y * n + x];               // tile global load
  tile[threadIdx.y][threadIdx.x] = v;    // tile shared store
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  float w = tile[threadIdx.x][threadIdx.y];   // tile shared load
  out[y * n + x] = w;                         // tile global store
}
)";

Kernel transpose(const std::string& entry, int padding = 0) {
  Kernel kernel;
  kernel.name = entry;
  kernel.source = {"transposes.cu", kTransposes};
  kernel.defines = {{"PADDING", std::to_string(padding)}};
  const std::uint64_t count = std::uint64_t{kSize} * kSize;
  kernel.buffers = {f32_buffer("in", count, BufferInit::Kind::kRandom),
                    f32_buffer("out", count, BufferInit::Kind::kZeros)};
  Launch launch;
  launch.grid = {kSize / 32, kSize / 32, 1};
  launch.block = {32, 32, 1};
  kernel.steps = {{entry, launch, {BufferRef{0}, BufferRef{1}, Scalar::i32(kSize)}}};
  ResultCheck check;
  check.buffer = 1;
  check.expected = [](const HostBuffers& initial, std::uint64_t i) {
    return initial.element(0, i % kSize * kSize + i / kSize);
  };
  kernel.checks = {check};
  return kernel;
}

void expect_site(const Run& run, AccessKind access, const std::string& mark, double actual, double ideal) {
  const Site* site = only_site(run, access);
  ASSERT_NE(site, nullptr) << to_string(access);
  EXPECT_EQ(site->file, "transposes.cu");
  EXPECT_EQ(site->line, line_of(kTransposes, mark)) << mark;
  EXPECT_EQ(site->requests, kRequests);
  EXPECT_EQ(site->actual, actual);
  EXPECT_EQ(site->ideal, ideal);
  EXPECT_EQ(site->width, 4U);
  EXPECT_EQ(site->active_lanes, 32);
}

TEST_F(OnGpu, CountsTheNaiveTranspose) {
  auto run = measure(transpose("naive_write"));
  ASSERT_TRUE(run) << run.error().what;
  EXPECT_EQ(run->check.state, CheckOutcome::State::kPassed) << run->check.text;
  EXPECT_EQ(run->counters.number("global.load.requests"), kRequests);
  EXPECT_EQ(run->counters.number("global.store.requests"), kRequests);
  EXPECT_EQ(run->counters.number("global.load.sectors"), 2097152);
  EXPECT_EQ(run->counters.number("global.store.sectors"), 16777216);
  EXPECT_EQ(run->counters.number("global.store.ideal_sectors"), 2097152);
  EXPECT_EQ(run->counters.number("global.store.sectors_per_request"), 32);
  EXPECT_EQ(run->counters.number("shared.load.requests"), 0);
  expect_site(*run, AccessKind::kGlobalLoad, "// naive load", 4 * kRequests, 4 * kRequests);
  expect_site(*run, AccessKind::kGlobalStore, "// naive store", 32 * kRequests, 4 * kRequests);
  ASSERT_TRUE(run->timing);
  EXPECT_EQ(run->timing->repeats, CollectOptions{}.repeat);
  EXPECT_GT(run->timing->min_s, 1e-6);
  EXPECT_LE(run->timing->min_s, run->timing->median_s);
  EXPECT_LE(run->timing->median_s, run->timing->max_s);
}

TEST_F(OnGpu, FindsTheConflictOfTheUnpaddedTile) {
  auto run = measure(transpose("tiled", 0));
  ASSERT_TRUE(run) << run.error().what;
  EXPECT_EQ(run->check.state, CheckOutcome::State::kPassed) << run->check.text;
  EXPECT_EQ(run->counters.number("shared.load.requests"), kRequests);
  EXPECT_EQ(run->counters.number("shared.load.wavefronts"), 16777216);
  EXPECT_EQ(run->counters.number("shared.load.ideal_wavefronts"), kRequests);
  EXPECT_EQ(run->counters.number("shared.load.conflict_degree"), 32);
  EXPECT_EQ(run->counters.number("shared.store.wavefronts"), kRequests);
  EXPECT_EQ(run->counters.number("global.load.sectors"), 2097152);
  EXPECT_EQ(run->counters.number("global.store.sectors"), 2097152);
  expect_site(*run, AccessKind::kSharedLoad, "// tile shared load", 32 * kRequests, kRequests);
  expect_site(*run, AccessKind::kSharedStore, "// tile shared store", kRequests, kRequests);
  expect_site(*run, AccessKind::kGlobalLoad, "// tile global load", 4 * kRequests, 4 * kRequests);
  expect_site(*run, AccessKind::kGlobalStore, "// tile global store", 4 * kRequests, 4 * kRequests);
}

TEST_F(OnGpu, SeesNoConflictInThePaddedTileThoughTheHardwareCountIsNotZero) {
  auto run = measure(transpose("tiled", 1));
  ASSERT_TRUE(run) << run.error().what;
  EXPECT_EQ(run->check.state, CheckOutcome::State::kPassed) << run->check.text;
  EXPECT_EQ(run->counters.number("shared.load.wavefronts"), kRequests);
  EXPECT_EQ(run->counters.number("shared.load.excess_wavefronts"), 0);
  EXPECT_EQ(run->counters.number("shared.store.excess_wavefronts"), 0);
  EXPECT_GT(run->counters.number("shared.conflicts_hw.load").value_or(0) +
                run->counters.number("shared.conflicts_hw.store").value_or(0),
            0);
  expect_site(*run, AccessKind::kSharedLoad, "// tile shared load", kRequests, kRequests);
}

TEST_F(OnGpu, MeasuresOrExplainsEveryRowOfTheCatalog) {
  auto run = measure(transpose("tiled", 1));
  ASSERT_TRUE(run) << run.error().what;
  for (const MetricRow& row : metric_catalog()) {
    if (row.kind == MetricRow::Kind::kStatic) continue;  // the caller adds them
    ASSERT_NE(run->counters.find(row.name), nullptr) << row.name;
    if (const Value* value = run->counters.value(row.name)) {
      EXPECT_EQ(value->unit, row.unit) << row.name;
      EXPECT_GE(*run->counters.number(row.name), 0) << row.name;
      if (row.unit == Unit::kPercent) {
        EXPECT_LE(*run->counters.number(row.name), 101) << row.name;
      }
    } else {
      EXPECT_FALSE(run->counters.missing_reason(row.name).empty()) << row.name;
    }
  }
  // Twice 64 MiB through DRAM, less what the L2 cache holds over from the replay before.
  EXPECT_GT(*run->counters.number("dram.read_bytes"), 10e6);
  EXPECT_LT(*run->counters.number("dram.read_bytes"), 2 * 67108864.0);
  EXPECT_GT(*run->counters.number("occupancy.achieved"), 50);
  EXPECT_EQ(run->counters.number("occupancy.blocks_per_sm.driver"), 2);
  EXPECT_EQ(run->environment.device, (*source())->device().name);
  EXPECT_FALSE(run->environment.driver.empty());
  EXPECT_FALSE(run->environment.cupti.empty());
}

TEST_F(OnGpu, CountsOnlyWarpsWithAnActiveLane) {
  Kernel kernel;
  kernel.name = "predicated";
  kernel.source = {"predicated.cu", R"(
extern "C" __global__ void predicated(const float* in, float* out) {
  __shared__ float buffer[1024];
  int i = threadIdx.x;
  buffer[i] = 1.0f;
  __syncthreads();
  float v = 0, g = 0;
  asm volatile("{.reg .pred p; setp.eq.s32 p,%1,0; @p ld.shared.f32 %0,[%2];}"
               : "+f"(v) : "r"((i / 32) & 1), "r"((unsigned)__cvta_generic_to_shared(&buffer[i])));
  asm volatile("{.reg .pred p; setp.lt.s32 p,%1,8; @p ld.global.f32 %0,[%2];}"
               : "+f"(g) : "r"(i & 31), "l"(in + i));
  out[i] = v + g;
})"};
  kernel.buffers = {f32_buffer("in", 1024, BufferInit::Kind::kRandom),
                    f32_buffer("out", 1024, BufferInit::Kind::kZeros)};
  Launch launch;
  launch.block = {1024, 1, 1};
  kernel.steps = {{"predicated", launch, {BufferRef{0}, BufferRef{1}}}};
  auto run = measure(kernel);
  ASSERT_TRUE(run) << run.error().what;
  EXPECT_EQ(run->counters.number("shared.load.requests"), 16) << "every other warp has no active lane";
  EXPECT_EQ(run->counters.number("global.load.requests"), 32);
  EXPECT_EQ(run->counters.number("global.load.sectors"), 32) << "8 lanes of 4 bytes";
  const Site* load = only_site(*run, AccessKind::kGlobalLoad);
  ASSERT_NE(load, nullptr);
  EXPECT_EQ(load->active_lanes, 8);
  EXPECT_EQ(load->ideal, 32);
  EXPECT_EQ(run->check.state, CheckOutcome::State::kNotChecked);
}

TEST_F(OnGpu, CountsBothSidesOfAnAsynchronousCopy) {
  if ((*source())->device().cc_major < 8) GTEST_SKIP() << "cp.async needs compute capability 8.0";
  Kernel kernel;
  kernel.name = "copy_rows";
  kernel.source = {"copy_rows.cu", R"(
extern "C" __global__ void copy_rows(const float4* in, float4* out) {
  __shared__ __align__(128) char rows[32 * PITCH];
  int i = blockIdx.x * 32 + threadIdx.x;
  unsigned to = (unsigned)__cvta_generic_to_shared(rows) + threadIdx.x * PITCH;
  asm volatile("cp.async.cg.shared.global [%0],[%1],16;" ::"r"(to), "l"(in + i));
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.wait_group 0;");
  out[i] = *(float4*)(rows + threadIdx.x * PITCH);
})"};
  constexpr std::uint64_t kBlocks = 1000;
  kernel.buffers = {f32_buffer("in", kBlocks * 128, BufferInit::Kind::kRandom),
                    f32_buffer("out", kBlocks * 128, BufferInit::Kind::kZeros)};
  Launch launch;
  launch.grid = {kBlocks, 1, 1};
  launch.block = {32, 1, 1};
  kernel.steps = {{"copy_rows", launch, {BufferRef{0}, BufferRef{1}}}};
  // {pitch, sectors, wavefronts} of one request; 16 and 4 are ideal.
  for (const auto& [pitch, sectors, wavefronts] : {std::array{16, 16, 4}, std::array{128, 32, 32}}) {
    kernel.defines = {{"PITCH", std::to_string(pitch)}};
    auto run = measure(kernel);
    ASSERT_TRUE(run) << run.error().what;
    EXPECT_EQ(run->counters.number("global.load.requests"), kBlocks);
    EXPECT_EQ(run->counters.number("global.load.sectors"), kBlocks * sectors);
    const Site* load = only_site(*run, AccessKind::kGlobalLoad);
    ASSERT_NE(load, nullptr);
    EXPECT_EQ(load->actual, kBlocks * sectors) << "the count by line equals the hardware's";
    EXPECT_EQ(load->ideal, kBlocks * 16);
    EXPECT_EQ(run->counters.number("shared.async_copy.wavefronts"), kBlocks * wavefronts);
    EXPECT_EQ(run->counters.number("shared.async_copy.ideal_wavefronts"), kBlocks * 4);
  }
}

TEST_F(OnGpu, EveryReplayStartsFromTheSameContents) {
  // Each element is visited once: a replay without restoring would find nothing left to do.
  Kernel kernel;
  kernel.name = "visit";
  kernel.source = {"visit.cu", R"(
extern "C" __global__ void visit(int* visited, const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (visited[i] != 7) {
    visited[i] = 7;
    out[i] += in[i];
  }
})"};
  constexpr std::uint64_t kCount = 1 << 20;
  Buffer visited = f32_buffer("visited", kCount, BufferInit::Kind::kIota);
  visited.type = *element_type_from_string("i32");
  kernel.buffers = {visited, f32_buffer("in", kCount, BufferInit::Kind::kOnes),
                    f32_buffer("out", kCount, BufferInit::Kind::kZeros)};
  Launch launch;
  launch.grid = {kCount / 256, 1, 1};
  launch.block = {256, 1, 1};
  kernel.steps = {{"visit", launch, {BufferRef{0}, BufferRef{1}, BufferRef{2}}}};
  auto run = measure(kernel);
  ASSERT_TRUE(run) << run.error().what;
  EXPECT_EQ(run->counters.number("global.load.requests"), 3.0 * kCount / 32);
  EXPECT_EQ(run->counters.number("global.store.requests"), 2.0 * kCount / 32);
  EXPECT_EQ(run->counters.number("global.store.ideal_sectors"), 8.0 * kCount / 32)
      << "element 7 is not visited: 31 lanes still take four sectors";
}

TEST_F(OnGpu, AttributesTheStepsOfOneKernelToTheirFunctions) {
  Kernel kernel = transpose("naive_write");
  kernel.steps.push_back(kernel.steps[0]);
  kernel.steps[1].entry = "tiled";
  auto run = measure(kernel);
  ASSERT_TRUE(run) << run.error().what;
  std::vector<std::string> functions;
  for (const Site& site : run->sites) functions.push_back(site.function);
  EXPECT_THAT(functions, testing::Contains("naive_write"));
  EXPECT_THAT(functions, testing::Contains("tiled"));
  EXPECT_EQ(run->counters.number("global.load.requests"), 2 * kRequests);
  EXPECT_EQ(run->resources.size(), 2U);
}

TEST_F(OnGpu, SaysThatResultsVaryBetweenRuns) {
  Kernel kernel;
  kernel.name = "order";
  kernel.source = {"order.cu", R"(
extern "C" __global__ void order(unsigned* ticket, unsigned* out) {
  if (threadIdx.x == 0) out[blockIdx.x] = atomicAdd(ticket, 1u);
})"};
  Buffer ticket = f32_buffer("ticket", 1, BufferInit::Kind::kZeros);
  ticket.type = *element_type_from_string("u32");
  Buffer out = ticket;
  out.name = "out";
  out.count = 1 << 16;
  kernel.buffers = {ticket, out};
  Launch launch;
  launch.grid = {1 << 16, 1, 1};
  launch.block = {32, 1, 1};
  kernel.steps = {{"order", launch, {BufferRef{0}, BufferRef{1}}}};
  auto run = measure(kernel);
  ASSERT_TRUE(run) << run.error().what;
  EXPECT_THAT(run->check.text, testing::HasSubstr("buffer 'out' differs in"));
  const Site* atomic = only_site(*run, AccessKind::kGlobalAtomic);
  ASSERT_NE(atomic, nullptr);
  EXPECT_EQ(atomic->requests, 1 << 16);
}

TEST_F(OnGpu, LaunchesWithDynamicSharedMemoryAndClusters) {
  const DeviceSpec& device = (*source())->device();
  Kernel kernel;
  kernel.name = "dynamic";
  kernel.source = {"dynamic.cu", R"(
extern "C" __global__ void dynamic(float* out, int last) {
  extern __shared__ float buffer[];
  buffer[last - threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = buffer[last - 31 + threadIdx.x];
})"};
  kernel.buffers = {f32_buffer("out", 256, BufferInit::Kind::kZeros)};
  Launch launch;
  launch.grid = {8, 1, 1};
  launch.block = {32, 1, 1};
  launch.dynamic_shared = static_cast<std::uint32_t>(device.shared_per_block_optin);
  if (device.cc_major >= 9) launch.cluster = {2, 1, 1};
  const int last = device.shared_per_block_optin / 4 - 1;
  kernel.steps = {{"dynamic", launch, {BufferRef{0}, Scalar::i32(last)}}};
  ResultCheck check;
  check.expected = [](const HostBuffers&, std::uint64_t i) { return 31.0 - double(i % 32); };
  kernel.checks = {check};
  auto run = measure(kernel);
  ASSERT_TRUE(run) << run.error().what;
  EXPECT_EQ(run->check.state, CheckOutcome::State::kPassed) << run->check.text;
  EXPECT_EQ(run->counters.number("occupancy.blocks_per_sm.driver"), 1);
}

TEST_F(OnGpu, ALaunchThatIsRefusedDoesNotLoseTheGpu) {
  Kernel kernel = transpose("naive_write");
  kernel.steps[0].launch.block = {32, 33, 1};  // 1,056 threads
  auto run = measure(kernel);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ErrorCode::kKernel);
  EXPECT_THAT(run.error().what, testing::HasSubstr("launching naive_write"));
  EXPECT_TRUE(measure(transpose("naive_write")));
}

TEST_F(OnGpu, FlushingTheCacheMakesASmallKernelReadFromDram) {
  Kernel kernel;
  kernel.name = "copy";
  kernel.source = {"copy.cu", R"(
extern "C" __global__ void copy(const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
})"};
  constexpr std::uint64_t kCount = 1 << 20;  // 4 MiB, well inside the L2 cache
  kernel.buffers = {f32_buffer("in", kCount, BufferInit::Kind::kRandom),
                    f32_buffer("out", kCount, BufferInit::Kind::kZeros)};
  Launch launch;
  launch.grid = {kCount / 256, 1, 1};
  launch.block = {256, 1, 1};
  kernel.steps = {{"copy", launch, {BufferRef{0}, BufferRef{1}}}};
  CollectOptions cold;
  cold.cold_cache = true;
  auto warm_run = measure(kernel);
  auto cold_run = measure(kernel, cold);
  ASSERT_TRUE(warm_run) << warm_run.error().what;
  ASSERT_TRUE(cold_run) << cold_run.error().what;
  EXPECT_LT(*warm_run->counters.number("dram.read_bytes"), 1e6);
  EXPECT_GT(*cold_run->counters.number("dram.read_bytes"), 4e6);
  EXPECT_LT(warm_run->timing->median_s, cold_run->timing->median_s);
}

}  // namespace
}  // namespace gpuprobe::gpu_test
