// The report for programs: docs/report.schema.json describes it, `gpuprobe diagnose` reads it back.
#include "report/writer.h"
#include "report/writers/json/document.h"

namespace gpuprobe::report {
namespace {

std::string write_json(const Report& report, const WriteOptions&) {
  return pretty(document_of(report));
}

}  // namespace

std::string calibration_file(std::string_view device_name, const Calibration& calibration) {
  Json document = Json::object();
  document["device"] = device_name;
  document["calibration"] = to_json(calibration);
  return pretty(document);
}

Writer json_writer() {
  return {"json", "every number in base units with its origin (report.schema.json)", &write_json};
}

}  // namespace gpuprobe::report
