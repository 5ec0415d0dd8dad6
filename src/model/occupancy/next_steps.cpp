#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>

#include "model/occupancy/calculator.h"
#include "model/occupancy/limits.h"

namespace gpuprobe::occupancy {
namespace {

/// The largest value in [0, current) for which `good` holds; -1 if there is none. `good` holds below some
/// point and not above it.
template <class Good>
std::int64_t largest_below(std::int64_t current, Good good) {
  std::int64_t low = -1;
  std::int64_t high = current;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (good(middle) ? low : high) = middle;
  }
  return low;
}

class Search {
 public:
  Search(const DeviceSpec& device, const Usage& usage)
      : device_(device), usage_(usage), now_(table(device, usage, 0)) {}

  std::vector<NextStep> run() {
    if (now_.theoretical_percent >= 100) return {};
    if (const auto registers = registers_for(usage_))
      add(*registers, fmt::format("at most {} registers a thread (now {})", registers->registers_per_thread,
                                  usage_.registers_per_thread));
    if (const auto shared = shared_for(usage_)) add(*shared, shared_text(*shared));
    if (const auto barriers = barriers_for(usage_))
      add(*barriers, fmt::format("at most {} barriers (now {})", barriers->barriers, usage_.barriers));
    if (steps_.empty()) add_combination();
    add_block_sizes();
    return std::move(steps_);
  }

 private:
  bool better(const Usage& usage) const {
    return table(device_, usage, 0).blocks_per_sm > now_.blocks_per_sm;
  }

  void add(const Usage& usage, const std::string& change) {
    const OccupancyTable then = table(device_, usage, 0);
    steps_.push_back({fmt::format("{}: {} block{} per SM, {:.4g} %", change, then.blocks_per_sm,
                                  then.blocks_per_sm == 1 ? "" : "s", then.theoretical_percent),
                      then.blocks_per_sm, then.theoretical_percent});
  }

  std::optional<Usage> registers_for(Usage usage) const {
    const auto best = largest_below(usage.registers_per_thread, [&](std::int64_t registers) {
      Usage trial = usage;
      trial.registers_per_thread = static_cast<int>(registers);
      return better(trial);
    });
    if (best < 1) return std::nullopt;
    usage.registers_per_thread = static_cast<int>(best);
    return usage;
  }

  /// Takes from the dynamic part first: that is the one a launch can change.
  static Usage with_shared(Usage usage, std::int64_t bytes) {
    usage.shared_static = static_cast<std::uint32_t>(std::min<std::int64_t>(usage.shared_static, bytes));
    usage.shared_dynamic = static_cast<std::uint32_t>(bytes - usage.shared_static);
    return usage;
  }

  std::optional<Usage> shared_for(const Usage& usage) const {
    const std::int64_t total = std::int64_t{usage.shared_static} + usage.shared_dynamic;
    const auto best =
        largest_below(total, [&](std::int64_t bytes) { return better(with_shared(usage, bytes)); });
    if (best < 0) return std::nullopt;
    return with_shared(usage, best);
  }

  std::string shared_text(const Usage& usage) const {
    return fmt::format("at most {} bytes of shared memory a block (now {})",
                       std::uint64_t{usage.shared_static} + usage.shared_dynamic,
                       std::uint64_t{usage_.shared_static} + usage_.shared_dynamic);
  }

  std::optional<Usage> barriers_for(Usage usage) const {
    const auto best = largest_below(usage.barriers, [&](std::int64_t barriers) {
      Usage trial = usage;
      trial.barriers = static_cast<int>(barriers);
      return better(trial);
    });
    if (best < 1) return std::nullopt;
    usage.barriers = static_cast<int>(best);
    return usage;
  }

  /// Registers and shared memory tied: neither alone buys a block, both together do.
  void add_combination() {
    Usage free_of_shared = with_shared(usage_, 0);
    const auto registers = registers_for(free_of_shared);
    if (!registers) return;
    Usage with_registers = usage_;
    with_registers.registers_per_thread = registers->registers_per_thread;
    const auto both = shared_for(with_registers);
    if (!both) return;
    add(*both, fmt::format("at most {} registers a thread (now {}) and {}", both->registers_per_thread,
                           usage_.registers_per_thread, shared_text(*both)));
  }

  /// The nearest smaller and the nearest larger block size with more resident warps.
  void add_block_sizes() {
    const int warps = std::max(now_.warps_per_block, 1);
    const int most = device_.max_threads_per_block / 32;
    const auto try_size = [&](int block_warps) {
      Usage trial = usage_;
      trial.threads_per_block = block_warps * 32;
      const OccupancyTable then = table(device_, trial, 0);
      if (then.theoretical_percent <= now_.theoretical_percent + 1e-9) return false;
      add(trial,
          fmt::format("blocks of {} threads (now {})", trial.threads_per_block, usage_.threads_per_block));
      return true;
    };
    for (int smaller = std::min(warps - 1, most); smaller >= 1; --smaller)
      if (try_size(smaller)) break;
    for (int larger = warps + 1; larger <= most; ++larger)
      if (try_size(larger)) break;
  }

  const DeviceSpec& device_;
  const Usage& usage_;
  OccupancyTable now_;
  std::vector<NextStep> steps_;
};

}  // namespace

std::vector<NextStep> next_steps(const DeviceSpec& device, const Usage& usage) {
  return Search(device, usage).run();
}

}  // namespace gpuprobe::occupancy
