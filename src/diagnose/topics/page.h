// The embedded pages of `gpuprobe explain`, as CMake finds them in this folder. The first line of a page is
// "name, name: summary"; the rest is its text, for a terminal of 80 columns.
#pragma once

#include <string_view>
#include <vector>

namespace gpuprobe::diagnose {

struct TopicPage {
  std::string_view file;  ///< without extension
  std::string_view text;
};

/// All pages, sorted by file name. Written by CMake.
const std::vector<TopicPage>& topic_pages();

}  // namespace gpuprobe::diagnose
