// A plain table: columns of text, rendered for a terminal, a spreadsheet or a document.
//
//   Table table({"tile", "verdict"});  table.add({"32", "none"});  render(table, TableFormat::kText)
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace gpuprobe::cli {

enum class TableFormat { kText, kCsv, kMarkdown };

class Table {
 public:
  explicit Table(std::vector<std::string> header) : header_(std::move(header)) {}
  /// Short rows are filled with empty cells.
  void add(std::vector<std::string> row);
  const std::vector<std::string>& header() const { return header_; }
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

/// Text: aligned columns (a column of numbers to the right), two spaces between them, no trailing blanks.
/// CSV: RFC 4180, lines end with \n. Markdown: a GitHub table. All end with a newline.
std::string render(const Table& table, TableFormat format);

/// `text` in lines of at most `width` characters, each begun with `indent` blanks; paragraphs are kept. A
/// word longer than the line stands alone.
std::string wrap(const std::string& text, std::size_t width, std::size_t indent);

}  // namespace gpuprobe::cli
