#include "metrics/recorded/gpuprobe_json.h"

#include <fmt/core.h>

#include <exception>
#include <set>
#include <string>

#include "core/report.h"
#include "metrics/recorded/cursor.h"
#include "metrics/recorded/run_json.h"

namespace gpuprobe::recorded {
namespace {

constexpr const char* kHint = "Give a report that gpuprobe wrote with --format json.";

/// Parses and refuses what the parser alone would let pass: a key twice (the last one would win silently) and
/// nesting that no report has.
class Loader {
 public:
  Json load(std::string_view text) {
    return Json::parse(text, [this](int depth, Json::parse_event_t event, Json& parsed) {
      return accept(depth, event, parsed);
    });
  }
  const std::string& problem() const { return problem_; }

 private:
  bool accept(int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth > kDeepestNesting && problem_.empty())
      problem_ = fmt::format("it is nested deeper than {} levels", kDeepestNesting);
    if (!problem_.empty()) return false;  // the rest is dropped as it is parsed, so memory stays small
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end && !keys_.empty()) keys_.pop_back();
    if (event == Json::parse_event_t::key && !keys_.empty()) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys_.back().insert(key).second)
        problem_ = fmt::format("the key \"{}\" occurs twice in one object", key);
    }
    return problem_.empty();
  }

  std::vector<std::set<std::string>> keys_;
  std::string problem_;
};

tl::unexpected<Error> not_readable(std::string_view name, const std::string& why) {
  return fail(ErrorCode::kUsage, fmt::format("{} is not a readable gpuprobe report: {}.", name, why), kHint);
}

/// nlohmann's text without its own prefix "[json.exception.parse_error.101] ".
std::string without_prefix(const std::string& what) {
  const std::size_t end = what.find("] ");
  return what.starts_with('[') && end != std::string::npos ? what.substr(end + 2) : what;
}

}  // namespace

Result<std::vector<Run>> read_gpuprobe_json(std::string_view text, std::string_view name) {
  Loader loader;
  Json document;
  try {
    document = loader.load(text);
  } catch (const std::exception& error) {
    return not_readable(name, loader.problem().empty() ? without_prefix(error.what()) : loader.problem());
  }
  if (!loader.problem().empty()) return not_readable(name, loader.problem());

  Problem problem;
  const Cursor root(document, problem);
  const std::int64_t version = root.at("schema_version").integer64();
  if (problem) return not_readable(name, problem.text());
  if (version != kReportSchemaVersion)
    return fail(ErrorCode::kUsage,
                fmt::format("{} has schema_version {}, this gpuprobe reads {} (/schema_version).", name,
                            version, kReportSchemaVersion),
                version > kReportSchemaVersion
                    ? "Read it with the gpuprobe version that wrote it, or a newer one."
                    : kHint);
  const Environment environment = read_environment(root.at("environment"));
  std::vector<Run> runs;
  root.at("runs").each([&](const Cursor& item) { runs.push_back(read_run(item, environment)); });
  if (problem) return not_readable(name, problem.text());
  return runs;
}

Result<Calibration> read_calibration_file(std::string_view text, std::string_view name,
                                          std::string_view device_name) {
  const auto unreadable = [&](const std::string& why) {
    return fail(ErrorCode::kUsage, fmt::format("{} is not a readable calibration: {}.", name, why),
                "Run `gpuprobe calibrate` again, or remove the file.");
  };
  Loader loader;
  Json document;
  try {
    document = loader.load(text);
  } catch (const std::exception& error) {
    return unreadable(loader.problem().empty() ? without_prefix(error.what()) : loader.problem());
  }
  if (!loader.problem().empty()) return unreadable(loader.problem());
  Problem problem;
  const Cursor root(document, problem);
  const std::string device = root.at("device").text();
  Calibration calibration = read_calibration(root.at("calibration"));
  if (problem) return unreadable(problem.text());
  for (const CostRange& range :
       {calibration.wavefront, calibration.line, calibration.warp, calibration.latency})
    if (!(range.low > 0) || !(range.high >= range.low)) return unreadable("a range is empty or not positive");
  if (device != device_name) return unreadable(fmt::format("it is of {}, not of {}", device, device_name));
  return calibration;
}

}  // namespace gpuprobe::recorded
