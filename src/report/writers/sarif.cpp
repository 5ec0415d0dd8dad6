// SARIF 2.1.0, the format in which code-review systems take findings of tools (OASIS standard; $schema
// below).
#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "report/format.h"
#include "report/text/sections.h"
#include "report/writer.h"
#include "report/writers/json/document.h"

namespace gpuprobe::report {
namespace {

/// A relative URI stays relative to the root of the reviewed repository; an absolute path becomes a file URI.
std::string uri_of(const std::string& path) {
  std::string out = path.starts_with('/') ? "file://" : "";
  for (unsigned char c : path) {
    const bool plain =
        std::isalnum(c) || std::string_view("-._~/").find(static_cast<char>(c)) != std::string_view::npos;
    out += plain ? std::string(1, static_cast<char>(c)) : fmt::format("%{:02X}", c);
  }
  return out;
}

const char* level_of(Severity severity) {
  switch (severity) {
    case Severity::kLimiting:
      return "warning";
    case Severity::kPresent:
      return "note";
    case Severity::kNegligible:
      break;
  }
  return "none";
}

Json location_of(const Site& site) {
  Json location = Json::object();
  location["physicalLocation"]["artifactLocation"]["uri"] = uri_of(site.file);
  location["physicalLocation"]["region"]["startLine"] = site.line;
  if (!site.function.empty())
    location["logicalLocations"] = Json::array({Json{{"name", site.function}, {"kind", "function"}}});
  return location;
}

Json result_of(const Run& run, const Finding& finding, std::size_t rule) {
  std::string text = title_of(run) + ": " + finding.text;
  if (!finding.cure.empty()) text += " " + finding.cure;
  Json result = Json::object();
  result["ruleId"] = std::string(gpuprobe::to_string(finding.kind));
  result["ruleIndex"] = rule;
  result["level"] = level_of(finding.severity);
  result["message"]["text"] = text;
  result["locations"] = Json::array();
  for (const Site& site : finding.sites)
    if (!site.file.empty() && site.line > 0) result["locations"].push_back(location_of(site));
  result["properties"]["severity"] = std::string(gpuprobe::to_string(finding.severity));
  result["properties"]["source"] = std::string(gpuprobe::to_string(run.source));
  if (finding.gain) {
    result["properties"]["gainLow"] = number(finding.gain->low);
    result["properties"]["gainHigh"] = number(finding.gain->high);
  }
  return result;
}

std::string write_sarif(const Report& report, const WriteOptions&) {
  std::vector<FindingKind> rules;
  Json results = Json::array();
  for (const DiagnosedRun& diagnosed : report.runs)
    for (const Finding& finding : diagnosed.diagnosis.findings) {
      const auto known = std::find(rules.begin(), rules.end(), finding.kind);
      const auto rule = static_cast<std::size_t>(known - rules.begin());
      if (known == rules.end()) rules.push_back(finding.kind);
      results.push_back(result_of(diagnosed.run, finding, rule));
    }
  Json driver = Json::object();
  driver["name"] = "gpuprobe";
  // Code-review systems refuse an empty version.
  if (!report.environment.gpuprobe_version.empty()) driver["version"] = report.environment.gpuprobe_version;
  driver["rules"] = Json::array();
  for (FindingKind kind : rules) {
    Json rule = Json::object();
    rule["id"] = std::string(gpuprobe::to_string(kind));
    rule["shortDescription"]["text"] = std::string(gpuprobe::to_string(kind));
    rule["help"]["text"] = fmt::format("gpuprobe explain {}", gpuprobe::to_string(kind));
    driver["rules"].push_back(std::move(rule));
  }
  Json run = Json::object();
  run["tool"]["driver"] = std::move(driver);
  run["results"] = std::move(results);
  Json document = Json::object();
  document["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json";
  document["version"] = "2.1.0";
  document["runs"] = Json::array();
  document["runs"].push_back(std::move(run));
  return pretty(document);
}

}  // namespace

Writer sarif_writer() {
  return {"sarif", "SARIF 2.1.0: findings for code review", &write_sarif};
}

}  // namespace gpuprobe::report
