// The few phrases that all findings share, so that one fact is always said in the same words.
//
//   place(site)                     "transpose/kernel.cu:41"
//   per_request(32, 1, wavefronts)  "32.0 wavefronts a request where 1.0 would do"
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/finding.h"
#include "core/run.h"
#include "core/site.h"

namespace gpuprobe::diagnose {

/// "file:line", or the instruction where there is no line, or "" if neither is known.
std::string place(const Site& site);
/// " at file:line" of the worst site; "" without sites.
std::string at_place(const std::vector<Site>& sites);
/// "32.0 wavefronts a request where 1.0 would do".
std::string per_request(double actual, double ideal, std::string_view unit);
/// "524,288".
std::string grouped(double count);
/// "44 registers", "1 block".
std::string counted(double count, std::string_view noun);
/// What to type to see the kernel's own cure of `kind`: "gpuprobe transpose --pad: pad each row by one
/// element".
/// "" if the kernel offers none.
std::string own_cure(const Run& run, FindingKind kind);

}  // namespace gpuprobe::diagnose
