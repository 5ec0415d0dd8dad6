// Requests, sectors and wavefronts of the kernels, counted by executing them, against those measured on an
// H200 (tests/data/truth/kernels_h200.tsv). All blocks of these grids do the same, so some of them stand for
// all; where they do not (stride), all are executed.
#include <gtest/gtest.h>

#include <map>

#include "model/memory/cost.h"
#include "unit/kernels/execute.h"
#include "unit/kernels/families.h"
#include "unit/kernels/truth.h"

namespace gpuprobe {
namespace {

struct Counts {
  double requests = 0;
  double actual = 0;
  double ideal = 0;
};

/// Adds up the accesses of one worker.
class Counter final : public simt::Observer {
 public:
  void begin_block(std::uint64_t, std::uint32_t) override {}
  void barrier(std::uint64_t, int, const std::vector<bool>&) override {}
  void warp_sync(std::uint64_t, int, std::uint32_t) override {}
  void end_block(std::uint64_t) override {}
  void access(const simt::MemoryAccess& access) override {
    LanePattern lanes;
    lanes.active = access.active;
    lanes.width = access.width;
    for (std::size_t i = 0; i < 32; ++i) lanes.address[i] = access.addresses[i];
    const bool load = access.op == simt::AccessOp::kLoad;
    if (!load && access.op != simt::AccessOp::kStore) return;  // atomics are neither
    if (access.space == simt::MemorySpace::kGlobal) {
      const memory::GlobalCost cost = memory::global_cost(lanes);
      add(load ? global_load : global_store, cost.sectors, cost.ideal);
    } else if (access.space == simt::MemorySpace::kShared) {
      const memory::SharedCost cost =
          load ? memory::shared_load_cost(lanes) : memory::shared_store_cost(lanes);
      add(shared, cost.wavefronts, cost.ideal);
    }
  }

  Counts global_load;
  Counts global_store;
  Counts shared;

 private:
  static void add(Counts& counts, int actual, int ideal) {
    counts.requests += 1;
    counts.actual += actual;
    counts.ideal += ideal;
  }
};

class Counted : public testing::TestWithParam<TruthCase> {};

TEST_P(Counted, CountsAreTheMeasuredOnes) {
  auto row = truth_row(GetParam().name);
  ASSERT_FALSE(row.empty());
  const auto kernel = built(GetParam().family, GetParam().options);
  ASSERT_TRUE(kernel.has_value()) << kernel.error().what;
  const std::uint64_t blocks = kernel->steps[0].launch.grid.count();
  constexpr std::uint64_t kSample = 8;
  const bool uniform = std::string(GetParam().family) != "stride";
  const std::uint64_t executed = uniform ? std::min(blocks, kSample) : blocks;

  Counter counter;
  ExecuteOptions options;
  for (std::uint64_t i = 0; i < executed; ++i) options.blocks.push_back(blocks / executed * i);
  options.observer = &counter;
  const auto result = execute(*kernel, "sm_90", options);
  ASSERT_TRUE(result.has_value()) << result.error().what;

  const double scale = static_cast<double>(blocks) / static_cast<double>(executed);
  const auto truth = [&](const char* column) { return std::stod(row[column]); };
  EXPECT_EQ(counter.global_load.requests * scale, truth("ld_requests"));
  EXPECT_EQ(counter.global_load.actual * scale, truth("ld_sectors"));
  EXPECT_EQ(counter.global_store.requests * scale, truth("st_requests"));
  EXPECT_EQ(counter.global_store.actual * scale, truth("st_sectors"));
  // The assembler merges shared loads of the tiled products into wider ones, which the PTX executed here does
  // not show.
  if (std::string(GetParam().name).starts_with("mm_")) return;
  EXPECT_EQ(counter.shared.actual * scale, truth("shared_wavefronts_theoretical"));
  EXPECT_EQ(counter.shared.ideal * scale, truth("shared_wavefronts_ideal"));
}

INSTANTIATE_TEST_SUITE_P(H200, Counted, testing::ValuesIn(truth_cases()),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace gpuprobe
