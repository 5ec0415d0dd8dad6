// Which launches of a program are measured: what the user selected, and what must not be replayed.
//
//   Selection selection({.kernel = "gemm", .skip = 10, .count = 5});
//   if (selection.matches("cutlass_gemm") && selection.selects_next({"forward"})) ...   // 11th to 15th match
#pragma once

#include <cstdint>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "core/result.h"

namespace gpuprobe {

struct SelectionOptions {
  std::string kernel;       ///< regular expression (ECMAScript), found anywhere in the name; "" = all
  std::uint64_t skip = 0;   ///< so many selected launches are passed over first
  std::uint64_t count = 0;  ///< and so many are taken then; 0 = all
  std::string nvtx;         ///< only launches inside an NVTX range of this name; "" = all
  double budget_s = 0;      ///< seconds that measuring may take in a process; 0 = no limit
  int verbosity = 0;        ///< of messages on stderr
};

class Selection {
 public:
  /// Errors: kUsage if the regular expression cannot be parsed.
  static Result<Selection> make(SelectionOptions options);

  /// True if kernels of this name are wanted. Only the first kLongestName characters are looked at: the
  /// standard library's regular expressions need stack for every character, and the name is as long as the
  /// program's templates make it.
  bool matches(const std::string& name) const;
  static constexpr std::size_t kLongestName = 2000;
  /// True if this launch of a kernel that matches is wanted; counts it. `ranges`: the NVTX ranges that are
  /// open.
  bool selects_next(const std::vector<std::string>& ranges);
  const SelectionOptions& options() const { return options_; }

 private:
  SelectionOptions options_;
  std::optional<std::regex> kernel_;
  std::uint64_t matched_ = 0;
};

/// Why a kernel of this (readable) name must not run several times over; empty if it may. Kernels that wait
/// for other GPUs or processes would wait for ever, since those do not repeat their part.
std::string never_replayed(const std::string& name, bool cooperative);

}  // namespace gpuprobe
