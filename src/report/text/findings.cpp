#include <fmt/core.h>

#include <algorithm>

#include "report/draw.h"
#include "report/format.h"
#include "report/text/sections.h"

namespace gpuprobe::report {
namespace {

constexpr std::size_t kShownSites = 3;  ///< without -v: the worst few; the rest is counted

Tone tone_of(Severity severity) {
  switch (severity) {
    case Severity::kLimiting:
      return Tone::kBad;
    case Severity::kPresent:
      return Tone::kWarn;
    case Severity::kNegligible:
      return Tone::kFaint;
  }
  return Tone::kPlain;
}

double total_excess(const std::vector<Site>& sites) {
  double sum = 0;
  for (const Site& site : sites) sum += std::max(site.excess(), 0.0);
  return sum;
}

/// " shared.load of 4 B a lane, 32.00 wavefronts a request, ideal 1.00; 524,288 requests"; "" for a place at
/// which nothing was counted.
std::string site_facts(const Site& site, double excess_of_all) {
  if (site.requests <= 0) return "";
  std::string text =
      fmt::format(" {} of {} a lane", to_string(site.access), quantity(site.width, Unit::kByte));
  text +=
      fmt::format(": {} {} a request, ideal {}", per_request(site.actual / site.requests),
                  is_shared(site.access) ? "wavefronts" : "sectors", per_request(site.ideal / site.requests));
  text += "; " + counted(site.requests, "request");
  if (excess_of_all > 0 && site.excess() > 0 && site.excess() < excess_of_all)
    text +=
        fmt::format(", {} of the excess", quantity(100.0 * site.excess() / excess_of_all, Unit::kPercent));
  return text;
}

void write_sites(Page& page, const std::vector<Site>& sites, bool all) {
  const double excess = total_excess(sites);
  const std::size_t shown = all ? sites.size() : std::min(sites.size(), kShownSites);
  for (std::size_t i = 0; i < shown; ++i)
    page.paragraph(3, i == 0 ? "where" : "",
                   place(sites[i].file, sites[i].line, sites[i].instruction) + site_facts(sites[i], excess));
  if (shown < sites.size())
    page.paragraph(3, "",
                   counted(static_cast<double>(sites.size() - shown), "further place") + " (-v shows all)");
}

std::string evidence_text(const Evidence& evidence) {
  const std::string number = evidence.unit == Unit::kNone && evidence.metric == "site"
                                 ? std::string()
                                 : quantity(evidence.value, evidence.unit);
  if (evidence.metric.empty() || evidence.metric == "site")
    return evidence.text.empty() ? number : evidence.text;
  const std::string fact = fmt::format("{} = {}", evidence.metric, number);
  return evidence.text.empty() ? fact : fact + ": " + evidence.text;
}

void write_finding(Page& page, const Finding& finding, std::size_t number, bool all) {
  std::string head = fmt::format("{}. {}: {}", number, to_string(finding.severity), to_string(finding.kind));
  if (finding.gain) head += "; cured: " + gain_interval(*finding.gain);
  page.hanging(0, 3, head, tone_of(finding.severity));
  if (!finding.text.empty()) page.text(3, finding.text);
  write_sites(page, finding.sites, all);
  for (std::size_t i = 0; i < finding.evidence.size(); ++i)
    page.paragraph(3, i == 0 ? "evidence" : "", evidence_text(finding.evidence[i]));
  if (finding.gain && !finding.gain->reasoning.empty()) page.paragraph(3, "gain", finding.gain->reasoning);
  if (!finding.cure.empty()) page.paragraph(3, "cure", finding.cure, Tone::kGood);
  if (!finding.price.empty()) page.paragraph(3, "price", finding.price);
}

void write_in_short(Page& page, const Finding& finding, std::size_t number) {
  std::string text = fmt::format("{}. {}: {}", number, to_string(finding.severity), to_string(finding.kind));
  if (!finding.sites.empty())
    text += " at " +
            place(finding.sites.front().file, finding.sites.front().line, finding.sites.front().instruction);
  if (!finding.text.empty()) text += ": " + finding.text;
  page.hanging(0, 3, text, Tone::kFaint);
}

}  // namespace

Tone tone_of(const Verdict& verdict) {
  if (verdict.kind == "wrong-result" || finding_kind_from_string(verdict.kind)) return Tone::kBad;
  if (verdict.kind.empty() || verdict.kind == "inconclusive") return Tone::kWarn;
  return Tone::kGood;
}

void write_verdict(Page& page, const Verdict& verdict) {
  page.line("verdict: " +
            page.style().paint(printable(verdict.kind.empty() ? "none" : verdict.kind), tone_of(verdict)));
  if (!verdict.text.empty()) page.text(3, verdict.text);
}

void write_findings(Page& page, const DiagnosedRun& diagnosed, bool all) {
  std::size_t number = 0;
  for (const Finding& finding : diagnosed.diagnosis.findings) {
    ++number;
    if (finding.severity == Severity::kNegligible && !all) {
      write_in_short(page, finding, number);
    } else {
      if (number > 1) page.blank();
      write_finding(page, finding, number, all);
    }
  }
}

void write_drawings(Page& page, const DiagnosedRun& diagnosed) {
  bool first = true;
  for (const AccessDrawing& drawing : diagnosed.drawings) {
    if (!first) page.blank();
    first = false;
    const bool color = page.style().colored();
    for (const std::string& line : draw_access(drawing, {.color = color})) page.line(line);
  }
}

}  // namespace gpuprobe::report
