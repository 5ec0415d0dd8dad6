// Which of Nsight's launches is which of gpuprobe's: both saw the same program, so the order decides, and
// kernel, grid and block must agree at every place.
#include <fmt/format.h>

#include <algorithm>

#include "cli/accuracy/evaluate.h"

namespace gpuprobe::cli {
namespace {

/// A reduction of 25 launches would take a third of Nsight's time and show one kernel.
constexpr std::size_t kMostSteps = 2;

std::string dimensions(const Dim3& dim) {
  return fmt::format("({}, {}, {})", dim.x, dim.y, dim.z);
}

std::string described(const std::string& kernel, const std::string& grid, const std::string& block) {
  return fmt::format("{}, grid {}, block {}", kernel, grid, block);
}

const char* const kRecordAgain =
    "Record both in one go, with the same gpuprobe and the same PATHs (scripts/accuracy does).";

struct ShownLaunch {
  std::size_t place = 0;  ///< in the plan
  const Step* step = nullptr;
};

Result<std::vector<ShownLaunch>> shown_launches(const std::vector<AccuracyLaunch>& plan,
                                                const std::vector<DiagnosedRun>& shown) {
  std::vector<ShownLaunch> launches;
  const auto places = places_in_plan(plan, shown);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (!places[i])
      return fail(ErrorCode::kUsage,
                  fmt::format("run {} that Nsight Compute was shown, {}, is not in the plan", i + 1,
                              shown[i].run.kernel),
                  kRecordAgain);
    for (const Step& step : plan[*places[i]].one.kernel.steps) launches.push_back({*places[i], &step});
  }
  return launches;
}

bool same(const NsightLaunch& seen, const Step& step) {
  return seen.kernel == bare_kernel_name(step.entry) && seen.grid == dimensions(step.launch.grid) &&
         seen.block == dimensions(step.launch.block);
}

Status check(const std::vector<NsightLaunch>& seen, const std::vector<ShownLaunch>& shown) {
  for (std::size_t i = 0; i < std::min(seen.size(), shown.size()); ++i) {
    const Step& step = *shown[i].step;
    if (!same(seen[i], step))
      return fail(ErrorCode::kUsage,
                  fmt::format("launch {} does not line up: Nsight Compute saw {}; gpuprobe launched {}",
                              i + 1, described(seen[i].kernel, seen[i].grid, seen[i].block),
                              described(bare_kernel_name(step.entry), dimensions(step.launch.grid),
                                        dimensions(step.launch.block))),
                  kRecordAgain);
  }
  if (seen.size() != shown.size())
    return fail(ErrorCode::kUsage,
                fmt::format("Nsight Compute saw {} launches, and gpuprobe made {} before its eyes",
                            seen.size(), shown.size()),
                kRecordAgain);
  return {};
}

}  // namespace

bool is_shown_to_nsight(const AccuracyLaunch& launch) {
  return launch.one.kernel.steps.size() <= kMostSteps && launch.one.kernel.library_call() == nullptr;
}

Status add_nsight(Accuracy& accuracy, const std::vector<AccuracyLaunch>& plan,
                  const std::vector<NsightLaunch>& seen, const std::vector<DiagnosedRun>& shown) {
  const auto launches = shown_launches(plan, shown);
  if (!launches) return tl::unexpected(launches.error());
  if (Status lined_up = check(seen, *launches); !lined_up) return lined_up;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const std::size_t place = (*launches)[i].place;
    for (JudgedLaunch& one : accuracy.judged) {
      if (one.launch != place) continue;
      if (!one.nsight) one.nsight.emplace();
      one.nsight->insert(one.nsight->end(), seen[i].advice.begin(), seen[i].advice.end());
    }
    for (GainPair& pair : accuracy.pairs) {
      if (pair.launch != place) continue;
      pair.seen_by_nsight = true;
      const auto kind = finding_kind_from_string(pair.finding);
      for (const NsightAdvice& advice : seen[i].advice)
        if (kind && advice.names(*kind) && advice.speedup > 0) pair.nsight.push_back(advice);
    }
  }
  accuracy.nsight_launches = seen.size();
  return {};
}

}  // namespace gpuprobe::cli
