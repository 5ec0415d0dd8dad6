#include "report/text/page.h"

#include <algorithm>

namespace gpuprobe::report {
namespace {

std::string_view code_of(Tone tone) {
  switch (tone) {
    case Tone::kStrong:
      return "1";
    case Tone::kBad:
      return "1;31";
    case Tone::kWarn:
      return "33";
    case Tone::kGood:
      return "32";
    case Tone::kFaint:
      return "2";
    case Tone::kPlain:
      break;
  }
  return "";
}

/// A unit stays with its number: "95.2 %", "79.9 us", "16.8 M".
bool is_unit(std::string_view word) {
  while (!word.empty() && std::string_view(",;:.)").find(word.back()) != std::string_view::npos)
    word.remove_suffix(1);
  for (std::string_view unit :
       {"%",  "B",  "kB", "MB", "GB", "TB", "KiB", "B/s", "kB/s", "MB/s", "GB/s",    "TB/s",   "ns",
        "us", "ms", "s",  "k",  "M",  "G",  "T",   "Hz",  "MHz",  "GHz",  "GFLOP/s", "TFLOP/s"})
    if (word == unit) return true;
  return false;
}

bool ends_in_digit(std::string_view word) {
  return !word.empty() && word.back() >= '0' && word.back() <= '9';
}

std::string pad(const std::string& text, std::size_t width, Align align) {
  const std::size_t used = columns(text);
  const std::string space(width > used ? width - used : 0, ' ');
  return align == Align::kLeft ? text + space : space + text;
}

}  // namespace

std::string Style::paint(std::string_view text, Tone tone) const {
  const std::string_view code = code_of(tone);
  if (!color_ || code.empty() || text.empty()) return std::string(text);
  return "\033[" + std::string(code) + "m" + std::string(text) + "\033[0m";
}

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string printable(std::string_view text) {
  std::string clean(text);
  for (char& c : clean)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return clean;
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  const std::string clean = printable(text);
  std::vector<std::string> lines;
  std::string line;
  std::size_t position = 0;
  while (position < clean.size()) {
    const std::size_t begin = clean.find_first_not_of(' ', position);
    if (begin == std::string::npos) break;
    std::size_t end = std::min(clean.find(' ', begin), clean.size());
    const std::size_t after = clean.find_first_not_of(' ', end);
    if (after == end + 1 && ends_in_digit(std::string_view(clean).substr(begin, end - begin))) {
      const std::size_t unit_end = std::min(clean.find(' ', after), clean.size());
      if (is_unit(std::string_view(clean).substr(after, unit_end - after))) end = unit_end;
    }
    const std::string word = clean.substr(begin, end - begin);
    if (!line.empty() && columns(line) + 1 + columns(word) > width) {
      lines.push_back(std::move(line));
      line.clear();
    }
    line += line.empty() ? word : " " + word;
    position = end;
  }
  if (!line.empty() || lines.empty()) lines.push_back(std::move(line));
  return lines;
}

void Page::blank() {
  content_ += '\n';
}

void Page::line(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  content_ += text;
  content_ += '\n';
}

void Page::ends(const std::string& left, Tone left_tone, const std::string& right) {
  const std::size_t used = columns(left) + 2 + columns(right);
  if (used <= width_) {
    line(style_.paint(left, left_tone) + std::string(width_ - used + 2, ' ') + right);
    return;
  }
  text(0, left, left_tone);
  text(0, right);
}

void Page::text(std::size_t indent, std::string_view content, Tone tone) {
  for (const std::string& piece : wrap(content, width_ - indent))
    line(std::string(indent, ' ') + style_.paint(piece, tone));
}

void Page::hanging(std::size_t indent, std::size_t hang, std::string_view content, Tone tone) {
  bool first = true;
  for (const std::string& piece : wrap(content, width_ - hang)) {
    line(std::string(first ? indent : hang, ' ') + style_.paint(piece, tone));
    first = false;
  }
}

void Page::paragraph(std::size_t indent, std::string_view label, std::string_view content, Tone tone) {
  const std::size_t hang = indent + kLabelWidth;
  bool first = true;
  for (const std::string& piece : wrap(content, width_ - hang)) {
    const std::string head =
        first ? std::string(indent, ' ') + style_.paint(label, Tone::kFaint) +
                    std::string(kLabelWidth > label.size() ? kLabelWidth - label.size() : 1, ' ')
              : std::string(hang, ' ');
    line(head + style_.paint(piece, tone));
    first = false;
  }
}

void Page::table(std::size_t indent, const std::vector<Column>& header,
                 const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  bool titled = false;
  for (const Column& column : header) {
    widths.push_back(columns(column.title));
    titled = titled || !column.title.empty();
  }
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i)
      widths[i] = std::max(widths[i], columns(row[i]));

  const auto joined = [&](const auto& cell) {
    std::string text(indent, ' ');
    for (std::size_t i = 0; i < header.size(); ++i)
      text += (i ? "  " : "") + pad(cell(i), widths[i], header[i].align);
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  };
  if (titled) {
    const std::string title = joined([&](std::size_t i) { return header[i].title; });
    line(style_.paint(title, Tone::kFaint));
  }
  for (const auto& row : rows)
    line(joined([&](std::size_t i) { return i < row.size() ? row[i] : std::string(); }));
}

}  // namespace gpuprobe::report
