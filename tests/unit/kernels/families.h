// Helpers of the kernel tests: a family's kernel from options as typed, and the counts that a truth file
// holds.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "compile/compiler.h"
#include "kernels/family.h"

namespace gpuprobe {

/// "--tile 32 --pad -n 64" -> {tile: "32", pad: "", n: "64"}.
inline std::map<std::string, std::string, std::less<>> typed(const std::string& options) {
  std::map<std::string, std::string, std::less<>> values;
  std::istringstream words(options);
  std::string name;
  for (std::string word; words >> word;) {
    const bool is_option = word.size() > 1 && word[0] == '-' && (word[1] < '0' || word[1] > '9');
    if (is_option) {
      name = word.substr(word.find_first_not_of('-'));
      values[name] = "";
    } else {
      values[name] = word;
    }
  }
  return values;
}

inline Result<Kernel> built(const std::string& family_name, const std::string& options) {
  const KernelFamily* family = find_kernel_family(family_name);
  if (family == nullptr) return fail(ErrorCode::kUsage, "no family " + family_name, "");
  const auto values = validate(*family, typed(options));
  if (!values) return tl::unexpected(values.error());
  return family->build(*values);
}

}  // namespace gpuprobe
