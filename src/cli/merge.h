// Several reports of one job, one a rank, made into one: a run a kernel, with the spread over the reports.
//
//   auto runs = merge_reports({{"report.0.json", runs0}, {"report.1.json", runs1}});
#pragma once

#include <string>
#include <vector>

#include "core/report.h"

namespace gpuprobe::cli {

struct NamedReport {
  std::string name;
  std::vector<DiagnosedRun> runs;
};

/// One run for each kernel with its options and launch configuration (its name and options alone suffice if
/// no report has it twice), in the order of their first appearance. It is the run of the report in which the
/// kernel took longest, since the others wait for that rank; the first where time is not known. Findings that
/// only other reports have are added to it. Its notes say in how many reports the kernel and each finding
/// occurred, and the smallest, median and largest value of what differs.
std::vector<DiagnosedRun> merge_reports(const std::vector<NamedReport>& reports);

}  // namespace gpuprobe::cli
