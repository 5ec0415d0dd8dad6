#include "cli/suggest.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace gpuprobe::cli {
namespace {

// A word longer than this is no slip of the finger for any name of ours; comparing it would only cost time.
constexpr std::size_t kLongestWord = 64;

// A beginning must say this much before it counts as an abbreviation.
constexpr std::size_t kShortestBeginning = 3;

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> before_last(b.size() + 1);
  std::vector<int> last(b.size() + 1);
  std::vector<int> row(b.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int substitution = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, substitution});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::string suggest(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.empty() || word.size() > kLongestWord) return {};
  std::string best;
  int best_distance = 0;
  for (const std::string& candidate : candidates) {
    const int allowed = std::max<int>(1, static_cast<int>(std::max(word.size(), candidate.size()) / 3));
    int distance = edit_distance(word, candidate);
    const bool begins = word.size() >= kShortestBeginning && candidate.starts_with(word);
    if (begins) distance = std::min(distance, 1);
    if (distance > allowed || (!best.empty() && distance >= best_distance)) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string nearest = suggest(word, candidates);
  return nearest.empty() ? std::string() : "; did you mean '" + nearest + "'?";
}

}  // namespace gpuprobe::cli
