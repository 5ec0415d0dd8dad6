// What `gpuprobe explain` teaches: a page for every finding and for the notions behind them, in the tool's
// own words. The thresholds on a page are written from the constants that the rules use.
//
//   for (const Topic& topic : topics()) ...            // "sectors", "the unit of global memory traffic"
//   if (const Topic* topic = find_topic("bank-conflict-load")) fputs(topic->text.c_str(), stdout);
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpuprobe::diagnose {

struct Topic {
  std::vector<std::string> names;  ///< the page's own name first; every finding kind is a name of one page
  std::string summary;             ///< one line
  std::string text;                ///< the whole page, lines of at most 80 columns, with a final newline
};

/// All pages: findings first, then notions; each group by name.
const std::vector<Topic>& topics();
/// The page with this name, or nullptr.
const Topic* find_topic(std::string_view name);

}  // namespace gpuprobe::diagnose
