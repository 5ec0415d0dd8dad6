#include "cli/accuracy/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

namespace gpuprobe::cli {
namespace {

/// The project's promise for a calibrated interval; the last digit is rounding.
constexpr double kNarrow = 2.0 + 1e-9;

/// A bar would end the cell.
std::string cell(std::string text) {
  std::replace(text.begin(), text.end(), '|', '/');
  return text;
}

template <class T, class Test>
std::size_t count(const std::vector<T>& items, Test test) {
  return static_cast<std::size_t>(std::count_if(items.begin(), items.end(), test));
}

std::string listed(const std::vector<std::string>& kinds) {
  return fmt::format("{}", fmt::join(kinds, ", "));
}

/// "NVIDIA H200, driver 580.159.04, CUPTI 13.0"; of a prediction the architecture alone.
std::string machine_of(const JudgedRun& run) {
  const Environment& where = run.environment;
  if (!run.measured) return "no GPU, predicted for " + where.arch;
  return where.device + (where.driver.empty() ? "" : ", driver " + where.driver) +
         (where.cupti.empty() ? "" : ", CUPTI " + where.cupti);
}

/// "between A and B", of ISO dates, which sort as text.
std::string span_of(const std::vector<const JudgedRun*>& runs) {
  std::string first, last;
  for (const JudgedRun* run : runs) {
    const std::string& date = run->environment.date;
    if (date.empty()) continue;
    if (first.empty() || date < first) first = date;
    last = std::max(last, date);
  }
  if (first.empty()) return "at a time that is not recorded";
  return first == last ? "at " + first : "between " + first + " and " + last;
}

std::string counted(std::size_t number, const char* noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

void write_machines(std::string& out, const Accuracy& accuracy) {
  std::map<std::string, std::vector<const JudgedRun*>> machines;
  for (const JudgedRun& run : accuracy.runs) machines[machine_of(run)].push_back(&run);
  if (machines.size() == 1) {
    const auto& [machine, runs] = *machines.begin();
    out += fmt::format("{} on one kind of machine ({}), {}.\n", counted(runs.size(), "run"), machine,
                       span_of(runs));
    return;
  }
  out += fmt::format("{} on different kinds of machine:\n\n", counted(accuracy.runs.size(), "run"));
  for (const auto& [machine, runs] : machines)
    out += fmt::format("- {}: {}, {}\n", machine, counted(runs.size(), "run"), span_of(runs));
  out += "\n";
}

void write_calibration(std::string& out, const Accuracy& accuracy) {
  std::map<std::string, std::size_t> sources;
  for (const JudgedRun& run : accuracy.runs)
    if (!run.calibration.empty()) ++sources[run.calibration];
  if (sources.empty()) {
    out += "Not calibrated: the cost model used its general unit costs for every run.\n";
    return;
  }
  for (const auto& [source, runs] : sources)
    out += fmt::format("Calibrated: {} of {} runs were judged with the unit costs of {}.\n", runs,
                       accuracy.runs.size(), source);
}

void write_heading(std::string& out, const Accuracy& accuracy, const std::string& from) {
  out += "# Accuracy\n\n";
  if (accuracy.runs.empty()) out += "No run.\n";
  if (!accuracy.runs.empty()) {
    write_machines(out, accuracy);
    write_calibration(out, accuracy);
  }
  if (from.empty())
    out += "Written by `gpuprobe accuracy`, which ran all of them";
  else
    out +=
        fmt::format("Written by `gpuprobe accuracy --from {}`, which judged these recordings and ran nothing",
                    std::filesystem::path(from).filename().string());
  out += "; `scripts/accuracy` makes it anew\non any machine with a GPU.\n\n";
}

void write_summary(std::string& out, const Accuracy& accuracy) {
  const auto& judged = accuracy.judged;
  const auto& pairs = accuracy.pairs;
  std::size_t false_findings = 0;
  for (const JudgedLaunch& one : judged) false_findings += static_cast<std::size_t>(one.false_findings);
  out += fmt::format(
      "| what | result |\n| --- | ---: |\n| launches whose verdict is the planted answer | {} of {} |\n"
      "| false findings, limiting or present | {} |\n",
      count(judged, [](const JudgedLaunch& one) { return one.right; }), judged.size(), false_findings);
  if (pairs.empty()) return;
  out += fmt::format(
      "| pairs with a cure | {} |\n| measured gain inside the interval | {} |\n"
      "| middle within 25 % of the measured gain | {} |\n| interval no wider than a factor of 2 | {} |\n",
      pairs.size(), share(count(pairs, [](const GainPair& pair) { return pair.inside(); }), pairs.size()),
      share(count(pairs, [](const GainPair& pair) { return pair.near(); }), pairs.size()),
      share(count(pairs, [](const GainPair& pair) { return pair.width() <= kNarrow; }), pairs.size()));
  if (const std::size_t seen = count(pairs, [](const GainPair& pair) { return pair.seen_by_nsight; });
      seen > 0)
    out += fmt::format(
        "| pairs that Nsight saw: an estimate of it within 25 % of the measured gain | {} of {} |\n",
        count(pairs, [](const GainPair& pair) { return pair.nsight_near(); }), seen);
}

void write_confusion(std::string& out, const Accuracy& accuracy) {
  std::map<std::pair<std::string, std::string>, std::pair<int, int>> table;
  for (const JudgedLaunch& one : accuracy.judged) {
    auto& [launches, right] = table[{listed(one.planted), one.verdict}];
    ++launches;
    right += one.right;
  }
  out +=
      "\n## Planted answer and verdict\n\n| planted | verdict | launches | right |\n"
      "| --- | --- | ---: | ---: |\n";
  for (const auto& [kinds, counts] : table)
    out += fmt::format("| {} | {} | {} | {} |\n", kinds.first, kinds.second, counts.first, counts.second);
  out +=
      "\nA planted finding that costs little may be named below a healthy verdict: it is right if it is "
      "named, "
      "if no other\nfinding is limiting or present, and if the verdict accuses nothing else.\n";
}

void write_wrong(std::string& out, const Accuracy& accuracy) {
  if (count(accuracy.judged, [](const JudgedLaunch& one) { return one.right; }) == accuracy.judged.size())
    return;
  out +=
      "\n## Launches that were not right\n\n| launch | planted | verdict | why |\n| --- | --- | --- | --- "
      "|\n";
  for (const JudgedLaunch& one : accuracy.judged)
    if (!one.right)
      out += fmt::format("| {} | {} | {} | {} |\n", cell(one.label), listed(one.planted), one.verdict,
                         cell(fmt::format("{}", fmt::join(one.reasons, "; "))));
}

/// "1.94, 8.10 of a unit"; "none" if no advice names the cause and gives a number.
std::string nsight_estimates(const GainPair& pair) {
  if (!pair.seen_by_nsight) return "not seen";
  std::string text;
  for (const NsightAdvice& advice : pair.nsight)
    text += fmt::format("{}{:.2f}{}", text.empty() ? "" : ", ", advice.speedup,
                        advice.of_kernel ? "" : " of a unit");
  return text.empty() ? "none" : text;
}

void write_pairs(std::string& out, const Accuracy& accuracy) {
  if (accuracy.pairs.empty()) return;
  const bool nsight = accuracy.nsight_launches > 0;
  out +=
      "\n## Expected and measured gain\n\n"
      "| launch | finding | cure | expected | middle | measured | inside |";
  out += nsight ? " Nsight |\n" : "\n";
  out += "| --- | --- | --- | ---: | ---: | ---: | --- |";
  out += nsight ? " ---: |\n" : "\n";
  for (const GainPair& pair : accuracy.pairs) {
    out += fmt::format("| {} | {} | `{}` | {:.2f} to {:.2f} | {:.2f} | {:.2f} | {} |", cell(pair.label),
                       pair.finding, pair.change, pair.expected.low, pair.expected.high, pair.middle(),
                       pair.actual, pair.inside() ? "yes" : "no");
    out += nsight ? fmt::format(" {} |\n", nsight_estimates(pair)) : "\n";
  }
}

void write_missing(std::string& out, const Accuracy& accuracy) {
  if (accuracy.missing.empty()) return;
  out += fmt::format(
      "\n## Planned, but without a run\n\n{}:\n\n",
      fmt::format("{} launch{}", accuracy.missing.size(), accuracy.missing.size() == 1 ? "" : "es"));
  for (const std::string& label : accuracy.missing) out += "- " + label + "\n";
}

}  // namespace

std::string share(std::size_t part, std::size_t whole) {
  const double percent = whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0.0;
  return fmt::format("{} ({:.0f} %)", part, percent);
}

std::string accuracy_document(const Accuracy& accuracy, const std::string& from) {
  std::string out;
  write_heading(out, accuracy, from);
  write_summary(out, accuracy);
  write_confusion(out, accuracy);
  write_wrong(out, accuracy);
  write_pairs(out, accuracy);
  out += nsight_section(accuracy);
  write_missing(out, accuracy);
  return out;
}

}  // namespace gpuprobe::cli
