#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "report/format.h"
#include "report/text/sections.h"

namespace gpuprobe::report {
namespace {

constexpr std::size_t kShownMissing = 4;  ///< without -v: so many names of each reason

void write_check(Page& page, const CheckOutcome& check) {
  switch (check.state) {
    case CheckOutcome::State::kPassed:
      page.paragraph(0, "result", "right: " + check.text);
      return;
    case CheckOutcome::State::kFailed:
      page.paragraph(0, "result", "WRONG: " + check.text, Tone::kBad);
      return;
    case CheckOutcome::State::kNotChecked:
      page.paragraph(0, "result", check.text.empty() ? "not checked" : "not checked: " + check.text,
                     Tone::kWarn);
      return;
  }
}

/// A hazard that a finding names already is not repeated.
void write_hazards(Page& page, const DiagnosedRun& diagnosed, bool all) {
  for (const Hazard& hazard : diagnosed.run.hazards) {
    const auto& findings = diagnosed.diagnosis.findings;
    const bool found = std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
      return to_string(finding.kind) == to_string(hazard.kind);
    });
    if (found && !all) continue;
    std::string text = fmt::format("{}: {}", to_string(hazard.kind), hazard.text);
    for (std::size_t i = 0; i < hazard.locations.size(); ++i)
      text += (i == 0 ? " at " : ", ") + place(hazard.locations[i].file, hazard.locations[i].line, "");
    if (hazard.count > 1) text += fmt::format(" ({})", counted(static_cast<double>(hazard.count), "time"));
    page.paragraph(0, "hazard", text, Tone::kBad);
  }
}

void write_sampling(Page& page, const Sampling& sampling) {
  if (sampling.timed_out) {
    page.paragraph(0, "sampling",
                   fmt::format("{} of {} had run when the time limit was reached",
                               count(static_cast<double>(sampling.blocks_executed)),
                               counted(static_cast<double>(sampling.blocks_total), "block")));
    return;
  }
  page.paragraph(0, "sampling",
                 sampling.exact()
                     ? fmt::format("all {} executed: the counts are exact",
                                   counted(static_cast<double>(sampling.blocks_total), "block"))
                     : fmt::format("{} of {} executed, the counts are scaled to the whole grid "
                                   "(--exact executes all)",
                                   count(static_cast<double>(sampling.blocks_executed)),
                                   counted(static_cast<double>(sampling.blocks_total), "block")));
}

/// A ratio to something that the kernel does not do ("no shared.atomic.requests") tells a reader nothing.
bool is_ratio_to_nothing(const Counters& counters, const std::string& reason) {
  constexpr std::string_view kNo = "no ";
  return reason.starts_with(kNo) && counters.number(reason.substr(kNo.size())) == 0.0;
}

void write_missing(Page& page, const Counters& counters, bool all) {
  std::map<std::string, std::vector<std::string>> names_by_reason;
  for (const auto& [name, metric] : counters.all())
    if (const auto* missing = std::get_if<Missing>(&metric))
      if (all || !is_ratio_to_nothing(counters, missing->reason))
        names_by_reason[missing->reason].push_back(name);
  bool first = true;
  for (const auto& [reason, names] : names_by_reason) {
    const std::size_t shown = all || names.size() <= kShownMissing + 1 ? names.size() : kShownMissing;
    std::string text = (reason.empty() ? std::string("no reason given") : reason) + ": ";
    for (std::size_t i = 0; i < shown; ++i) text += (i ? ", " : "") + names[i];
    if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
    page.paragraph(0, first ? "missing" : "", text, Tone::kFaint);
    first = false;
  }
}

}  // namespace

void write_remarks(Page& page, const DiagnosedRun& diagnosed, bool all) {
  const Run& run = diagnosed.run;
  write_check(page, run.check);
  write_hazards(page, diagnosed, all);
  if (run.sampling) write_sampling(page, *run.sampling);
  for (std::size_t i = 0; i < run.notes.size(); ++i) page.paragraph(0, i == 0 ? "note" : "", run.notes[i]);
  write_missing(page, run.counters, all);
}

}  // namespace gpuprobe::report
