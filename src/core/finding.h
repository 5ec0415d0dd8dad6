// What the rules conclude: one verdict, and findings with evidence, cost, cure and its price.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/site.h"
#include "core/unit.h"

namespace gpuprobe {

enum class FindingKind {
  kUncoalescedLoad,
  kUncoalescedStore,
  kMisaligned,
  kBankConflictLoad,
  kBankConflictStore,
  kAsyncCopyConflict,
  kAtomicContention,
  kOccupancyRegisters,
  kOccupancyShared,
  kOccupancyBlockSize,
  kGridTooSmall,
  kTail,
  kPartialWarps,
  kNarrowBlock,
  kLocalMemory,
  kImbalance,
  kSharedRace,
  kDivergentBarrier,
  kUninitialisedShared,
  kOutOfBounds,
  kMisalignedAddress,
  kBlockOrder,
  kBlockWait,
  kPredictionMismatch,
};
/// "uncoalesced-load", "bank-conflict-store", "occupancy-registers" ... (the names of --fail-on).
std::string_view to_string(FindingKind kind);
std::optional<FindingKind> finding_kind_from_string(std::string_view name);
/// All kinds, in enum order.
const std::vector<FindingKind>& all_finding_kinds();

enum class Severity {
  kLimiting,    ///< this is what holds the kernel back
  kPresent,     ///< true, but something else bounds the kernel
  kNegligible,  ///< true, and curing it would not be noticed
};
std::string_view to_string(Severity severity);
std::optional<Severity> severity_from_string(std::string_view name);

/// One number that the rule looked at, and the bound that it compared it with.
struct Evidence {
  std::string metric;  ///< a metric name, or "site"
  double value = 0;
  Unit unit = Unit::kNone;
  std::string text;  ///< one clause: "32.0 wavefronts a request where 1.0 would do"
};

/// Expected speed-up of the whole kernel if the finding were cured: time_before / time_after.
struct Gain {
  double low = 1.0;
  double high = 1.0;
  std::string reasoning;
};

struct Finding {
  FindingKind kind = FindingKind::kUncoalescedLoad;
  Severity severity = Severity::kPresent;
  std::string text;         ///< one sentence that names the fact
  std::vector<Site> sites;  ///< worst first
  std::vector<Evidence> evidence;
  std::optional<Gain> gain;
  std::string cure;   ///< what to change
  std::string price;  ///< what the change costs; empty if nothing
};

/// The one thing that heads a report: a finding kind, or what bounds a healthy kernel
/// ("dram-bound", "l2-bound", "lsu-bound", "issue-bound", "latency-bound"), or "inconclusive",
/// "wrong-result".
struct Verdict {
  std::string kind;
  std::string text;
};

struct Diagnosis {
  Verdict verdict;
  std::vector<Finding> findings;  ///< limiting first, then present, then negligible; most costly first
};

}  // namespace gpuprobe
