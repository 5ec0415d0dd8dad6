// GitHub workflow commands: printed in a job, findings appear as annotations at their source lines.
//
//   ::warning file=transpose/kernel.cu,line=21,title=bank-conflict-load::32 lanes of a warp read the same
//   bank.
#include <fmt/core.h>

#include "report/format.h"
#include "report/text/sections.h"
#include "report/writer.h"

namespace gpuprobe::report {
namespace {

std::string escaped(std::string_view text, bool property) {
  std::string out;
  for (char c : text) {
    if (c == '%')
      out += "%25";
    else if (c == '\r')
      out += "%0D";
    else if (c == '\n')
      out += "%0A";
    else if (property && c == ':')
      out += "%3A";
    else if (property && c == ',')
      out += "%2C";
    else
      out += c;
  }
  return out;
}

std::string command(const char* level, const std::string& file, int line, std::string_view title,
                    const std::string& message) {
  std::string properties = "title=" + escaped(title, true);
  if (!file.empty() && line > 0)
    properties = fmt::format("file={},line={},", escaped(file, true), line) + properties;
  return fmt::format("::{} {}::{}\n", level, properties, escaped(message, false));
}

std::string message_of(const Run& run, const Finding& finding) {
  std::string text = title_of(run) + ": " + finding.text;
  if (finding.gain) text += "\nCured: " + gain_interval(*finding.gain) + ".";
  if (!finding.cure.empty()) text += "\n" + finding.cure;
  return text;
}

std::string write_github(const Report& report, const WriteOptions&) {
  std::string out;
  for (const DiagnosedRun& diagnosed : report.runs) {
    const Run& run = diagnosed.run;
    if (run.check.state == CheckOutcome::State::kFailed)
      out += command("error", "", 0, "wrong result", title_of(run) + ": " + run.check.text);
    for (const Finding& finding : diagnosed.diagnosis.findings) {
      if (finding.severity == Severity::kNegligible) continue;
      const char* level = finding.severity == Severity::kLimiting ? "warning" : "notice";
      const Site* site = finding.sites.empty() ? nullptr : &finding.sites.front();
      out += command(level, site ? site->file : "", site ? site->line : 0, to_string(finding.kind),
                     message_of(run, finding));
    }
    // The prefix keeps a kernel name that starts with "::" from being taken for a command.
    out += "gpuprobe: " + title_of(run) + ": " + printable(diagnosed.diagnosis.verdict.kind) + ": " +
           printable(diagnosed.diagnosis.verdict.text) + "\n";
  }
  return out;
}

}  // namespace

Writer github_writer() {
  return {"github", "GitHub workflow commands: annotations at the lines", &write_github};
}

}  // namespace gpuprobe::report
