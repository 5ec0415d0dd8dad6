#include "cli/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "cli/interrupt.h"
#include "cli/log.h"
#include "cli/profile.h"
#include "cli/reference.h"
#include "cli/session.h"
#include "cli/sources.h"
#include "cli/user_file.h"
#include "metrics/cupti/cupti_source.h"

namespace gpuprobe::cli {
namespace {

namespace fs = std::filesystem;

/// One launch on one source for one architecture.
struct Job {
  user::LaunchCase one;
  SourceOptions source;
};

Result<std::vector<std::string>> find_sources(const std::string& directory) {
  std::vector<std::string> found;
  std::error_code error;
  fs::recursive_directory_iterator walk(directory, fs::directory_options::skip_permission_denied, error);
  for (; !error && walk != fs::recursive_directory_iterator(); walk.increment(error))
    if (walk->path().extension() == ".cu" && walk->is_regular_file(error))
      found.push_back(walk->path().string());
  if (error)
    return fail(ErrorCode::kUsage, fmt::format("cannot search '{}': {}", directory, error.message()),
                "check the path and its permissions");
  std::sort(found.begin(), found.end());
  return found;
}

Status add_entries(const std::vector<user::LaunchEntry>& entries, const UserFile& file,
                   std::vector<user::LaunchCase>& cases) {
  for (const user::LaunchEntry& entry : entries) {
    auto expanded = expand_entry(entry, file);
    if (!expanded) return tl::unexpected(expanded.error());
    cases.insert(cases.end(), std::make_move_iterator(expanded->begin()),
                 std::make_move_iterator(expanded->end()));
  }
  return {};
}

Status add_source_file(const std::string& path, bool must_have_block, std::vector<user::LaunchCase>& cases) {
  const auto file = UserFile::read(path);
  if (!file) return tl::unexpected(file.error());
  if (file->entries.empty() && must_have_block)
    return fail(ErrorCode::kUsage, fmt::format("{} has no comment block with launch facts", path),
                "`gpuprobe init` writes a first gpuprobe.toml; `gpuprobe run --help` shows a block.");
  return add_entries(file->entries, *file, cases);
}

Status add_suite_file(const std::string& path, std::vector<user::LaunchCase>& cases) {
  const auto text = read_text_file(path);
  if (!text) return tl::unexpected(text.error());
  const auto entries = user::parse_entries(*text, path, 1);
  if (!entries) return tl::unexpected(entries.error());
  const fs::path directory = fs::path(path).parent_path();
  std::map<std::string, UserFile> files;
  for (const user::LaunchEntry& entry : *entries) {
    if (entry.file.empty())
      return fail(ErrorCode::kUsage,
                  fmt::format("{}: the entry does not say which file holds '{}'", entry.origin, entry.name),
                  "Add file = \"kernels.cu\"; paths are relative to the suite file.");
    auto known = files.find(entry.file);
    if (known == files.end()) {
      auto file = UserFile::read((directory / entry.file).string());
      if (!file) {
        Error error = file.error();
        error.what = entry.origin + ": " + error.what;
        return tl::unexpected(error);
      }
      known = files.emplace(entry.file, std::move(*file)).first;
    }
    if (Status added = add_entries({entry}, known->second, cases); !added) return added;
  }
  return {};
}

bool lists(const std::vector<std::string>& list, std::string_view word) {
  return list.empty() || std::find(list.begin(), list.end(), word) != list.end();
}

/// The jobs of one case: a prediction for each wanted architecture, a measurement if the GPU's is among them.
std::vector<Job> jobs_of(const user::LaunchCase& one, const SourceOptions& options, bool predicts,
                         bool measures) {
  std::vector<Job> jobs;
  if (predicts && lists(one.entry.sources, "model")) {
    std::vector<std::string> archs = one.entry.arch;
    if (!options.arch.empty()) archs = {options.arch};
    if (archs.empty()) archs = {"sm_90"};
    for (const std::string& arch : archs) {
      SourceOptions source = options;
      source.source = "model";
      source.arch = arch;
      jobs.push_back({one, source});
    }
  }
  if (measures && lists(one.entry.sources, "gpu")) {
    SourceOptions source = options;
    source.source = "gpu";
    source.arch.clear();
    jobs.push_back({one, source});
  }
  return jobs;
}

std::string label_of(const user::LaunchCase& one, const std::string& where) {
  std::string vars;
  for (const auto& [name, value] : one.kernel.options) vars += fmt::format(" {}={}", name, value);
  return fmt::format("{}: {}{} ({})", one.entry.origin, one.kernel.name, vars, where);
}

/// A case that none of the sources in use can run.
CaseOutcome unmeasured_case(const user::LaunchCase& one) {
  const bool wants_gpu = !lists(one.entry.sources, "model");
  CaseOutcome outcome;
  outcome.state = CaseOutcome::State::kNotJudged;
  outcome.label = label_of(one, wants_gpu ? "gpu" : "model");
  outcome.reasons = {wants_gpu ? "it is to be measured, and nothing is measured here"
                               : "it is to be predicted, and nothing is predicted here"};
  return outcome;
}

CaseOutcome from_error(const Error& error) {
  CaseOutcome outcome;
  outcome.state =
      error.code == ErrorCode::kMachine ? CaseOutcome::State::kNotJudged : CaseOutcome::State::kFailed;
  outcome.reasons = {error.what};
  return outcome;
}

/// Runs and judges one job; the runs it made are moved to `runs`.
CaseOutcome run_job(Job& job, const Sources& sources, const CollectOptions& collect,
                    std::vector<DiagnosedRun>& runs) {
  if (Status checked = add_reference(job.one, sources, collect); !checked) return from_error(checked.error());
  auto made = profile(job.one.kernel, sources, collect, job.one.argument_names);
  if (!made) return from_error(made.error());
  auto outcome = judge(job.one.entry, *made);
  if (!outcome) return from_error(outcome.error());
  runs = std::move(*made);
  return std::move(*outcome);
}

}  // namespace

Result<std::vector<user::LaunchCase>> load_suite(const std::vector<std::string>& paths) {
  std::vector<user::LaunchCase> cases;
  for (const std::string& path : paths) {
    Status added;
    if (fs::is_directory(path)) {
      const auto found = find_sources(path);
      if (!found) return tl::unexpected(found.error());
      for (const std::string& source : *found)
        if (added = add_source_file(source, false, cases); !added) break;
    } else {
      added = fs::path(path).extension() == ".cu" ? add_source_file(path, true, cases)
                                                  : add_suite_file(path, cases);
    }
    if (!added) return tl::unexpected(added.error());
  }
  if (cases.empty())
    return fail(ErrorCode::kUsage, "there is nothing to check",
                "Give a gpuprobe.toml, a .cu file with launch facts, or a directory that holds some.");
  return cases;
}

Result<SuiteResult> run_suite(std::vector<user::LaunchCase> cases, const SuiteOptions& options,
                              const std::function<void(const CaseOutcome&)>& finished) {
  const std::string& wanted = options.source.source;
  std::optional<Sources> gpu;
  if (wanted != "model") {
    const Status usable = CuptiSource::probe(options.source.device);
    if (usable || wanted != "auto") {
      SourceOptions source = options.source;
      source.source = "gpu";
      auto opened = Sources::open(source);
      if (!opened) return tl::unexpected(opened.error());
      gpu = std::move(*opened);
    } else {
      notice("predicting: " + usable.error().what);
    }
  }
  std::vector<Job> jobs;
  std::vector<CaseOutcome> unmeasured;
  for (const user::LaunchCase& one : cases) {
    const bool predicts = wanted == "model" || wanted == "both" || !gpu;
    auto more = jobs_of(one, options.source, predicts, gpu.has_value());
    if (more.empty()) unmeasured.push_back(unmeasured_case(one));
    jobs.insert(jobs.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  cases.clear();
  for (const CaseOutcome& outcome : unmeasured) finished(outcome);

  SuiteResult result;
  result.outcomes.resize(jobs.size());
  std::vector<std::vector<DiagnosedRun>> runs(jobs.size());
  CollectOptions collect = collect_options(options.measure);
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int workers =
      gpu ? 1 : std::min<int>(options.jobs > 0 ? options.jobs : cores, static_cast<int>(jobs.size()));
  // Side by side beats splitting each small kernel over the cores.
  if (workers > 1 && collect.threads == 0) collect.threads = std::max(1, cores / workers);
  std::atomic<std::size_t> next{0};
  std::mutex reporting;
  const auto work = [&] {
    for (std::size_t i = next++; i < jobs.size() && !interrupted(); i = next++) {
      CaseOutcome outcome;
      if (jobs[i].source.source == "gpu") {
        outcome = run_job(jobs[i], *gpu, collect, runs[i]);
      } else if (const auto model = Sources::open(jobs[i].source)) {
        outcome = run_job(jobs[i], *model, collect, runs[i]);
      } else {
        outcome = from_error(model.error());
      }
      outcome.label = label_of(jobs[i].one, jobs[i].source.source == "gpu" ? "gpu" : jobs[i].source.arch);
      jobs[i].one = {};
      const std::lock_guard lock(reporting);
      finished(outcome);
      result.outcomes[i] = std::move(outcome);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < workers; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (interrupted())
    result.outcomes.erase(std::remove_if(result.outcomes.begin(), result.outcomes.end(),
                                         [](const CaseOutcome& o) { return o.label.empty(); }),
                          result.outcomes.end());
  result.outcomes.insert(result.outcomes.end(), unmeasured.begin(), unmeasured.end());
  for (auto& made : runs)
    result.runs.insert(result.runs.end(), std::make_move_iterator(made.begin()),
                       std::make_move_iterator(made.end()));
  return result;
}

}  // namespace gpuprobe::cli
