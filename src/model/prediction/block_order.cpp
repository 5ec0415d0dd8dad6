#include "model/prediction/block_order.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace gpuprobe::prediction {
namespace {

// Sums of up to some ten thousand f32 terms in any order agree to this; a lost update does not.
constexpr double kFloatBound = 1e-4;

bool is_float(ScalarType type) {
  return type == ScalarType::kF16 || type == ScalarType::kBf16 || type == ScalarType::kF32 ||
         type == ScalarType::kF64;
}

struct Bound {
  double absolute = 0;
  double relative = kFloatBound;
};

Bound bound_of(const Kernel& kernel, std::size_t buffer) {
  for (const ResultCheck& check : kernel.checks)
    if (check.buffer == buffer) return {2 * check.absolute_bound, 2 * check.relative_bound};  // each may err
  return {};
}

}  // namespace

std::optional<Hazard> compare_orders(const Kernel& kernel, const HostBuffers& forwards,
                                     const HostBuffers& backwards) {
  for (std::size_t b = 0; b < kernel.buffers.size(); ++b) {
    const Buffer& buffer = kernel.buffers[b];
    const auto one = forwards.bytes(b);
    const auto other = backwards.bytes(b);
    if (one.empty() || one.data() == other.data() || std::memcmp(one.data(), other.data(), one.size()) == 0)
      continue;
    const Bound bound = bound_of(kernel, b);
    std::uint64_t differing = 0;
    std::uint64_t first = 0;
    for (std::uint64_t i = 0; i < buffer.count; ++i) {
      const std::uint64_t at = i * buffer.type.bytes;
      if (std::memcmp(one.data() + at, other.data() + at, buffer.type.bytes) == 0) continue;
      if (is_float(buffer.type.scalar)) {
        const double x = forwards.element(b, i);
        const double y = backwards.element(b, i);
        const bool both_nan = std::isnan(x) && std::isnan(y);
        if (both_nan ||
            std::abs(x - y) <= bound.absolute + bound.relative * std::max(std::abs(x), std::abs(y)))
          continue;
      }
      if (differing++ == 0) first = i;
    }
    if (differing == 0) continue;
    return Hazard{
        HazardKind::kBlockOrder,
        fmt::format("{} of {} elements of '{}' depend on the order in which the blocks run: element {} is {} "
                    "or, with the last block first, {}",
                    differing, buffer.count, buffer.name, first, forwards.element(b, first),
                    backwards.element(b, first)),
        {},
        differing};
  }
  return std::nullopt;
}

}  // namespace gpuprobe::prediction
