#include "metrics/recorded/cursor.h"

#include <cmath>
#include <limits>

namespace gpuprobe::recorded {
namespace {

/// RFC 6901: "~" and "/" inside a key are escaped.
std::string escaped(const std::string& key) {
  std::string out;
  for (char c : key) {
    if (c == '~')
      out += "~0";
    else if (c == '/')
      out += "~1";
    else
      out += c;
  }
  return out;
}

}  // namespace

void Problem::set(const std::string& pointer, const std::string& expected) {
  if (text_.empty()) text_ = pointer + ": " + expected;
}

Cursor Cursor::child(const Json* value, const std::string& key) const {
  return {value, problem_, pointer_ + "/" + escaped(key)};
}

Cursor Cursor::at(const std::string& key) const {
  if (value_ && !value_->is_object()) reject("expected an object");
  if (value_ && value_->is_object()) {
    const auto it = value_->find(key);
    if (it != value_->end()) return child(&*it, key);
    child(nullptr, key).reject("is missing");
  }
  return child(nullptr, key);
}

std::optional<Cursor> Cursor::find(const std::string& key) const {
  if (value_ && !value_->is_object()) reject("expected an object");
  if (!has(key)) return std::nullopt;
  return child(&*value_->find(key), key);
}

double Cursor::number() const {
  if (!value_) return 0;
  if (value_->is_null()) return std::numeric_limits<double>::quiet_NaN();
  if (!value_->is_number()) {
    reject("expected a number");
    return 0;
  }
  return value_->get<double>();
}

std::int64_t Cursor::integer64() const {
  if (!value_) return 0;
  const bool too_large =
      value_->is_number_unsigned() && value_->get<std::uint64_t>() > std::uint64_t(INT64_MAX);
  if (!value_->is_number_integer() || too_large) {
    reject("expected a whole number");
    return 0;
  }
  return value_->get<std::int64_t>();
}

int Cursor::integer() const {
  const std::int64_t value = integer64();
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) {
    reject("expected a whole number of at most 32 bits");
    return 0;
  }
  return static_cast<int>(value);
}

std::uint64_t Cursor::count() const {
  if (!value_) return 0;
  if (!value_->is_number_integer() || (!value_->is_number_unsigned() && value_->get<std::int64_t>() < 0)) {
    reject("expected a whole number that is not negative");
    return 0;
  }
  return value_->get<std::uint64_t>();
}

std::uint32_t Cursor::count32() const {
  const std::uint64_t value = count();
  if (value > std::numeric_limits<std::uint32_t>::max()) {
    reject("expected a whole number of at most 32 bits");
    return 0;
  }
  return static_cast<std::uint32_t>(value);
}

std::string Cursor::text() const {
  if (!value_) return {};
  if (!value_->is_string()) {
    reject("expected a text");
    return {};
  }
  return value_->get<std::string>();
}

bool Cursor::boolean() const {
  if (!value_) return false;
  if (!value_->is_boolean()) {
    reject("expected true or false");
    return false;
  }
  return value_->get<bool>();
}

void Cursor::each(const std::function<void(const Cursor&)>& visit) const {
  if (!value_) return;
  if (!value_->is_array()) {
    reject("expected an array");
    return;
  }
  for (std::size_t i = 0; i < value_->size() && !*problem_; ++i)
    visit(child(&(*value_)[i], std::to_string(i)));
}

void Cursor::each_member(const std::function<void(const std::string&, const Cursor&)>& visit) const {
  if (!value_) return;
  if (!value_->is_object()) {
    reject("expected an object");
    return;
  }
  for (auto it = value_->begin(); it != value_->end() && !*problem_; ++it)
    visit(it.key(), child(&*it, it.key()));
}

std::vector<std::string> Cursor::texts() const {
  std::vector<std::string> out;
  each([&](const Cursor& item) { out.push_back(item.text()); });
  return out;
}

}  // namespace gpuprobe::recorded
