#include "metrics/cupti/timing.h"

#include <algorithm>
#include <utility>

#include "metrics/cupti/gate.h"

namespace gpuprobe::cupti {

Timing timing_of(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  Timing timing;
  timing.repeats = static_cast<int>(seconds.size());
  timing.min_s = seconds.front();
  timing.max_s = seconds.back();
  const std::size_t middle = seconds.size() / 2;
  timing.median_s = seconds.size() % 2 ? seconds[middle] : (seconds[middle - 1] + seconds[middle]) / 2;
  return timing;
}

namespace {

Status queue(const Event& begin, Launcher& launcher, const Event& end) {
  if (auto status = begin.record(); !status) return status;
  if (auto status = launcher.launch(); !status) return status;
  return end.record();
}

}  // namespace

Result<Timing> time_runs(const DriverApi& driver, Launcher& launcher, const CollectOptions& options,
                         const std::function<Status()>& before, bool gated) {
  auto begin = Event::create(driver);
  if (!begin) return tl::unexpected(begin.error());
  auto end = Event::create(driver);
  if (!end) return tl::unexpected(end.error());
  auto gate = Gate::create(driver);
  if (!gate) return tl::unexpected(gate.error());
  gated = gated && launcher.launches() <= Gate::kMaxQueued;
  std::vector<double> seconds;
  const int repeat = std::max(options.repeat, 1);
  for (int i = -std::max(options.warmup, 0); i < repeat; ++i) {
    if (auto status = before(); !status) return tl::unexpected(status.error());
    if (gated) gate->close();
    const Status queued = queue(*begin, launcher, *end);
    gate->open();
    if (!queued) return tl::unexpected(queued.error());
    if (auto status = end->wait(options.timeout_s); !status) {
      begin->abandon();
      end->abandon();
      gate->abandon();
      return tl::unexpected(status.error());
    }
    auto elapsed = end->seconds_since(*begin);
    if (!elapsed) return tl::unexpected(elapsed.error());
    if (i >= 0) seconds.push_back(*elapsed);
  }
  return timing_of(std::move(seconds));
}

}  // namespace gpuprobe::cupti
