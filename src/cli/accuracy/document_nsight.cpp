#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/accuracy/document.h"

namespace gpuprobe::cli {
namespace {

/// How an advice stands to the planted answer of its launch.
struct Tally {
  std::size_t launches = 0;
  std::size_t named = 0;    ///< launches of which an advice names the planted cause
  std::size_t given = 0;    ///< pieces of advice
  std::size_t right = 0;    ///< name the planted cause
  std::size_t further = 0;  ///< name a further finding that is true
  std::size_t wrong = 0;    ///< name another cause
  std::size_t symptoms = 0;
  std::size_t unknown = 0;

  void add(const NsightAdvice& advice, const JudgedLaunch& launch) {
    using Subject = NsightAdvice::Subject;
    ++given;
    if (advice.subject == Subject::kSymptom)
      ++symptoms;
    else if (advice.subject == Subject::kUnknown)
      ++unknown;
    else if (advice.names_any(launch.planted))
      ++right;
    else if (advice.names_any(launch.also))
      ++further;
    else
      ++wrong;
  }
};

bool is_clean(const JudgedLaunch& launch) {
  return launch.planted == std::vector<std::string>{"none"};
}

void write_table(std::string& out, const std::map<std::string, Tally>& rows, const char* first,
                 bool by_launch) {
  out += fmt::format(
      "\n| {} |{} advice | right | further | false | symptom | unknown |\n| --- |{} ---: | ---: | "
      "---: | ---: | ---: | ---: |\n",
      first, by_launch ? " launches | cause named |" : "", by_launch ? " ---: | ---: |" : "");
  for (const auto& [name, row] : rows)
    out += fmt::format("| {} |{} {} | {} | {} | {} | {} | {} |\n", name,
                       by_launch ? fmt::format(" {} | {} |", row.launches, row.named) : "", row.given,
                       row.right, row.further, row.wrong, row.symptoms, row.unknown);
}

}  // namespace

std::string nsight_section(const Accuracy& accuracy) {
  if (accuracy.nsight_launches == 0) return "";
  std::map<std::string, Tally> planted, rules;
  Tally all;
  std::size_t clean = 0, silent = 0;
  for (const JudgedLaunch& one : accuracy.judged) {
    if (!one.nsight) continue;
    Tally& row = planted[fmt::format("{}", fmt::join(one.planted, ", "))];
    const std::size_t wrong_before = all.wrong;
    for (const NsightAdvice& advice : *one.nsight)
      for (Tally* tally : {&row, &rules[advice.rule], &all}) tally->add(advice, one);
    const bool named = std::any_of(one.nsight->begin(), one.nsight->end(),
                                   [&](const NsightAdvice& advice) { return advice.names_any(one.planted); });
    for (Tally* tally : {&row, &all}) {
      ++tally->launches;
      tally->named += named;
    }
    if (!is_clean(one)) continue;
    ++clean;
    silent += all.wrong == wrong_before;
  }
  std::string out = fmt::format(
      "\n## Nsight Compute on the same launches\n\n"
      "{} launches were seen by both. {} of {} planted causes are named by an advice; {} of {} clean kernels "
      "are "
      "accused\nof nothing; {} of {} pieces of advice name something else than the planted cause.\n",
      all.launches, all.named, all.launches - clean, silent, clean, share(all.wrong, all.given), all.given);
  write_table(out, planted, "planted", true);
  write_table(out, rules, "rule", false);
  out +=
      "\nAn advice is right if it names a planted cause, further if it names another finding that is true of "
      "the "
      "launch, false\nif it names anything else (also a cause that gpuprobe has no kind for, such as unfused "
      "arithmetic). A symptom, such as\na stall or an idle pipeline, names no cause and counts for neither; "
      "unknown are rules that are not in gpuprobe's table.\n";
  return out;
}

}  // namespace gpuprobe::cli
