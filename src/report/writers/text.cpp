// The report for a reader at a terminal: verdict first, then the findings worst first, then the numbers
// behind them.
#include <fmt/core.h>

#include "report/format.h"
#include "report/text/sections.h"
#include "report/writer.h"

namespace gpuprobe::report {
namespace {

void write_verdict_line(Page& page, const DiagnosedRun& diagnosed) {
  const Verdict& verdict = diagnosed.diagnosis.verdict;
  std::string line =
      title_of(diagnosed.run) + ": " +
      page.style().paint(printable(verdict.kind.empty() ? "none" : verdict.kind), tone_of(verdict));
  if (!verdict.text.empty()) line += ": " + printable(verdict.text);
  page.line(line);
}

/// Writes what `section` writes, after a blank line if that is anything at all.
template <class Section>
void separated(Page& page, Section section) {
  Page part(static_cast<int>(page.width()), page.style());
  section(part);
  const std::string content = part.take();
  if (!content.empty()) page.append("\n" + content);
}

void write_run(Page& page, const DiagnosedRun& diagnosed, bool all) {
  write_heading(page, diagnosed.run);
  separated(page, [&](Page& part) { write_verdict(part, diagnosed.diagnosis.verdict); });
  separated(page, [&](Page& part) { write_findings(part, diagnosed, all); });
  separated(page, [&](Page& part) { write_proofs(part, diagnosed); });
  separated(page, [&](Page& part) { write_drawings(part, diagnosed); });
  separated(page, [&](Page& part) { write_numbers(part, diagnosed.run); });
  separated(page, [&](Page& part) { write_remarks(part, diagnosed, all); });
  if (all) separated(page, [&](Page& part) { write_details(part, diagnosed.run); });
}

void write_summary(Page& page, const Report& report) {
  std::vector<std::vector<std::string>> rows;
  for (const DiagnosedRun& diagnosed : report.runs)
    rows.push_back({title_of(diagnosed.run), printable(diagnosed.diagnosis.verdict.kind)});
  page.table(0, {{"kernel", Align::kLeft}, {"verdict", Align::kLeft}}, rows);
}

std::string write_text(const Report& report, const WriteOptions& options) {
  Page page(options.width, Style(options.color));
  if (report.runs.empty()) page.line("no launches");
  for (std::size_t i = 0; i < report.runs.size(); ++i) {
    if (options.verbosity < 0) {
      write_verdict_line(page, report.runs[i]);
      continue;
    }
    if (i > 0) page.append("\n" + std::string(page.width(), '-') + "\n");
    write_run(page, report.runs[i], options.verbosity > 0);
  }
  if (options.verbosity >= 0 && report.runs.size() > 1) {
    page.append("\n" + std::string(page.width(), '-') + "\n");
    write_summary(page, report);
  }
  return page.take();
}

}  // namespace

Writer text_writer() {
  return {"text", "a report for people: verdict, findings, numbers", &write_text};
}

}  // namespace gpuprobe::report
