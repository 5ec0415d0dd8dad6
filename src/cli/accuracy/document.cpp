#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/accuracy/evaluate.h"

namespace gpuprobe::cli {
namespace {

/// The project's promise for a calibrated interval; the last digit is rounding.
constexpr double kNarrow = 2.0 + 1e-9;

double percent(std::size_t part, std::size_t whole) {
  return whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

/// A bar would end the cell.
std::string cell(std::string text) {
  std::replace(text.begin(), text.end(), '|', '/');
  return text;
}

template <class T, class Test>
std::size_t count(const std::vector<T>& items, Test test) {
  return static_cast<std::size_t>(std::count_if(items.begin(), items.end(), test));
}

void write_confusion(std::string& out, const Accuracy& accuracy) {
  std::map<std::pair<std::string, std::string>, std::pair<int, int>> table;
  for (const JudgedLaunch& one : accuracy.judged) {
    auto& [launches, right] = table[{one.planted, one.verdict}];
    ++launches;
    right += one.right;
  }
  out +=
      "\n## Planted answer and verdict\n\n| planted | verdict | launches | right |\n| --- | --- | ---: | "
      "---: |\n";
  for (const auto& [kinds, counts] : table)
    out += fmt::format("| {} | {} | {} | {} |\n", kinds.first, kinds.second, counts.first, counts.second);
  out +=
      "\nA planted finding that costs little may be named below a healthy verdict: it is right if it is "
      "named, if "
      "no other\nfinding is limiting or present, and if the verdict accuses nothing else.\n";
}

void write_wrong(std::string& out, const Accuracy& accuracy) {
  if (count(accuracy.judged, [](const JudgedLaunch& one) { return one.right; }) == accuracy.judged.size())
    return;
  out +=
      "\n## Launches that were not right\n\n| launch | planted | verdict | why |\n| --- | --- | --- | --- "
      "|\n";
  for (const JudgedLaunch& one : accuracy.judged)
    if (!one.right)
      out += fmt::format("| {} | {} | {} | {} |\n", cell(one.label), one.planted, one.verdict,
                         cell(fmt::format("{}", fmt::join(one.reasons, "; "))));
}

void write_pairs(std::string& out, const Accuracy& accuracy) {
  if (accuracy.pairs.empty()) return;
  const bool nsight = accuracy.nsight_launches > 0;
  out +=
      "\n## Expected and measured gain\n\n| launch | finding | cure | expected | middle | measured | inside "
      "|";
  out += nsight ? " Nsight |\n" : "\n";
  out += "| --- | --- | --- | ---: | ---: | ---: | --- |";
  out += nsight ? " ---: |\n" : "\n";
  for (const GainPair& pair : accuracy.pairs) {
    out += fmt::format("| {} | {} | `{}` | {:.2f} to {:.2f} | {:.2f} | {:.2f} | {} |", cell(pair.label),
                       pair.finding, pair.change, pair.expected.low, pair.expected.high, pair.middle(),
                       pair.actual, pair.inside() ? "yes" : "no");
    if (!nsight)
      out += "\n";
    else if (pair.nsight_high <= 0)
      out += " none |\n";
    else if (pair.nsight_low == pair.nsight_high)
      out += fmt::format(" {:.2f} |\n", pair.nsight_low);
    else
      out += fmt::format(" {:.2f}, {:.2f} |\n", pair.nsight_low, pair.nsight_high);
  }
}

void write_nsight(std::string& out, const Accuracy& accuracy) {
  if (accuracy.nsight_launches == 0) return;
  std::size_t launches = 0, with_cause = 0, named = 0, clean = 0, clean_silent = 0, advice = 0, wrong = 0;
  std::map<std::string, std::pair<int, int>> rules;
  for (const JudgedLaunch& one : accuracy.judged) {
    if (!one.has_nsight) continue;
    ++launches;
    if (one.planted == "none") {
      ++clean;
      clean_silent += one.nsight.empty();
    } else {
      ++with_cause;
      named += one.nsight_right > 0;
    }
    advice += one.nsight.size();
    wrong += one.nsight.size() - static_cast<std::size_t>(one.nsight_right);
    for (const NsightAdvice& given : one.nsight) {
      const bool right =
          std::any_of(all_finding_kinds().begin(), all_finding_kinds().end(), [&](FindingKind kind) {
            return one.planted.find(to_string(kind)) != std::string::npos && names_cause(given.rule, kind);
          });
      auto& [all, good] = rules[given.rule];
      ++all;
      good += right;
    }
  }
  out += fmt::format(
      "\n## Nsight Compute on the same launches\n\nOf {} launches that both saw: {} of {} planted causes are "
      "named by "
      "an advice; {} of {} clean kernels get\nno advice; {} of {} pieces of advice ({:.0f} %) name something "
      "else "
      "than the planted cause.\n\n| rule | advice given | names the planted cause |\n| --- | ---: | ---: |\n",
      launches, named, with_cause, clean_silent, clean, wrong, advice, percent(wrong, advice));
  for (const auto& [rule, counts] : rules)
    out += fmt::format("| {} | {} | {} |\n", rule, counts.first, counts.second);
}

}  // namespace

std::string accuracy_document(const Accuracy& accuracy) {
  const std::size_t right = count(accuracy.judged, [](const JudgedLaunch& one) { return one.right; });
  std::size_t false_findings = 0;
  for (const JudgedLaunch& one : accuracy.judged)
    false_findings += static_cast<std::size_t>(one.false_findings);
  const std::size_t inside = count(accuracy.pairs, [](const GainPair& pair) { return pair.inside(); });
  const std::size_t near = count(accuracy.pairs, [](const GainPair& pair) { return pair.near(); });
  const std::size_t narrow =
      count(accuracy.pairs, [](const GainPair& pair) { return pair.width() <= kNarrow; });
  const Environment& where = accuracy.environment;
  std::string out = "# Accuracy\n\n";
  out += fmt::format("{}{}{}, {}.\nMade by `scripts/accuracy`, which anyone with a GPU can run.\n\n",
                     where.device.empty() ? "Predicted for " + where.arch : "Measured on one " + where.device,
                     where.driver.empty() ? "" : ", driver " + where.driver,
                     where.cupti.empty() ? "" : ", CUPTI " + where.cupti, where.date);
  out += fmt::format(
      "| what | result |\n| --- | ---: |\n| launches whose verdict is the planted answer | {} of {} |\n",
      right, accuracy.judged.size());
  out += fmt::format("| false findings, limiting or present | {} |\n", false_findings);
  if (!accuracy.pairs.empty()) {
    out += fmt::format("| pairs with a cure | {} |\n", accuracy.pairs.size());
    out += fmt::format("| measured gain inside the interval | {} ({:.0f} %) |\n", inside,
                       percent(inside, accuracy.pairs.size()));
    out += fmt::format("| middle within 25 % of the measured gain | {} ({:.0f} %) |\n", near,
                       percent(near, accuracy.pairs.size()));
    out += fmt::format("| interval no wider than a factor of 2 | {} ({:.0f} %) |\n", narrow,
                       percent(narrow, accuracy.pairs.size()));
  }
  write_confusion(out, accuracy);
  write_wrong(out, accuracy);
  write_pairs(out, accuracy);
  write_nsight(out, accuracy);
  if (!accuracy.missing.empty()) {
    out += fmt::format("\n{} planned launches have no run:\n", accuracy.missing.size());
    for (const std::string& label : accuracy.missing) out += "- " + label + "\n";
  }
  return out;
}

}  // namespace gpuprobe::cli
