#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/buffers.h"
#include "core/random.h"

namespace gpuprobe {
namespace {

constexpr std::uint64_t kCompareAll = 1u << 16;  ///< outputs up to this many elements are compared completely
constexpr std::uint64_t kSample = 1u << 14;  ///< compared elements of larger ones: 16384 find an error in one
                                             ///< element of 2000 with a probability of 99.97 %
constexpr std::uint64_t kMostTries = 1u << 19;  ///< looks for elements that a sampled prediction has written

/// Judges the elements of one check.
class Comparison {
 public:
  Comparison(const Kernel& kernel, const ResultCheck& check, const HostBuffers& initial,
             const HostBuffers& result, CheckOutcome& outcome)
      : buffer_(kernel.buffers[check.buffer]),
        check_(check),
        initial_(initial),
        result_(result),
        outcome_(outcome) {}

  void element(std::uint64_t index) {
    const double expected = check_.expected(initial_, index);
    const double got = result_.element(check_.buffer, index);
    ++outcome_.compared;
    // Equal infinities differ by NaN, and so does a NaN that is expected: both are right.
    if (got == expected || (std::isnan(got) && std::isnan(expected))) return;
    double error = std::abs(got - expected);
    if (std::isnan(error)) error = std::numeric_limits<double>::infinity();
    outcome_.worst_error = std::max(outcome_.worst_error, error);
    const double bound = check_.absolute_bound + check_.relative_bound * std::abs(expected);
    if (error <= bound) return;
    if (outcome_.wrong++ == 0)
      first_wrong_ = fmt::format("'{}'[{}] is {:.9g}, expected {:.9g} (allowed difference {:.3g})",
                                 buffer_.name, index, got, expected, bound);
  }

  const std::string& first_wrong() const { return first_wrong_; }

 private:
  const Buffer& buffer_;
  const ResultCheck& check_;
  const HostBuffers& initial_;
  const HostBuffers& result_;
  CheckOutcome& outcome_;
  std::string first_wrong_;
};

/// Calls visit(index) for the elements of [first, first + count) to compare.
template <class Written, class Visit>
void choose(std::uint64_t first, std::uint64_t count, const Written& written, const Visit& visit) {
  if (count <= kCompareAll) {
    for (std::uint64_t i = 0; i < count; ++i)
      if (written(first + i)) visit(first + i);
    return;
  }
  const Permutation order(RandomStream(count, first), count);  // fixed, and no element twice
  const std::uint64_t tries = std::min(count, kMostTries);
  std::uint64_t visited = 0;
  for (std::uint64_t i = 0; i < tries && visited < kSample; ++i) {
    const std::uint64_t index = first + order(i);
    if (!written(index)) continue;
    visit(index);
    ++visited;
  }
  // The ends are where wrong bounds show.
  for (const std::uint64_t index : {first, first + count - 1})
    if (written(index)) visit(index);
}

}  // namespace

CheckOutcome check_result(const Kernel& kernel, const HostBuffers& initial, const HostBuffers& result,
                          const std::function<bool(std::size_t, std::uint64_t)>& is_written) {
  CheckOutcome outcome;
  if (kernel.checks.empty()) {
    outcome.text = "this kernel comes without a reference";
    return outcome;
  }
  std::vector<std::string> skipped;
  std::vector<std::string> references;
  std::string first_wrong;
  std::uint64_t candidates = 0;
  for (const ResultCheck& check : kernel.checks) {
    const Buffer& buffer = kernel.buffers[check.buffer];
    if (check.needs_whole_grid && is_written) {
      skipped.push_back(fmt::format("'{}' depends on every block, and only a sample ran", buffer.name));
      continue;
    }
    const std::uint64_t first = std::min(check.first, buffer.count);
    const std::uint64_t count =
        check.count == 0 ? buffer.count - first : std::min(check.count, buffer.count - first);
    candidates += count;
    const std::uint64_t before = outcome.compared;
    Comparison comparison(kernel, check, initial, result, outcome);
    choose(
        first, count,
        [&](std::uint64_t index) {
          return !is_written || is_written(check.buffer, index * buffer.type.bytes);
        },
        [&](std::uint64_t index) { comparison.element(index); });
    if (first_wrong.empty()) first_wrong = comparison.first_wrong();
    if (outcome.compared == before)
      skipped.push_back(fmt::format("no block that ran wrote '{}'", buffer.name));
    else if (std::find(references.begin(), references.end(), check.reference) == references.end())
      references.push_back(check.reference);
  }
  if (outcome.compared == 0) {
    outcome.text = fmt::format("{}", fmt::join(skipped, "; "));
    return outcome;
  }
  const std::string of = fmt::format("{} of {} elements compared", outcome.compared, candidates);
  if (outcome.wrong > 0) {
    outcome.state = CheckOutcome::State::kFailed;
    outcome.text = fmt::format("wrong result: {} of {} compared elements differ; {}", outcome.wrong,
                               outcome.compared, first_wrong);
    return outcome;
  }
  outcome.state = CheckOutcome::State::kPassed;
  outcome.text = outcome.worst_error == 0.0
                     ? fmt::format("{}, all equal", of)
                     : fmt::format("{}, largest difference {:.3g}", of, outcome.worst_error);
  if (!references.empty() && !references.front().empty())
    outcome.text += fmt::format(" ({})", fmt::join(references, "; "));
  if (!skipped.empty()) outcome.text += fmt::format("; not checked: {}", fmt::join(skipped, "; "));
  return outcome;
}

}  // namespace gpuprobe
