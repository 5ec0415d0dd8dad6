// Walks a parsed JSON document and remembers the first thing that is not as expected, with its JSON pointer,
// so that a reader can be written as a plain list of fields and checked once at the end.
//
//   Problem problem;
//   Cursor root(document, problem);
//   int line = root.at("sites").at(0).at("line").integer();     // 0 and a problem "/sites/0/line: ..." if
//   absent if (problem) ...
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuprobe::recorded {

using Json = nlohmann::ordered_json;

/// The first problem met; later ones are consequences.
class Problem {
 public:
  void set(const std::string& pointer, const std::string& expected);
  explicit operator bool() const { return !text_.empty(); }
  /// "/runs/0/kernel: expected a text".
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

class Cursor {
 public:
  Cursor(const Json& value, Problem& problem) : value_(&value), problem_(&problem) {}

  /// A member that must be there; otherwise a problem and a cursor that answers defaults.
  Cursor at(const std::string& key) const;
  /// A member that may be absent.
  std::optional<Cursor> find(const std::string& key) const;
  bool has(const std::string& key) const { return value_ && value_->is_object() && value_->contains(key); }

  /// Any JSON number; null is NaN ("was not a finite number").
  double number() const;
  /// A whole number in the range of the type.
  std::int64_t integer64() const;
  int integer() const;
  std::uint64_t count() const;
  std::uint32_t count32() const;
  std::string text() const;
  bool boolean() const;
  bool is_text() const { return value_ && value_->is_string(); }
  bool is_null() const { return value_ && value_->is_null(); }

  /// Calls `visit` for each element of an array; a problem if it is none.
  void each(const std::function<void(const Cursor&)>& visit) const;
  /// Calls `visit` for each member of an object, in the order of the file; a problem if it is none.
  void each_member(const std::function<void(const std::string&, const Cursor&)>& visit) const;
  std::vector<std::string> texts() const;

  /// Records that the value is not what `expected` describes.
  void reject(const std::string& expected) const {
    problem_->set(pointer_.empty() ? "/" : pointer_, expected);
  }

 private:
  Cursor(const Json* value, Problem* problem, std::string pointer)
      : value_(value), problem_(problem), pointer_(std::move(pointer)) {}
  Cursor child(const Json* value, const std::string& key) const;

  const Json* value_;  ///< nullptr after a problem
  Problem* problem_;
  std::string pointer_;
};

}  // namespace gpuprobe::recorded
