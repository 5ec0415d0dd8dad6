// The report for programs: docs/report.schema.json describes it, `gpuprobe diagnose` reads it back.
#include "report/writer.h"
#include "report/writers/json/document.h"

namespace gpuprobe::report {
namespace {

std::string write_json(const Report& report, const WriteOptions&) {
  return pretty(document_of(report));
}

}  // namespace

Writer json_writer() {
  return {"json", "every number in base units with its origin (report.schema.json)", &write_json};
}

}  // namespace gpuprobe::report
