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

std::optional<Resource> resource_from_string(std::string_view name) {
  for (Resource resource :
       {Resource::kWarps, Resource::kBlocks, Resource::kRegisters, Resource::kShared, Resource::kBarriers})
    if (to_string(resource) == name) return resource;
  return std::nullopt;
}

std::string_view to_string(CheckOutcome::State state) {
  switch (state) {
    case CheckOutcome::State::kPassed:
      return "passed";
    case CheckOutcome::State::kFailed:
      return "failed";
    case CheckOutcome::State::kNotChecked:
      return "not-checked";
  }
  return "";
}

std::optional<CheckOutcome::State> check_state_from_string(std::string_view name) {
  for (auto state :
       {CheckOutcome::State::kPassed, CheckOutcome::State::kFailed, CheckOutcome::State::kNotChecked})
    if (to_string(state) == name) return state;
  return std::nullopt;
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
