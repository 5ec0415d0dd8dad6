// A page of text: lines of limited width, paragraphs with a hanging label, tables with aligned columns, and
// colour that never changes the layout.
//
//   Page page(80, Style(color));
//   page.paragraph(4, "cure", "pad each tile row by one element");
//   page.table(2, {{"", Align::kLeft}, {"requests", Align::kRight}}, {{"global loads", "524,288"}});
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpuprobe::report {

enum class Tone { kPlain, kStrong, kBad, kWarn, kGood, kFaint };

/// Wraps text in terminal colours, or leaves it alone.
class Style {
 public:
  explicit Style(bool color) : color_(color) {}
  std::string paint(std::string_view text, Tone tone) const;
  bool colored() const { return color_; }

 private:
  bool color_;
};

enum class Align { kLeft, kRight };

struct Column {
  std::string title;
  Align align = Align::kLeft;
};

/// Splits at spaces so that no line exceeds `width` columns (a longer word stands alone). Control characters
/// become spaces, so a name from a file cannot disturb the terminal. Never returns an empty vector.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// Replaces control characters by spaces.
std::string printable(std::string_view text);

/// Columns that `text` takes on the screen (UTF-8 code points; no double-width characters).
std::size_t columns(std::string_view text);

class Page {
 public:
  Page(int width, Style style) : width_(width < 40 ? 40 : static_cast<std::size_t>(width)), style_(style) {}

  std::size_t width() const { return width_; }
  const Style& style() const { return style_; }

  void blank();
  /// One line as it is (already laid out), without trailing spaces.
  void line(std::string text);
  /// `left` and, right-aligned at the width or on its own line if both do not fit, `right`.
  void ends(const std::string& left, Tone left_tone, const std::string& right);
  /// Text wrapped at the width, indented.
  void text(std::size_t indent, std::string_view content, Tone tone = Tone::kPlain);
  /// Text whose first line is indented by `indent`, the others by `hang`.
  void hanging(std::size_t indent, std::size_t hang, std::string_view content, Tone tone = Tone::kPlain);
  /// A label in a column of kLabelWidth, and text that hangs beside it.
  void paragraph(std::size_t indent, std::string_view label, std::string_view content,
                 Tone tone = Tone::kPlain);
  /// Columns as wide as their widest cell, two spaces apart; an empty title row is left out.
  void table(std::size_t indent, const std::vector<Column>& header,
             const std::vector<std::vector<std::string>>& rows);

  /// Finished lines of another page.
  void append(std::string_view finished) { content_ += finished; }
  std::string take() { return std::move(content_); }

  static constexpr std::size_t kLabelWidth = 10;  ///< the longest label and two spaces

 private:
  std::size_t width_;
  Style style_;
  std::string content_;
};

}  // namespace gpuprobe::report
