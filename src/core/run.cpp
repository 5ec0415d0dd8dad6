#include "core/run.h"

#include <array>

namespace gpuprobe {
namespace {

constexpr std::array<std::pair<HazardKind, std::string_view>, 7> kHazardNames{{
    {HazardKind::kSharedRace, "shared-race"},
    {HazardKind::kDivergentBarrier, "divergent-barrier"},
    {HazardKind::kUninitialisedShared, "uninitialised-shared"},
    {HazardKind::kOutOfBounds, "out-of-bounds"},
    {HazardKind::kMisalignedAccess, "misaligned-address"},
    {HazardKind::kBlockOrder, "block-order"},
    {HazardKind::kBlockWait, "block-wait"},
}};

}  // namespace

std::string_view to_string(HazardKind kind) {
  for (const auto& [value, name] : kHazardNames)
    if (value == kind) return name;
  return "";
}

std::optional<HazardKind> hazard_kind_from_string(std::string_view name) {
  for (const auto& [value, text] : kHazardNames)
    if (text == name) return value;
  return std::nullopt;
}

std::string_view to_string(Resource resource) {
  switch (resource) {
    case Resource::kWarps:
      return "warps";
    case Resource::kBlocks:
      return "blocks";
    case Resource::kRegisters:
      return "registers";
    case Resource::kShared:
      return "shared";
    case Resource::kBarriers:
      return "barriers";
  }
  return "";
}

const Launch& Run::main_launch() const {
  static const Launch kNone;
  const Launch* best = steps.empty() ? &kNone : &steps.front().launch;
  for (const Step& step : steps)
    if (step.launch.grid.count() * step.launch.block.count() > best->grid.count() * best->block.count())
      best = &step.launch;
  return *best;
}

}  // namespace gpuprobe
