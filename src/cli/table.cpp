#include "cli/table.h"

#include <algorithm>
#include <sstream>

namespace gpuprobe::cli {
namespace {

/// Characters as a terminal shows them: UTF-8 continuation bytes take no column.
std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool looks_like_number(const std::string& cell) {
  if (cell.empty() || cell == "-") return true;
  return cell.find_first_of("0123456789") == 0 ||
         (cell.size() > 1 && (cell[0] == '-' || cell[0] == '+') && cell.find_first_of("0123456789") == 1);
}

bool is_number_column(const Table& table, std::size_t column) {
  return !table.rows().empty() &&
         std::all_of(table.rows().begin(), table.rows().end(),
                     [column](const auto& row) { return looks_like_number(row[column]); });
}

std::string padded(const std::string& cell, std::size_t width, bool right) {
  const std::string blanks(width - std::min(width, display_width(cell)), ' ');
  return right ? blanks + cell : cell + blanks;
}

std::vector<std::size_t> column_widths(const Table& table) {
  std::vector<std::size_t> widths;
  for (const std::string& name : table.header()) widths.push_back(display_width(name));
  for (const auto& row : table.rows())
    for (std::size_t column = 0; column < widths.size(); ++column)
      widths[column] = std::max(widths[column], display_width(row[column]));
  return widths;
}

std::string render_text(const Table& table) {
  const std::vector<std::size_t> widths = column_widths(table);
  std::string out;
  const auto add_line = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t column = 0; column < widths.size(); ++column) {
      if (column > 0) line += "  ";
      line += padded(row[column], widths[column], is_number_column(table, column));
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  };
  add_line(table.header());
  for (const auto& row : table.rows()) add_line(row);
  return out;
}

std::string csv_cell(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (char c : cell) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string markdown_cell(const std::string& cell) {
  std::string escaped;
  for (char c : cell) {
    if (c == '|') escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

std::string render_csv(const Table& table) {
  std::string out;
  const auto add_line = [&out](const std::vector<std::string>& row) {
    for (std::size_t column = 0; column < row.size(); ++column)
      out += (column ? "," : "") + csv_cell(row[column]);
    out += "\n";
  };
  add_line(table.header());
  for (const auto& row : table.rows()) add_line(row);
  return out;
}

std::string render_markdown(const Table& table) {
  std::string out;
  const auto add_line = [&out](const std::vector<std::string>& row) {
    for (const std::string& cell : row) out += "| " + markdown_cell(cell) + " ";
    out += "|\n";
  };
  add_line(table.header());
  for (std::size_t column = 0; column < table.header().size(); ++column)
    out += is_number_column(table, column) ? "|---:" : "|---";
  out += "|\n";
  for (const auto& row : table.rows()) add_line(row);
  return out;
}

}  // namespace

void Table::add(std::vector<std::string> row) {
  row.resize(header_.size());
  rows_.push_back(std::move(row));
}

std::string render(const Table& table, TableFormat format) {
  switch (format) {
    case TableFormat::kText:
      return render_text(table);
    case TableFormat::kCsv:
      return render_csv(table);
    case TableFormat::kMarkdown:
      return render_markdown(table);
  }
  return {};
}

std::string wrap(const std::string& text, std::size_t width, std::size_t indent) {
  const std::string margin(indent, ' ');
  std::istringstream paragraphs(text);
  std::string paragraph;
  std::string out;
  while (std::getline(paragraphs, paragraph)) {
    std::istringstream words(paragraph);
    std::string word;
    std::string line;
    while (words >> word) {
      if (!line.empty() && indent + display_width(line) + 1 + display_width(word) > width) {
        out += margin + line + "\n";
        line.clear();
      }
      line += (line.empty() ? "" : " ") + word;
    }
    out += (line.empty() ? "" : margin + line) + "\n";
  }
  return out;
}

}  // namespace gpuprobe::cli
