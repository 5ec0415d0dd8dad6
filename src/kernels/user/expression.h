// Arithmetic over named variables, for launch facts: "ceildiv(n, tile)", "(tile + pad) * tile * 4".
//
//   Variables vars{{"n", Number{std::int64_t{4096}}}};
//   Result<Number> blocks = evaluate("ceildiv(n, 32)", vars);   // 128
//
// Grammar: numbers (decimal, 0x, 1.5, 1e-3), variables, + - * / %, unary -, parentheses, ceildiv(a,b),
// min(a,...), max(a,...). Integers stay integers (64 bits, overflow is an error, / truncates) until a float
// appears.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "core/result.h"

namespace gpuprobe::user {

using Number = std::variant<std::int64_t, double>;
using Variables = std::map<std::string, Number, std::less<>>;

/// The value of `text`. Errors (kUsage) quote the expression and point at the offending character.
Result<Number> evaluate(std::string_view text, const Variables& variables);
/// evaluate(), and the result must be an integer in [minimum, maximum]; `what` names it in the message.
Result<std::int64_t> evaluate_integer(std::string_view text, const Variables& variables,
                                      std::string_view what, std::int64_t minimum, std::int64_t maximum);

/// Letters, digits and _, not beginning with a digit.
bool is_identifier(std::string_view text);
double as_double(const Number& number);
/// "32", "0.5".
std::string to_string(const Number& number);

}  // namespace gpuprobe::user
