#include "metrics/recorded/spool.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>

#include "core/report.h"
#include "metrics/recorded/cursor.h"
#include "metrics/recorded/run_json.h"

namespace gpuprobe::recorded {
namespace {

/// read_run() makes a recording of everything; here the measurement was made a moment ago.
void mark_measured(Run& run) {
  run.source = Origin::kMeasured;
  run.recorded_from.clear();
  Counters counters;
  for (const auto& [name, metric] : run.counters.all()) {
    if (const auto* value = std::get_if<Value>(&metric)) {
      Value copy = *value;
      copy.origin = Origin::kMeasured;
      counters.set(name, std::move(copy));
    } else {
      counters.set_missing(name, std::get<Missing>(metric).reason);
    }
  }
  run.counters = std::move(counters);
}

/// The symbol tells kernels apart; readable names may be the same.
std::string symbol_of(const Run& run) {
  return run.resources.empty() ? run.kernel : run.resources.front().lowered_name;
}

bool same_kernel(const SpooledKernel& a, const SpooledKernel& b) {
  return symbol_of(a.run) == symbol_of(b.run) && a.run.main_launch() == b.run.main_launch() &&
         a.run.device.name == b.run.device.name;
}

/// The records of one process.
class ProcessReader {
 public:
  explicit ProcessReader(std::string_view name) : name_(name) {}

  void line(std::string_view text, std::size_t number) {
    Problem problem;
    Json document;
    try {
      document = Json::parse(text);
    } catch (const std::exception&) {
      notes_.push_back(fmt::format("{} line {} is not JSON; it was passed over", name_, number));
      return;
    }
    record(Cursor(document, problem), problem);
    if (problem) notes_.push_back(fmt::format("{} line {}: {}", name_, number, problem.text()));
  }
  void cut(std::size_t number) {
    notes_.push_back(
        fmt::format("{} ends inside line {}: the process was killed while it was measuring", name_, number));
  }

  void add_to(Spool& spool) {
    for (auto& [id, kernel] : kernels_) {
      const auto same =
          std::find_if(spool.kernels.begin(), spool.kernels.end(),
                       [&kernel = kernel](const SpooledKernel& other) { return same_kernel(kernel, other); });
      if (same == spool.kernels.end()) {
        spool.kernels.push_back(std::move(kernel));
        continue;
      }
      if (same->measured == 0 && kernel.measured > 0) same->run = std::move(kernel.run);
      same->measured += kernel.measured;
      same->counted += kernel.counted;
      same->skipped += kernel.skipped;
      for (const auto& [why, count] : kernel.why_skipped) same->why_skipped[why] += count;
      ++same->processes;
    }
    for (std::string& note : notes_)
      if (std::find(spool.notes.begin(), spool.notes.end(), note) == spool.notes.end())
        spool.notes.push_back(std::move(note));
    spool.not_selected += not_selected_;
    spool.graphs += graphs_;
    ++spool.processes;
  }

 private:
  void record(const Cursor& json, const Problem& problem) {
    if (json.has("gpuprobe_spool")) {
      if (json.at("gpuprobe_spool").integer() != kSpoolVersion)
        json.at("gpuprobe_spool").reject("written by another version of gpuprobe");
    } else if (const auto note = json.find("note")) {
      notes_.push_back(note->text());
    } else if (json.has("not_selected")) {
      ++not_selected_;
    } else if (json.has("graph")) {
      ++graphs_;
    } else if (const auto kernel = json.find("kernel")) {
      Run run = read_run(*kernel, {});
      mark_measured(run);
      const int id = json.at("id").integer();
      if (!problem) kernels_[id].run = std::move(run);
    } else {
      launch(json);
    }
  }

  void launch(const Cursor& json) {
    const int id = json.at("id").integer();
    const std::string fate = json.at("launch").text();
    const auto found = kernels_.find(id);
    if (found == kernels_.end()) return json.reject("a launch of a kernel that was not described");
    if (fate == "measured") {
      ++found->second.measured;
    } else if (fate == "counted") {
      ++found->second.counted;
    } else if (fate == "skipped") {
      ++found->second.skipped;
      ++found->second.why_skipped[json.at("why").text()];
    } else {
      json.at("launch").reject("expected measured, counted or skipped");
    }
  }

  std::string name_;
  std::map<int, SpooledKernel> kernels_;
  std::vector<std::string> notes_;
  std::uint64_t not_selected_ = 0;
  std::uint64_t graphs_ = 0;
};

}  // namespace

void read_spool_text(std::string_view text, std::string_view name, Spool& spool) {
  ProcessReader reader(name);
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      reader.cut(number);
      break;
    }
    if (end > 0) reader.line(text.substr(0, end), number);
    text.remove_prefix(end + 1);
  }
  reader.add_to(spool);
}

Result<Spool> read_spool(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::set<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".jsonl") files.insert(entry.path().string());
  if (error)
    return fail(ErrorCode::kMachine,
                "the records of the program in '" + folder + "' cannot be read: " + error.message(),
                "leave the folder in place until gpuprobe ends");
  Spool spool;
  for (const std::string& path : files) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    read_spool_text(text, fs::path(path).filename().string(), spool);
  }
  return spool;
}

}  // namespace gpuprobe::recorded
