// Kernels that order their accesses by strong accesses instead of bar.sync: no race is found where the memory
// model orders them, and one where it does not. From source through the whole road of a prediction.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/model/predict.h"

namespace gpuprobe {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::source_kernel;
using testing::words;

/// The shared races of a kernel of 4 blocks of 128 threads over `out`.
std::vector<Hazard> races_of(const std::string& source, const std::string& arch) {
  Launch launch;
  launch.grid = {4, 1, 1};
  launch.block = {128, 1, 1};
  const Kernel kernel = source_kernel("kernel", source, launch, {words("out", 512)}, {BufferRef{0, 0}});
  const auto run = testing::predict(kernel, {}, arch);
  EXPECT_TRUE(run) << run.error().what;
  std::vector<Hazard> races;
  if (run)
    for (const Hazard& hazard : run->hazards)
      if (hazard.kind == HazardKind::kSharedRace) races.push_back(hazard);
  return races;
}

std::string exchange(const std::string& before_the_read) {
  return R"(#include <cuda/barrier>
extern "C" __global__ void kernel(unsigned* out) {
  __shared__ unsigned tile[128];
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  tile[threadIdx.x] = threadIdx.x;
  )" + before_the_read +
         R"(
  out[blockIdx.x * 128 + threadIdx.x] = tile[127 - threadIdx.x];
})";
}

TEST(Synchronisation, ABarrierOfTheLibraryOrdersAccessesOnEveryArchitecture) {
  // Atomics and a polling load before sm_80, mbarrier from there on.
  for (const char* arch : {"sm_75", "sm_80", "sm_90"}) {
    SCOPED_TRACE(arch);
    EXPECT_THAT(races_of(exchange("bar.arrive_and_wait();"), arch), IsEmpty());
    EXPECT_THAT(races_of(exchange("bar.wait(bar.arrive());"), arch), IsEmpty());
  }
  // Arriving is not waiting.
  const auto races = races_of(exchange("auto token = bar.arrive();"), "sm_75");
  ASSERT_EQ(races.size(), 1u);
  EXPECT_EQ(races[0].locations[0].line + races[0].locations[1].line, 7 + 9);
}

std::string locked(const std::string& fence) {
  return R"(
extern "C" __global__ void kernel(unsigned* out) {
  __shared__ unsigned lock, sum;
  if (threadIdx.x == 0) lock = sum = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(&lock, 0u, 1u) != 0u) {}
    )" + fence +
         R"(
    sum += threadIdx.x;
    )" + fence +
         R"(
    atomicExch(&lock, 0u);
  }
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = sum;
})";
}

TEST(Synchronisation, ALockOrdersByItsFences) {
  EXPECT_THAT(races_of(locked("__threadfence_block();"), "sm_90"), IsEmpty());
  EXPECT_THAT(races_of(locked("__threadfence();"), "sm_75"), IsEmpty());
  EXPECT_FALSE(races_of(locked(""), "sm_90").empty());
}

std::string flagged(const std::string& set, const std::string& get, const std::string& last) {
  return R"(#include <cuda/atomic>
extern "C" __global__ void kernel(unsigned* out) {
  __shared__ unsigned value, flag;
  if (threadIdx.x == 0) value = flag = 0;
  __syncthreads();
  volatile unsigned* polled = &flag;
  cuda::atomic_ref<unsigned, cuda::thread_scope_block> atomic(flag);
  if (threadIdx.x == 0) {
    value = 7;
    )" + set +
         R"(
  } else if (threadIdx.x >= 32) {
    )" + get +
         R"(
    out[blockIdx.x * 128 + threadIdx.x] = value;
  }
  )" + last +
         R"(
})";
}

TEST(Synchronisation, AFlagThatIsPolledIsNoRaceAndWhatItGuardsNeedsReleaseAndAcquire) {
  const std::string volatile_set = "*polled = 1;", volatile_get = "while (*polled == 0) {}";
  const std::string fence = "__threadfence_block();";
  EXPECT_THAT(races_of(flagged("atomic.store(1, cuda::memory_order_release);",
                               "while (atomic.load(cuda::memory_order_acquire) == 0) {}", ""),
                       "sm_90"),
              IsEmpty());
  EXPECT_THAT(races_of(flagged(fence + volatile_set, volatile_get + fence, ""), "sm_90"), IsEmpty());
  // Without order only the value that the flag guards is raced for, not the flag.
  for (const auto& [set, get] : std::vector<std::pair<std::string, std::string>>{
           {volatile_set, volatile_get}, {fence + volatile_set, volatile_get}}) {
    const auto races = races_of(flagged(set, get, ""), "sm_90");
    ASSERT_EQ(races.size(), 1u);
    EXPECT_THAT(races[0].text, HasSubstr("test.cu:9"));
  }
  // A weak store to the flag races with those who still poll.
  const auto races =
      races_of(flagged(fence + volatile_set, volatile_get + fence, "flag = threadIdx.x;"), "sm_90");
  EXPECT_FALSE(races.empty());
}

}  // namespace
}  // namespace gpuprobe
