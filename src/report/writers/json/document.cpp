#include "report/writers/json/document.h"

#include <cmath>

namespace gpuprobe::report {

Json number(double value) {
  constexpr double kBelowInt64 = 9.2e18;  // inside the range of int64_t, so the cast is defined
  if (!std::isfinite(value)) return nullptr;
  const bool negative_zero = value == 0 && std::signbit(value);
  if (!negative_zero && std::abs(value) < kBelowInt64 && value == std::trunc(value))
    return static_cast<std::int64_t>(value);
  return value;
}

Json to_json(const Environment& environment) {
  return {{"gpuprobe_version", environment.gpuprobe_version},
          {"device", environment.device},
          {"arch", environment.arch},
          {"driver", environment.driver},
          {"cuda", environment.cuda},
          {"cupti", environment.cupti},
          {"compiler", environment.compiler},
          {"date", environment.date}};
}

Json document_of(const Report& report) {
  Json runs = Json::array();
  for (const DiagnosedRun& diagnosed : report.runs) {
    Json run = to_json(diagnosed.run, report.environment);
    run["verdict"] = to_json(diagnosed.diagnosis.verdict);
    run["findings"] = Json::array();
    for (const Finding& finding : diagnosed.diagnosis.findings) run["findings"].push_back(to_json(finding));
    for (const Proof& proof : diagnosed.proofs) run["proofs"].push_back(to_json(proof));
    runs.push_back(std::move(run));
  }
  Json document = Json::object();
  document["schema_version"] = kReportSchemaVersion;
  document["gpuprobe"] = {{"version", report.environment.gpuprobe_version}};
  document["environment"] = to_json(report.environment);
  document["runs"] = std::move(runs);
  return document;
}

namespace {

constexpr std::size_t kLineWidth = 120;

std::string compact(const Json& value) {
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text;
}

/// Without spaces a line is hard to read; dump() has none, so arrays and objects are joined here.
std::string on_one_line(const Json& value) {
  if (!value.is_structured()) return compact(value);
  const bool object = value.is_object();
  std::string text = object ? "{" : "[";
  bool first = true;
  for (const auto& [key, item] : value.items()) {
    if (!first) text += ", ";
    first = false;
    if (object) text += compact(Json(key)) + ": ";
    text += on_one_line(item);
  }
  return text + (object ? "}" : "]");
}

bool is_flat_array(const Json& value) {
  if (!value.is_array()) return false;
  for (const Json& item : value)
    if (item.is_structured() || item.is_string()) return false;
  return true;
}

void write(const Json& value, std::size_t indent, std::size_t used, std::string& out) {
  if (!value.is_structured() || value.empty() || is_flat_array(value)) {
    out += on_one_line(value);
    return;
  }
  // Only small values can fit, so the check does not make the whole walk quadratic.
  if (value.size() <= 16) {
    std::string line = on_one_line(value);
    if (used + line.size() <= kLineWidth) {
      out += line;
      return;
    }
  }
  const bool object = value.is_object();
  const std::string inner(indent + 2, ' ');
  out += object ? "{\n" : "[\n";
  bool first = true;
  for (const auto& [key, item] : value.items()) {
    if (!first) out += ",\n";
    first = false;
    const std::string head = inner + (object ? compact(Json(key)) + ": " : "");
    out += head;
    write(item, indent + 2, head.size(), out);
  }
  out += '\n' + std::string(indent, ' ') + (object ? '}' : ']');
}

}  // namespace

std::string pretty(const Json& document) {
  std::string out;
  write(document, 0, 0, out);
  out += '\n';
  return out;
}

}  // namespace gpuprobe::report
