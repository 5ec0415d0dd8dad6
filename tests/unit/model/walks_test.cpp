// The twenty kernels of tests/cases/walks: what the prediction reports for each line is what a count of all
// lane addresses by the definitions gives.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "kernels/user/launch_case.h"
#include "kernels/user/launch_entry.h"
#include "model/prediction/kernel_execution.h"
#include "model/prediction/site_table.h"
#include "model/ptx/parser.h"
#include "unit/model/predict.h"
#include "unit/model/recount.h"

namespace gpuprobe::testing {
namespace {

namespace fs = std::filesystem;

using Place = std::tuple<std::string, int, AccessKind, std::uint32_t>;  // file, line, kind, bytes a lane

struct Sums {
  double requests = 0;
  double actual = 0;
  double ideal = 0;
  double lanes = 0;
};

/// Adds up the costs of all accesses of a launch by source line.
class Recounter final : public simt::Observer {
 public:
  Recounter(const simt::Program& program, const std::vector<prediction::InstructionPlan>& plan,
            const std::string& file, std::map<Place, Sums>& sums)
      : program_(program), plan_(plan), file_(file), sums_(sums) {}

  void begin_block(std::uint64_t, std::uint32_t) override {}
  void barrier(std::uint64_t, int, const std::vector<bool>&) override {}
  void warp_sync(std::uint64_t, int, std::uint32_t) override {}
  void end_block(std::uint64_t) override {}

  void access(const simt::MemoryAccess& access) override {
    const bool copies = access.op == simt::AccessOp::kAsyncCopy;
    LanePattern pattern = pattern_of(access, access.addresses);
    if (access.space == simt::MemorySpace::kConst || access.space == simt::MemorySpace::kParam) return;
    if (access.space != simt::MemorySpace::kShared) {
      const LanePattern destination = copies ? pattern_of(access, access.shared_destination) : pattern;
      add(access, kind_of(access), pattern, copies ? &destination : nullptr);
      if (copies) add(access, AccessKind::kAsyncCopyShared, destination, nullptr);
      return;
    }
    // The assembler makes one wide load of neighbouring ones: the first stands for all.
    const prediction::InstructionPlan& plan = plan_[static_cast<std::size_t>(access.instruction)];
    if (plan.skipped) return;
    if (plan.merged) {
      pattern.width = plan.merged_width;
      for (auto& address : pattern.address) address += static_cast<std::uint64_t>(plan.merged_offset);
    }
    if (access.matrices > 0) pattern.active = access.matrices == 4 ? ~0u : (1u << 8 * access.matrices) - 1;
    add(access, kind_of(access), pattern, nullptr, plan.combines_lanes);
  }

 private:
  static LanePattern pattern_of(const simt::MemoryAccess& access, const std::uint64_t* addresses) {
    LanePattern pattern;
    std::copy_n(addresses, 32, pattern.address.begin());
    pattern.active = access.active;
    pattern.width = access.width;
    return pattern;
  }

  static AccessKind kind_of(const simt::MemoryAccess& access) {
    const bool shared = access.space == simt::MemorySpace::kShared;
    const bool local = access.space == simt::MemorySpace::kLocal;
    switch (access.op) {
      case simt::AccessOp::kStore:
        return shared ? AccessKind::kSharedStore : local ? AccessKind::kLocalStore : AccessKind::kGlobalStore;
      case simt::AccessOp::kAtomic:
      case simt::AccessOp::kReduction:
        return shared ? AccessKind::kSharedAtomic : AccessKind::kGlobalAtomic;
      case simt::AccessOp::kMatrixLoad:
        return AccessKind::kMatrixLoad;
      case simt::AccessOp::kMatrixStore:
        return AccessKind::kMatrixStore;
      default:
        return shared ? AccessKind::kSharedLoad : local ? AccessKind::kLocalLoad : AccessKind::kGlobalLoad;
    }
  }

  void add(const simt::MemoryAccess& access, AccessKind kind, const LanePattern& pattern,
           const LanePattern* destination, bool combined = false) {
    const Location at = prediction::own_place(program_.instruction(access.instruction), file_);
    Sums& sums = sums_[{at.file, at.line, kind, pattern.width}];
    const Recount one = recount(combined ? AccessKind::kSharedStore : kind, pattern, destination);
    sums.requests += 1;
    sums.actual += static_cast<double>(one.actual);
    sums.ideal += static_cast<double>(one.ideal);
    sums.lanes += static_cast<double>(recounting::lanes_of(access.active).size());
  }

