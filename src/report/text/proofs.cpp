#include <fmt/core.h>

#include "report/format.h"
#include "report/text/sections.h"

namespace gpuprobe::report {
namespace {

std::string side(const std::optional<double>& value, Unit unit) {
  return value ? quantity(*value, unit) : "unknown";
}

}  // namespace

std::string outcome_of(const Proof& proof) {
  std::string text;
  if (proof.expected) text = "expected " + gain_interval(*proof.expected) + "; ";
  if (!proof.gain) return text + "not measured: " + proof.missing;
  text += *proof.gain >= 1.0 ? fmt::format("measured {} faster", speedup(*proof.gain))
                             : fmt::format("measured {} slower", speedup(1.0 / *proof.gain));
  if (proof.expected) text += proof.inside() ? ", inside the interval" : ", outside the interval";
  return text;
}

void write_proofs(Page& page, const DiagnosedRun& diagnosed) {
  bool first = true;
  for (const Proof& proof : diagnosed.proofs) {
    if (!first) page.blank();
    first = false;
    std::string head = (proof.finding.empty() ? "tried: " : "proof: ") + proof.change;
    if (!proof.text.empty()) head += ": " + proof.text;
    if (!proof.finding.empty()) head += " (cures " + proof.finding + ")";
    page.hanging(0, 3, head, Tone::kStrong);
    page.paragraph(3, "gain", outcome_of(proof), proof.gain ? Tone::kPlain : Tone::kWarn);
    if (proof.after.empty()) continue;
    std::string after = "verdict " + proof.after;
    if (!proof.finding.empty())
      after += fmt::format("; {} is {}", proof.finding, proof.gone ? "gone" : "still there");
    page.paragraph(3, "after", after);
    std::vector<std::vector<std::string>> rows;
    for (const MetricChange& change : proof.metrics)
      rows.push_back({change.metric, side(change.before, change.unit), side(change.after, change.unit)});
    if (!rows.empty())
      page.table(3, {{"", Align::kLeft}, {"before", Align::kRight}, {"after", Align::kRight}}, rows);
  }
}

}  // namespace gpuprobe::report
