#include "metrics/cupti/timing.h"

#include <algorithm>

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

Result<Timing> time_runs(const DriverApi& driver, Launcher& launcher, const CollectOptions& options,
                         const std::function<Status()>& before) {
  auto begin = Event::create(driver);
  if (!begin) return tl::unexpected(begin.error());
  auto end = Event::create(driver);
  if (!end) return tl::unexpected(end.error());
  std::vector<double> seconds;
  const int repeat = std::max(options.repeat, 1);
  for (int i = -std::max(options.warmup, 0); i < repeat; ++i) {
    for (auto step :
         {std::function<Status()>(before), std::function<Status()>([&] { return begin->record(); }),
          std::function<Status()>([&] { return launcher.launch(); }),
          std::function<Status()>([&] { return end->record(); })})
      if (auto status = step(); !status) return tl::unexpected(status.error());
    if (auto status = end->wait(options.timeout_s); !status) {
      begin->abandon();
      end->abandon();
      return tl::unexpected(status.error());
    }
    auto elapsed = end->seconds_since(*begin);
    if (!elapsed) return tl::unexpected(elapsed.error());
    if (i >= 0) seconds.push_back(*elapsed);
  }
  return timing_of(std::move(seconds));
}

}  // namespace gpuprobe::cupti
