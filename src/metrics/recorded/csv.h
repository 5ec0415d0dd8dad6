// Records of a CSV text with quoted fields (RFC 4180), tolerant of what programs print in between.
//
//   CsvReader reader(text);
//   while (auto record = reader.next()) record->fields[0], record->line
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuprobe::recorded {

struct CsvRecord {
  std::vector<std::string> fields;
  std::size_t line = 0;  ///< 1-based line on which it starts
};

class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_(text) {}

  /// The next record that is not an empty line; nullopt at the end. "" inside a quoted field is one quote; a
  /// quoted field may hold line breaks, but no more than kLongestField bytes: an unmatched quote does not
  /// swallow the file.
  std::optional<CsvRecord> next();

  static constexpr std::size_t kLongestField = 64 * 1024;

 private:
  std::string field();
  std::string quoted_field();

  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t line_ = 1;
};

}  // namespace gpuprobe::recorded
