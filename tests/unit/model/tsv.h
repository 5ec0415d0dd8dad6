// Reads a tab-separated table with a header line into rows addressed by column name.
#pragma once

#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace gpuprobe::testing {

using TsvRow = std::map<std::string, std::string>;

inline std::vector<TsvRow> read_tsv(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path);
  const auto cells = [](const std::string& line) {
    std::vector<std::string> out;
    std::size_t start = 0;
    for (std::size_t tab; (tab = line.find('\t', start)) != std::string::npos; start = tab + 1)
      out.push_back(line.substr(start, tab - start));
    out.push_back(line.substr(start));
    return out;
  };
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> header = cells(line);
  std::vector<TsvRow> rows;
  while (std::getline(in, line)) {
    const std::vector<std::string> row = cells(line);
    if (row.size() != header.size()) throw std::runtime_error("ragged row in " + path + ": " + line);
    TsvRow& out = rows.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) out[header[i]] = row[i];
  }
  return rows;
}

}  // namespace gpuprobe::testing
