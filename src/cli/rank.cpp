#include "cli/rank.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "cli/options.h"

namespace gpuprobe::cli {
namespace {

constexpr int kMostRanks = 1'000'000;

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0 || value > kMostRanks)
    return std::nullopt;
  return value;
}

}  // namespace

std::optional<int> rank_of_process() {
  // The launcher inside counts: an mpirun inside a Slurm job sets both.
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* value = std::getenv(variable))
      if (const auto rank = number(value)) return rank;
  return std::nullopt;
}

std::string with_rank(const std::string& path) {
  std::string result = path;
  const std::string rank = std::to_string(rank_of_process().value_or(0));
  for (std::size_t at = 0; (at = result.find("%r", at)) != std::string::npos; at += rank.size())
    result.replace(at, 2, rank);
  return result;
}

Result<std::vector<int>> parse_ranks(const std::vector<std::string>& lists) {
  std::vector<int> ranks;
  for (const std::string& part : split_list(lists)) {
    const std::size_t dash = part.find('-');
    const auto first = number(std::string_view(part).substr(0, dash));
    const auto last = dash == std::string::npos ? first : number(std::string_view(part).substr(dash + 1));
    if (!first || !last || *last < *first)
      return fail(ErrorCode::kUsage, "'" + part + "' is not a rank or a range of ranks",
                  "give ranks as in --rank 0,3 or --rank 0-3");
    for (int rank = *first; rank <= *last; ++rank) ranks.push_back(rank);
  }
  return ranks;
}

}  // namespace gpuprobe::cli
