// What every text that a reader of reports accepts must stand: the diagnosis and the writers, and what the
// JSON writer makes of it is read back.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/report.h"
#include "core/run.h"
#include "diagnose/diagnose.h"
#include "metrics/recorded/gpuprobe_json.h"
#include "report/writer.h"

namespace gpuprobe::fuzz {

inline void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what.c_str());
  std::abort();
}

inline void require_explained(const Error& error) {
  require(!error.what.empty() && !error.hint.empty(), "an error says what and what to do");
}

inline void use(const std::vector<Run>& runs) {
  require(!runs.empty(), "a report that is read has runs");
  Report report;
  report.environment = runs.front().environment;
  for (const Run& run : runs) {
    require(run.source == Origin::kRecorded, "what was read is recorded");
    report.runs.push_back({run, diagnose::diagnose(run), {}});
    require(!report.runs.back().diagnosis.verdict.text.empty(), "a verdict says something");
  }
  for (const auto& writer : report::writers()) {
    const std::string text = writer.write(report, {});
    if (writer.name != "json") continue;
    const auto again = recorded::read_gpuprobe_json(text, "again.json");
    require(again.has_value(), "what was written is read: " + (again ? "" : again.error().what));
    require(again->size() == runs.size(), "no run is lost");
  }
}

}  // namespace gpuprobe::fuzz
