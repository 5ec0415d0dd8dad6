// The one object that every output format renders.
#pragma once

#include <vector>

#include "core/access_drawing.h"
#include "core/finding.h"
#include "core/run.h"

namespace gpuprobe {

/// Version of the JSON skeleton; raised only when a reader of the old one would break.
inline constexpr int kReportSchemaVersion = 1;

struct DiagnosedRun {
  Run run;
  Diagnosis diagnosis;
  std::vector<AccessDrawing> drawings;  ///< flagged accesses to draw, worst first; not part of the JSON
};

struct Report {
  Environment environment;
  std::vector<DiagnosedRun> runs;
};

}  // namespace gpuprobe
