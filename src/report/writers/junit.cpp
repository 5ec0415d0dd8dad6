// JUnit XML, which CI systems show as tests: each run is a test that fails if its result is wrong, each gate
// one that fails if it did not hold.
#include <fmt/core.h>

#include "report/text/sections.h"
#include "report/writer.h"

namespace gpuprobe::report {
namespace {

/// Well-formed whatever the text: XML 1.0 has no place for most control characters, nor for broken UTF-8.
std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\n') {
      out += "&#10;";
    } else if (c < 0x20 || c == 0x7f) {
      out += ' ';
    } else if (c < 0x80) {
      out += text[i];
    } else {
      const std::size_t length = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
      bool valid = c >= 0xC2 && c <= 0xF4 && i + length <= text.size();
      for (std::size_t k = 1; valid && k < length; ++k)
        valid = (static_cast<unsigned char>(text[i + k]) & 0xC0) == 0x80;
      const auto second = valid ? static_cast<unsigned char>(text[i + 1]) : 0;
      // Overlong forms, surrogates, beyond U+10FFFF, and the two non-characters U+FFFE and U+FFFF.
      if (valid && ((c == 0xE0 && second < 0xA0) || (c == 0xED && second > 0x9F) ||
                    (c == 0xF0 && second < 0x90) || (c == 0xF4 && second > 0x8F) ||
                    (c == 0xEF && second == 0xBF && static_cast<unsigned char>(text[i + 2]) >= 0xBE)))
        valid = false;
      out += valid ? std::string(text.substr(i, length)) : std::string("?");
      if (valid) i += length - 1;
    }
  }
  return out;
}

std::string summary_of(const DiagnosedRun& diagnosed) {
  std::string text = diagnosed.diagnosis.verdict.kind + ": " + diagnosed.diagnosis.verdict.text;
  for (const Finding& finding : diagnosed.diagnosis.findings)
    text += fmt::format("\n{} {}: {}", to_string(finding.severity), to_string(finding.kind), finding.text);
  return text;
}

std::string case_of(const DiagnosedRun& diagnosed) {
  const Run& run = diagnosed.run;
  std::string out = fmt::format("    <testcase classname=\"gpuprobe.{}\" name=\"{}\"", to_string(run.source),
                                escaped(title_of(run)));
  if (run.timing) out += fmt::format(" time=\"{:.9f}\"", run.timing->median_s);
  out += ">\n";
  if (run.check.state == CheckOutcome::State::kFailed)
    out += fmt::format("      <failure message=\"{}\"/>\n", escaped("wrong result: " + run.check.text));
  return out +
         fmt::format("      <system-out>{}</system-out>\n    </testcase>\n", escaped(summary_of(diagnosed)));
}

std::string case_of(const GateResult& gate) {
  const std::string head =
      fmt::format("    <testcase classname=\"gpuprobe.gate\" name=\"{}\"", escaped(gate.text));
  switch (gate.state) {
    case GateResult::State::kHeld:
      return head + "/>\n";
    case GateResult::State::kFailed:
      return head + fmt::format("><failure message=\"{}\"/></testcase>\n", escaped(gate.text));
    case GateResult::State::kMissing:
      return head + fmt::format("><error message=\"{}\"/></testcase>\n", escaped(gate.text));
  }
  return {};
}

std::string write_junit(const Report& report, const WriteOptions&) {
  std::string cases;
  std::size_t failures = 0, errors = 0;
  for (const DiagnosedRun& diagnosed : report.runs) {
    cases += case_of(diagnosed);
    failures += diagnosed.run.check.state == CheckOutcome::State::kFailed;
  }
  for (const GateResult& gate : report.gates) {
    cases += case_of(gate);
    failures += gate.state == GateResult::State::kFailed;
    errors += gate.state == GateResult::State::kMissing;
  }
  const std::size_t tests = report.runs.size() + report.gates.size();
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
      "  <testsuite name=\"gpuprobe\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n{}  "
      "</testsuite>\n</testsuites>\n",
      tests, failures, errors, cases);
}

}  // namespace

Writer junit_writer() {
  return {"junit", "JUnit XML: runs and gates as tests", &write_junit};
}

}  // namespace gpuprobe::report
