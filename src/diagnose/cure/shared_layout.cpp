#include "diagnose/cure/shared_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "diagnose/cure/usage.h"
#include "diagnose/phrase.h"
#include "model/memory/cure.h"

namespace gpuprobe::diagnose {
namespace {

struct Span {
  std::uint64_t first = ~0ull;
  std::uint64_t last = 0;  ///< one past the last byte
};

Span span_of(const LanePattern& pattern) {
  Span span;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    if (((pattern.active >> lane) & 1u) == 0) continue;
    span.first = std::min(span.first, pattern.address[lane]);
    span.last = std::max(span.last, pattern.address[lane] + pattern.width);
  }
  return span;
}

/// Accesses whose addresses can be moved by a change of the array's rows. cp.async and ldmatrix have rules of
/// their own.
bool is_plain(const Site& site) {
  return site.access == AccessKind::kSharedLoad || site.access == AccessKind::kSharedStore;
}

std::string swizzle_text(const memory::XorSwizzle& swizzle) {
  std::string row = swizzle.shift == 0 ? "row" : fmt::format("(row >> {})", swizzle.shift);
  std::string moved = fmt::format("({} & {})", row, swizzle.mask);
  if (swizzle.granule > 1) moved = fmt::format("{} * {}", moved, swizzle.granule);
  return fmt::format("XOR the column with {}", moved);
}

}  // namespace

SharedLayoutCure shared_layout_cure(const Run& run, const Site& flagged) {
  SharedLayoutCure cure;
  if (!flagged.worst || !is_plain(flagged)) return cure;
  std::vector<memory::SharedUsePattern> uses;
  Span array = span_of(*flagged.worst);
  for (const Site& site : run.sites) {
    if (!site.worst || !is_plain(site)) continue;
    const Span span = span_of(*site.worst);
    if (span.first >= array.last || span.last <= array.first) continue;
    uses.push_back({*site.worst, site.access == AccessKind::kSharedLoad});
  }
  if (uses.empty()) uses.push_back({*flagged.worst, flagged.access == AccessKind::kSharedLoad});
  for (const memory::SharedUsePattern& use : uses) {
    const Span span = span_of(use.lanes);
    array.first = std::min(array.first, span.first);
    array.last = std::max(array.last, span.last);
  }
  const std::optional<memory::ArrayShape> shape = memory::guess_shape(uses);
  if (!shape || shape->pitch_bytes == 0 || shape->element_bytes == 0) return cure;
  const memory::LayoutCure found = memory::search_cure(uses, *shape);
  cure.searched = true;

  const std::uint32_t columns = shape->pitch_bytes / shape->element_bytes;
  if (found.pad_elements && *found.pad_elements > 0) {
    const auto pad = static_cast<std::uint32_t>(*found.pad_elements);
    cure.text = fmt::format("pad each row by {} of {} bytes: rows of {} in place of {}",
                            counted(pad, "element"), shape->element_bytes, columns + pad, columns);
    const std::uint64_t rows = (array.last - array.first + shape->pitch_bytes - 1) / shape->pitch_bytes;
    const auto extra = static_cast<std::uint32_t>(rows * pad * shape->element_bytes);
    cure.price = fmt::format("at least {} bytes of shared memory a block", grouped(extra));
    if (const std::string residency = residency_after(run, extra); !residency.empty())
      cure.price += ": " + residency;
  }
  if (found.swizzle) {
    cure.text += (cure.text.empty() ? "" : "; or ") + swizzle_text(*found.swizzle) +
                 (cure.text.empty() ? "" : ", which takes no memory");
  }
  return cure;
}

}  // namespace gpuprobe::diagnose
