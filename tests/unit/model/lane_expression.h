// Evaluates the address formulas of tests/data/truth/access_h200.tsv: C integer expressions in i (lane) and w
// (width), with an optional suffix that names the active lanes.
//
//   LanePattern p = pattern_from_formula("w*(i/2)+(i&1)*1024", 8);
//   LanePattern q = pattern_from_formula("w*i, even lanes only", 4);
#pragma once

#include <cctype>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/site.h"

namespace gpuprobe::testing {

class LaneExpression {
 public:
  LaneExpression(std::string_view text, long lane, long width) : text_(text), lane_(lane), width_(width) {}

  long evaluate() {
    const long value = bit_xor();
    if (at_ != text_.size()) throw std::runtime_error("left over: " + std::string(text_.substr(at_)));
    return value;
  }

 private:
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  long bit_xor() {
    long value = bit_and();
    while (take('^')) value ^= bit_and();
    return value;
  }
  long bit_and() {
    long value = sum();
    while (take('&')) value &= sum();
    return value;
  }
  long sum() {
    long value = product();
    for (;;) {
      if (take('+')) {
        value += product();
      } else if (take('-')) {
        value -= product();
      } else {
        return value;
      }
    }
  }
  long product() {
    long value = unary();
    for (;;) {
      if (take('*')) {
        value *= unary();
      } else if (take('/')) {
        value /= unary();
      } else if (take('%')) {
        value %= unary();
      } else {
        return value;
      }
    }
  }
  long unary() {
    if (take('~')) return ~unary();
    if (take('(')) {
      const long value = bit_xor();
      if (!take(')')) throw std::runtime_error("missing )");
      return value;
    }
    if (take('i')) return lane_;
    if (take('w')) return width_;
    std::string digits;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) digits += text_[at_++];
    if (digits.empty()) throw std::runtime_error("bad formula: " + std::string(text_));
    return std::stol(digits);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  long lane_;
  long width_;
};

inline LanePattern pattern_from_formula(std::string_view formula, std::uint32_t width,
                                        std::uint64_t base = 0x10000) {
  LanePattern pattern;
  pattern.width = width;
  pattern.active = ~0u;
  if (const auto comma = formula.find(", "); comma != std::string_view::npos) {
    const std::string_view lanes = formula.substr(comma + 2);
    if (lanes == "lanes 0..15 only") {
      pattern.active = 0xFFFF;
    } else if (lanes == "even lanes only") {
      pattern.active = 0x55555555;
    } else {
      throw std::runtime_error("unknown lanes: " + std::string(lanes));
    }
    formula = formula.substr(0, comma);
  }
  for (int lane = 0; lane < 32; ++lane)
    pattern.address[lane] = base + LaneExpression(formula, lane, width).evaluate();
  return pattern;
}

}  // namespace gpuprobe::testing
