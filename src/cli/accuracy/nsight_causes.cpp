// What each rule of Nsight Compute 2025.3 speaks of, by its name and by what its text says in the details
// pages that were recorded with 2025.3.1 (tests/golden/nsight).
#include <algorithm>
#include <array>
#include <string_view>

#include "cli/accuracy/nsight_advice.h"

namespace gpuprobe::cli {
namespace {

using K = FindingKind;
using Subject = NsightAdvice::Subject;

/// The first row whose rule is the rule and whose words are in the text decides.
struct Meaning {
  std::string_view rule;
  std::string_view words;  ///< "" = whatever the text says
  Subject subject;
  std::vector<K> causes;
};

const std::vector<Meaning>& meanings() {
  static const std::vector<Meaning> kMeanings = {
      // A narrow block and a misaligned row show as bytes of sectors that nobody uses, too.
      {"UncoalescedGlobalAccess",
       "",
       Subject::kCause,
       {K::kUncoalescedLoad, K::kUncoalescedStore, K::kMisaligned, K::kNarrowBlock}},
      {"MemoryCacheAccessPattern", "local", Subject::kCause, {K::kLocalMemory}},
      {"MemoryCacheAccessPattern",
       "global loads",
       Subject::kCause,
       {K::kUncoalescedLoad, K::kMisaligned, K::kNarrowBlock}},
      {"MemoryCacheAccessPattern",
       "global stores",
       Subject::kCause,
       {K::kUncoalescedStore, K::kMisaligned, K::kNarrowBlock}},
      {"SharedMemoryConflicts", "shared loads", Subject::kCause, {K::kBankConflictLoad}},
      {"SharedMemoryConflicts",
       "shared stores",
       Subject::kCause,
       {K::kBankConflictStore, K::kAsyncCopyConflict}},
      {"SharedMemoryConflicts", "shared atomics", Subject::kCause, {K::kAtomicContention}},
      {"UncoalescedSharedAccess",
       "",
       Subject::kCause,
       {K::kBankConflictLoad, K::kBankConflictStore, K::kAsyncCopyConflict}},
      {"TheoreticalOccupancy",
       "number of required registers, and the required amount of shared memory",
       Subject::kCause,
       {K::kOccupancyRegisters, K::kOccupancyShared}},
      {"TheoreticalOccupancy", "number of required registers", Subject::kCause, {K::kOccupancyRegisters}},
      {"TheoreticalOccupancy", "amount of shared memory", Subject::kCause, {K::kOccupancyShared}},
      {"TheoreticalOccupancy",
       "number of warps within each block",
       Subject::kCause,
       {K::kOccupancyBlockSize}},
      {"TheoreticalOccupancy", "number of blocks that can fit", Subject::kCause, {K::kOccupancyBlockSize}},
      {"AchievedOccupancy", "", Subject::kCause, {K::kTail, K::kImbalance, K::kGridTooSmall}},
      {"LaunchConfiguration", "groups of 32 threads", Subject::kCause, {K::kPartialWarps}},
      {"LaunchConfiguration", "partial wave", Subject::kCause, {K::kTail}},
      {"LaunchConfiguration", "configured to execute only", Subject::kCause, {K::kGridTooSmall}},
      // "at least two blocks per multiprocessor": the grid has too few, or each takes too much.
      {"LaunchConfiguration",
       "two blocks per multiprocessor",
       Subject::kCause,
       {K::kGridTooSmall, K::kOccupancyBlockSize, K::kOccupancyShared, K::kOccupancyRegisters}},
      {"SOLBottleneck", "grid is too small", Subject::kCause, {K::kGridTooSmall}},
      {"ThreadDivergence", "", Subject::kCause, {K::kPartialWarps}},
      {"WorkloadImbalance", "L2 Slices", Subject::kOther, {}},
      {"WorkloadImbalance", "", Subject::kCause, {K::kImbalance, K::kTail, K::kGridTooSmall}},
      {"FPInstructions", "", Subject::kOther, {}},
      {"MemoryL2Compression", "", Subject::kOther, {}},
      {"MemoryApertureUsage", "", Subject::kOther, {}},
      {"SlowPipeLimiter", "", Subject::kOther, {}},
      {"SOLBottleneck", "", Subject::kSymptom, {}},
      {"HighPipeUtilization", "", Subject::kSymptom, {}},
      {"IssueSlotUtilization", "", Subject::kSymptom, {}},
      {"CPIStall", "", Subject::kSymptom, {}},
      {"SOLFPRoofline", "", Subject::kSymptom, {}},
      {"Memory", "", Subject::kSymptom, {}},
      {"Compute", "", Subject::kSymptom, {}},
      {"PMSamplingData", "", Subject::kSymptom, {}},
      {"PCSamplingData", "", Subject::kSymptom, {}},
  };
  return kMeanings;
}

}  // namespace

bool NsightAdvice::names(FindingKind kind) const {
  return std::find(causes.begin(), causes.end(), kind) != causes.end();
}

bool NsightAdvice::names_any(std::span<const std::string> kinds) const {
  return std::any_of(kinds.begin(), kinds.end(), [&](const std::string& name) {
    const auto kind = finding_kind_from_string(name);
    return kind && names(*kind);
  });
}

NsightAdvice classify_nsight_advice(const std::string& rule, const std::string& text) {
  NsightAdvice advice;
  advice.rule = rule;
  const auto found = std::find_if(meanings().begin(), meanings().end(), [&](const Meaning& meaning) {
    return meaning.rule == rule && text.find(meaning.words) != std::string::npos;
  });
  if (found == meanings().end()) return advice;
  advice.subject = found->subject;
  advice.causes = found->causes;
  return advice;
}

}  // namespace gpuprobe::cli
