#include "cli/occupancy_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace gpuprobe::cli {
namespace {

constexpr int kBarWidth = 40;
constexpr int kWarpLanes = 32;

/// A run of neighbouring values with the same occupancy.
struct Interval {
  int first = 0;
  int last = 0;
  int blocks = 0;
  double percent = 0;
};

std::string bar_line(const std::string& label, const Interval& interval, bool current) {
  const int length = static_cast<int>(std::lround(interval.percent / 100 * kBarWidth));
  const std::string bar(static_cast<std::size_t>(std::clamp(length, 0, kBarWidth)), '#');
  return fmt::format("{} {:>15}  {:<{}}  {:>5.4g} %  {} {}\n", current ? '>' : ' ', label, bar, kBarWidth,
                     interval.percent, interval.blocks, interval.blocks == 1 ? "block" : "blocks");
}

/// `answer(value)` for values first, first + step ... last; equal neighbours merged.
std::vector<Interval> intervals(int first, int last, int step,
                                const std::function<OccupancyTable(int)>& answer) {
  std::vector<Interval> found;
  for (int value = first; value <= last; value += step) {
    const OccupancyTable table = answer(value);
    if (!found.empty() && found.back().blocks == table.blocks_per_sm &&
        found.back().percent == table.theoretical_percent) {
      found.back().last = value;
    } else {
      found.push_back({value, value, table.blocks_per_sm, table.theoretical_percent});
    }
  }
  return found;
}

/// `gap`: values between two tried ones that belong to the later one (0 for a property that has only the
/// tried values).
std::string chart(const std::string& title, const std::vector<Interval>& found, int now, int gap) {
  std::string out = title + "\n";
  for (const Interval& interval : found) {
    const int first = &interval == &found.front() ? interval.first : interval.first - gap;
    const std::string label =
        first == interval.last ? std::to_string(first) : fmt::format("{}..{}", first, interval.last);
    out += bar_line(label, interval, now >= first && now <= interval.last);
  }
  return out;
}

}  // namespace

std::string occupancy_plot(const DeviceSpec& device, const occupancy::Usage& usage) {
  const auto blocks = intervals(kWarpLanes, device.max_threads_per_block, kWarpLanes, [&](int threads) {
    occupancy::Usage changed = usage;
    changed.threads_per_block = threads;
    return occupancy::table(device, changed, 0);
  });
  const auto registers = intervals(1, device.max_registers_per_thread, 1, [&](int count) {
    occupancy::Usage changed = usage;
    changed.registers_per_thread = count;
    return occupancy::table(device, changed, 0);
  });
  const int unit = std::max(device.shared_unit, 1);
  const auto shared = intervals(0, device.shared_per_block_optin, unit, [&](int bytes) {
    occupancy::Usage changed = usage;
    changed.shared_static = 0;
    changed.shared_dynamic = static_cast<std::uint32_t>(bytes);
    return occupancy::table(device, changed, 0);
  });
  const int bytes_now = static_cast<int>(usage.shared_static + usage.shared_dynamic);
  return chart(fmt::format("threads of a block (now {})", usage.threads_per_block), blocks,
               usage.threads_per_block, kWarpLanes - 1) +
         "\n" +
         chart(fmt::format("registers of a thread (now {})", usage.registers_per_thread), registers,
               usage.registers_per_thread, 0) +
         "\n" +
         chart(fmt::format("bytes of shared memory of a block (now {})", bytes_now), shared, bytes_now,
               unit - 1);
}

}  // namespace gpuprobe::cli