  const simt::Program& program_;
  const std::vector<prediction::InstructionPlan>& plan_;
  const std::string& file_;
  std::map<Place, Sums>& sums_;
};

void recount_case(const Kernel& kernel) {
  const auto compiled = compile::compile(kernel, "sm_90");
  ASSERT_TRUE(compiled.has_value()) << compiled.error().what;
  CollectOptions options;
  options.exact = true;
  const auto run = PredictedSource(*device_for_arch("sm_90")).collect(kernel, *compiled, options);
  ASSERT_TRUE(run.has_value()) << run.error().what;
  ASSERT_FALSE(run->sites.empty());

  const auto module = ptx::parse(compiled->ptx);
  ASSERT_TRUE(module.has_value()) << module.error().what;
  const auto analysis = prediction::analyse_kernel(kernel, *compiled, *module);
  ASSERT_TRUE(analysis.has_value()) << analysis.error().what;
  const auto initial = HostBuffers::initial(kernel);
  ASSERT_TRUE(initial.has_value()) << initial.error().what;
  auto execution = prediction::KernelExecution::prepare(kernel, *analysis, *initial, false);
  ASSERT_TRUE(execution.has_value()) << execution.error().what;
  std::map<Place, Sums> expected;
  for (std::size_t step = 0; step < kernel.steps.size(); ++step) {
    Recounter recounter((*execution)->program(step), (*execution)->plan(step), kernel.source.file, expected);
    const auto outcome = (*execution)->run_step_in_order(step, 120, false, &recounter);
    ASSERT_TRUE(outcome.has_value()) << outcome.error().what;
    ASSERT_EQ(outcome->blocks, kernel.steps[step].launch.grid.count());
  }

  std::map<Place, Sums> reported;
  for (const Site& site : run->sites) {
    Sums& sums = reported[{site.file, site.line, site.access, site.width}];
    sums.requests += site.requests;
    sums.actual += site.actual;
    sums.ideal += site.ideal;
    sums.lanes += site.active_lanes * site.requests;
  }
  // Local arrays that the assembler keeps in registers are no memory: the prediction leaves them out.
  const bool has_frame = std::any_of(compiled->functions.begin(), compiled->functions.end(),
                                     [](const FunctionResources& f) { return f.local_bytes > 0; });
  for (const auto& [place, sums] : expected) {
    const auto& [file, line, kind, width] = place;
    if (!has_frame && (kind == AccessKind::kLocalLoad || kind == AccessKind::kLocalStore)) continue;
    SCOPED_TRACE(file + ":" + std::to_string(line) + " " + std::string(to_string(kind)));
    const auto found = reported.find(place);
    ASSERT_NE(found, reported.end());
    EXPECT_EQ(found->second.requests, sums.requests);
    EXPECT_EQ(found->second.actual, sums.actual);
    EXPECT_EQ(found->second.ideal, sums.ideal);
    EXPECT_NEAR(found->second.lanes, sums.lanes, 1e-6 * sums.lanes);
  }
  for (const auto& [place, sums] : reported)
    EXPECT_TRUE(expected.contains(place)) << std::get<0>(place) << ":" << std::get<1>(place);
}

std::vector<fs::path> walk_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(GPUPROBE_TESTS_DIR "/cases/walks"))
    if (entry.path().extension() == ".cu") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

class Walk : public ::testing::TestWithParam<fs::path> {};

TEST_P(Walk, IsCountedAsItsAddressesSay) {
  std::ifstream stream(GetParam());
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto block = user::find_launch_block(text);
  ASSERT_TRUE(block.has_value());
  const auto entries = user::parse_entries(block->text, GetParam().string(), block->first_line);
  ASSERT_TRUE(entries.has_value()) << entries.error().what;
  for (const auto& entry : *entries) {
    const auto cases = user::expand(entry, {GetParam().string(), text}, GetParam().parent_path().string());
    ASSERT_TRUE(cases.has_value()) << cases.error().what;
    for (const auto& one : *cases) {
      SCOPED_TRACE(entry.origin + " " + entry.name);
      recount_case(one.kernel);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, Walk, ::testing::ValuesIn(walk_files()),
                         [](const auto& instance) { return instance.param.stem().string(); });

TEST(Walks, AreTwenty) {
  EXPECT_EQ(walk_files().size(), 20u);
}

}  // namespace
}  // namespace gpuprobe::testing
