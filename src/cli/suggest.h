// "did you mean": the candidate that a typing error most likely stands for.
//
//   suggest("trnaspose", {"transpose", "matmul"})  ->  "transpose"
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpuprobe::cli {

/// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b` (optimal string
/// alignment).
int edit_distance(std::string_view a, std::string_view b);

/// The nearest candidate within a third of the longer length (at least one edit), or one that `word` begins;
/// empty if none is near. The first of equals.
std::string suggest(std::string_view word, const std::vector<std::string>& candidates);

/// "; did you mean 'X'?" or nothing: ready to append to a message.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace gpuprobe::cli
