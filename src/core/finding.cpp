#include "core/finding.h"

#include <array>
#include <utility>

namespace gpuprobe {
namespace {

constexpr std::array<std::pair<FindingKind, std::string_view>, 24> kKindNames{{
    {FindingKind::kUncoalescedLoad, "uncoalesced-load"},
    {FindingKind::kUncoalescedStore, "uncoalesced-store"},
    {FindingKind::kMisaligned, "misaligned"},
    {FindingKind::kBankConflictLoad, "bank-conflict-load"},
    {FindingKind::kBankConflictStore, "bank-conflict-store"},
    {FindingKind::kAsyncCopyConflict, "async-copy-conflict"},
    {FindingKind::kAtomicContention, "atomic-contention"},
    {FindingKind::kOccupancyRegisters, "occupancy-registers"},
    {FindingKind::kOccupancyShared, "occupancy-shared"},
    {FindingKind::kOccupancyBlockSize, "occupancy-block-size"},
    {FindingKind::kGridTooSmall, "grid-too-small"},
    {FindingKind::kTail, "tail"},
    {FindingKind::kPartialWarps, "partial-warps"},
    {FindingKind::kNarrowBlock, "narrow-block"},
    {FindingKind::kLocalMemory, "local-memory"},
    {FindingKind::kImbalance, "imbalance"},
    {FindingKind::kSharedRace, "shared-race"},
    {FindingKind::kDivergentBarrier, "divergent-barrier"},
    {FindingKind::kUninitialisedShared, "uninitialised-shared"},
    {FindingKind::kOutOfBounds, "out-of-bounds"},
    {FindingKind::kMisalignedAddress, "misaligned-address"},
    {FindingKind::kBlockOrder, "block-order"},
    {FindingKind::kBlockWait, "block-wait"},
    {FindingKind::kPredictionMismatch, "prediction-mismatch"},
}};

constexpr std::array<std::pair<Severity, std::string_view>, 3> kSeverityNames{{
    {Severity::kLimiting, "limiting"},
    {Severity::kPresent, "present"},
    {Severity::kNegligible, "negligible"},
}};

}  // namespace

std::string_view to_string(FindingKind kind) {
  for (const auto& [value, name] : kKindNames)
    if (value == kind) return name;
  return "";
}

std::optional<FindingKind> finding_kind_from_string(std::string_view name) {
  for (const auto& [value, text] : kKindNames)
    if (text == name) return value;
  return std::nullopt;
}

const std::vector<FindingKind>& all_finding_kinds() {
  static const std::vector<FindingKind> kAll = [] {
    std::vector<FindingKind> kinds;
    for (const auto& [kind, name] : kKindNames) kinds.push_back(kind);
    return kinds;
  }();
  return kAll;
}

std::string_view to_string(Severity severity) {
  for (const auto& [value, name] : kSeverityNames)
    if (value == severity) return name;
  return "";
}

std::optional<Severity> severity_from_string(std::string_view name) {
  for (const auto& [value, text] : kSeverityNames)
    if (text == name) return value;
  return std::nullopt;
}

}  // namespace gpuprobe
