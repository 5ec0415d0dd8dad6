// The one object that every output format renders.
#pragma once

#include <string>
#include <vector>

#include "core/access_drawing.h"
#include "core/finding.h"
#include "core/proof.h"
#include "core/run.h"

namespace gpuprobe {

/// Version of the JSON skeleton; raised only when a reader of the old one would break.
inline constexpr int kReportSchemaVersion = 1;

struct DiagnosedRun {
  Run run;
  Diagnosis diagnosis;
  std::vector<AccessDrawing> drawings;  ///< flagged accesses to draw, worst first; not part of the JSON
  std::vector<Proof> proofs;            ///< changes that were tried (--prove, --try)
};

/// The outcome of one thing that the user demanded of the runs (--expect, --fail-on, --baseline).
struct GateResult {
  enum class State {
    kHeld,
    kFailed,
    kMissing,  ///< it needs a number that could not be had, so it did not hold
  };
  State state = State::kHeld;
  std::string text;  ///< one clause: what was asked and what was found
};

struct Report {
  Environment environment;
  std::vector<DiagnosedRun> runs;
  std::vector<GateResult> gates;  ///< in the order of the command line; not part of the JSON
};

}  // namespace gpuprobe
