#include "metrics/recorded/csv.h"

#include <algorithm>

namespace gpuprobe::recorded {
namespace {

bool is_break(char c) {
  return c == '\n' || c == '\r';
}

}  // namespace

std::optional<CsvRecord> CsvReader::next() {
  while (position_ < text_.size() && is_break(text_[position_])) {
    if (text_[position_] == '\n') ++line_;
    ++position_;
  }
  if (position_ >= text_.size()) return std::nullopt;
  CsvRecord record;
  record.line = line_;
  record.fields.push_back(field());
  while (position_ < text_.size() && text_[position_] == ',') {
    ++position_;
    record.fields.push_back(field());
  }
  return record;
}

std::string CsvReader::field() {
  if (position_ < text_.size() && text_[position_] == '"') return quoted_field();
  const std::size_t begin = position_;
  while (position_ < text_.size() && text_[position_] != ',' && !is_break(text_[position_])) ++position_;
  return std::string(text_.substr(begin, position_ - begin));
}

std::string CsvReader::quoted_field() {
  const std::size_t open = position_;
  const std::size_t limit = std::min(text_.size(), open + kLongestField);
  std::string content;
  std::size_t lines = 0;
  for (std::size_t i = open + 1; i < limit; ++i) {
    if (text_[i] != '"') {
      if (text_[i] == '\n') ++lines;
      content += text_[i];
      continue;
    }
    if (i + 1 < text_.size() && text_[i + 1] == '"') {
      content += '"';
      ++i;
      continue;
    }
    position_ = i + 1;
    line_ += lines;
    // What follows a closing quote up to the next comma belongs to the field; well-formed files have nothing
    // there.
    while (position_ < text_.size() && text_[position_] != ',' && !is_break(text_[position_]))
      content += text_[position_++];
    return content;
  }
  // Never closed: take the rest of the line as it stands.
  position_ = open;
  const std::size_t begin = position_;
  while (position_ < text_.size() && !is_break(text_[position_])) ++position_;
  return std::string(text_.substr(begin + 1, position_ - begin - 1));
}

}  // namespace gpuprobe::recorded
