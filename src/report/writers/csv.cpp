// One row a metric, for spreadsheets and data frames: base units, full precision, RFC 4180 quoting.
#include <fmt/core.h>

#include <cmath>

#include "report/text/sections.h"
#include "report/writer.h"

namespace gpuprobe::report {
namespace {

std::string quoted(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string out = "\"";
  for (char c : field) {
    out += c;
    if (c == '"') out += '"';
  }
  return out + "\"";
}

void append_row(std::string& out, const std::vector<std::string>& fields) {
  for (std::size_t i = 0; i < fields.size(); ++i) out += (i ? "," : "") + quoted(fields[i]);
  out += "\r\n";  // RFC 4180
}

/// Value, unit, origin, and why there is no value.
std::vector<std::string> cells_of(const Metric& metric) {
  if (const auto* missing = std::get_if<Missing>(&metric)) return {"", "", "", missing->reason};
  const Value& value = std::get<Value>(metric);
  const std::string unit(to_string(value.unit)), origin(to_string(value.origin));
  if (const auto* text = std::get_if<std::string>(&value.value)) return {*text, unit, origin, ""};
  const double number = std::get<double>(value.value);
  if (!std::isfinite(number)) return {"", unit, origin, "not a finite number"};
  return {fmt::format("{}", number), unit, origin, ""};
}

std::string write_csv(const Report& report, const WriteOptions&) {
  std::string out;
  append_row(out,
             {"run", "kernel", "source", "arch", "verdict", "metric", "value", "unit", "origin", "missing"});
  for (std::size_t i = 0; i < report.runs.size(); ++i) {
    const Run& run = report.runs[i].run;
    for (const auto& [name, metric] : run.counters.all()) {
      std::vector<std::string> fields{std::to_string(i + 1),
                                      title_of(run),
                                      std::string(to_string(run.source)),
                                      run.device.arch,
                                      report.runs[i].diagnosis.verdict.kind,
                                      name};
      for (std::string& cell : cells_of(metric)) fields.push_back(std::move(cell));
      append_row(out, fields);
    }
  }
  return out;
}

}  // namespace

Writer csv_writer() {
  return {"csv", "a row for each metric of each run, in base units", &write_csv};
}

}  // namespace gpuprobe::report
