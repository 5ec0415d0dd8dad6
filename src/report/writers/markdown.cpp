// For the summary of a CI job or a pull-request comment: verdict, findings and key numbers as
// GitHub-flavoured Markdown.
#include <fmt/core.h>

#include "report/format.h"
#include "report/text/sections.h"
#include "report/writer.h"

namespace gpuprobe::report {
namespace {

/// Text that Markdown must show as it is, on one line.
std::string escaped(std::string_view text) {
  std::string out;
  for (char c : printable(text)) {
    if (std::string_view("\\`*_{}[]<>#|~&").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

/// Text in a code span; inside a table a bar ends the cell even there.
std::string code(std::string_view text) {
  std::string clean = printable(text);
  for (char& c : clean)
    if (c == '`' || c == '|') c = '\'';
  return clean.empty() ? "" : "`" + clean + "`";
}

std::string row(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& cell : cells) out += " " + cell + " |";
  return out + "\n";
}

std::string places(const Finding& finding) {
  if (finding.sites.empty()) return "";
  const Site& worst = finding.sites.front();
  std::string text = code(place(worst.file, worst.line, worst.instruction));
  if (worst.requests > 0)
    text += fmt::format(": {} {}/request, ideal {}", per_request(worst.actual / worst.requests),
                        is_shared(worst.access) ? "wavefronts" : "sectors",
                        per_request(worst.ideal / worst.requests));
  if (finding.sites.size() > 1) text += fmt::format(" and {} more", finding.sites.size() - 1);
  return text;
}

void write_findings_table(std::string& out, const std::vector<Finding>& findings) {
  if (findings.empty()) return;
  out +=
      "\n" + row({"finding", "severity", "where", "gain", "cure"}) + row({"---", "---", "---", "---", "---"});
  for (const Finding& finding : findings)
    out += row({escaped(to_string(finding.kind)), std::string(to_string(finding.severity)), places(finding),
                finding.gain ? gain_interval(*finding.gain) : "", escaped(finding.cure)});
}

void write_proofs_table(std::string& out, const std::vector<Proof>& proofs) {
  if (proofs.empty()) return;
  out += "\n" + row({"change", "against", "gain", "verdict after"}) + row({"---", "---", "---", "---"});
  for (const Proof& proof : proofs)
    out +=
        row({code(proof.change), escaped(proof.finding), escaped(outcome_of(proof)), escaped(proof.after)});
}

void write_numbers_table(std::string& out, const Counters& counters) {
  std::vector<std::vector<std::string>> rows;
  for (const char* name :
       {"global.load.sectors_per_request", "global.load.ideal_sectors_per_request",
        "global.store.sectors_per_request", "global.store.ideal_sectors_per_request",
        "shared.load.wavefronts_per_request", "shared.load.excess_wavefronts",
        "shared.store.wavefronts_per_request", "shared.store.excess_wavefronts", "occupancy.theoretical",
        "occupancy.achieved", "occupancy.limiter", "time.duration", "dram.utilization"})
    if (const Value* value = counters.value(name)) rows.push_back({code(name), escaped(quantity(*value))});
  if (rows.empty()) return;
  out += "\n" + row({"metric", "value"}) + row({"---", "---:"});
  for (const auto& cells : rows) out += row(cells);
}

std::string write_markdown(const Report& report, const WriteOptions& options) {
  std::string out;
  if (report.runs.empty()) out = "No launches.\n";
  for (const DiagnosedRun& diagnosed : report.runs) {
    const Verdict& verdict = diagnosed.diagnosis.verdict;
    if (!out.empty()) out += "\n";
    out += fmt::format("### {}\n\n", code(title_of(diagnosed.run)));
    out += fmt::format("**{}**: {}  \n_{}_\n", escaped(verdict.kind.empty() ? "no verdict" : verdict.kind),
                       escaped(verdict.text), escaped(origin_of(diagnosed.run)));
    if (diagnosed.run.check.state == CheckOutcome::State::kFailed)
      out += "\n**The result is wrong:** " + escaped(diagnosed.run.check.text) + "\n";
    if (options.verbosity < 0) continue;
    write_findings_table(out, diagnosed.diagnosis.findings);
    write_proofs_table(out, diagnosed.proofs);
    write_numbers_table(out, diagnosed.run.counters);
  }
  return out;
}

}  // namespace

Writer markdown_writer() {
  return {"markdown", "tables for a CI job summary or a review comment", &write_markdown};
}

}  // namespace gpuprobe::report
