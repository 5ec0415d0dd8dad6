// The JSON document of a report, built from the same nouns that docs/report.schema.json describes. Base
// units, full precision, no rounding: what a person reads is the text writer's business.
//
//   pretty(document_of(report)) ->  {"schema_version": 1, "gpuprobe": {"version": "0.1.0"}, ...
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/report.h"

namespace gpuprobe::report {

using Json = nlohmann::ordered_json;

/// A number that reads back as the same double: whole numbers as JSON integers, NaN and infinities as null.
Json number(double value);

Json to_json(const Environment& environment);
Json to_json(const Calibration& calibration);
Json to_json(const DeviceSpec& device);
Json to_json(const Site& site);
Json to_json(const Verdict& verdict);
Json to_json(const Finding& finding);
Json to_json(const Proof& proof);
/// The whole run without its diagnosis. `environment` is left out if it equals the report's.
Json to_json(const Run& run, const Environment& report_environment);

/// The whole report, keys in the order of the schema.
Json document_of(const Report& report);

/// Indented by two spaces; objects and arrays that fit on a line stay on it. Invalid UTF-8 becomes U+FFFD.
/// Ends with a newline.
std::string pretty(const Json& document);

}  // namespace gpuprobe::report
