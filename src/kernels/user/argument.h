// One kernel argument as a user writes it:
//
//   "n:i32 = n"                           a scalar of every CUDA type, from an expression
//   "in:f32[n*n] = random"                a device buffer of n*n elements, and what it starts with
//   "body:b24[n] = random", "x:f32[n] = file(\"x.bin\")", "y:i32[n] = fill(7)"
//
// Starting contents: zeros (the default), ones, iota, shuffle, random, random(lo,hi), fill(v), mod(k),
// file("path").
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "core/kernel.h"
#include "core/result.h"
#include "kernels/user/expression.h"

namespace gpuprobe::user {

/// The largest buffer a launch description may ask for (bytes): a typing error must not exhaust the machine.
inline constexpr std::int64_t kMaxBufferBytes = std::int64_t{64} << 30;

struct NamedScalar {
  std::string name;
  Scalar scalar;
};
using ParsedArgument = std::variant<NamedScalar, Buffer>;

/// Parses one argument. Relative file() paths are taken from `base_directory`.
/// Errors (kUsage) quote the argument and say what is wrong with which part.
Result<ParsedArgument> parse_argument(std::string_view text, const Variables& variables,
                                      std::string_view base_directory);

}  // namespace gpuprobe::user
