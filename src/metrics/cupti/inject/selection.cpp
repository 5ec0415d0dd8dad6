#include "metrics/cupti/inject/selection.h"

#include <algorithm>
#include <utility>

namespace gpuprobe {

Result<Selection> Selection::make(SelectionOptions options) {
  Selection selection;
  if (!options.kernel.empty()) {
    try {
      selection.kernel_.emplace(options.kernel, std::regex::ECMAScript | std::regex::optimize);
    } catch (const std::regex_error& error) {
      return fail(ErrorCode::kUsage,
                  "--kernel '" + options.kernel + "' is not a regular expression: " + error.what(),
                  "a plain part of the name will do, e.g. --kernel gemm");
    }
  }
  selection.options_ = std::move(options);
  return selection;
}

bool Selection::matches(const std::string& name) const {
  return !kernel_ || std::regex_search(name.substr(0, kLongestName), *kernel_);
}

bool Selection::selects_next(const std::vector<std::string>& ranges) {
  if (!options_.nvtx.empty() && std::find(ranges.begin(), ranges.end(), options_.nvtx) == ranges.end())
    return false;
  const std::uint64_t number = matched_++;
  if (number < options_.skip) return false;
  return options_.count == 0 || number - options_.skip < options_.count;
}

std::string never_replayed(const std::string& name, bool cooperative) {
  if (name.rfind("nccl", 0) == 0 || name.rfind("nvshmem", 0) == 0)
    return "it communicates with other GPUs, which would not repeat their part of a replay";
  if (cooperative) return "a cooperative launch, whose blocks wait for each other, is not replayed";
  return "";
}

}  // namespace gpuprobe
