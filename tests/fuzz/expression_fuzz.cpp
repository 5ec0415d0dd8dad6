// Any bytes as an arithmetic expression, an argument, a result check and an expectation.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <variant>

#include "cli/gates.h"
#include "kernels/user/argument.h"
#include "kernels/user/expression.h"
#include "kernels/user/result_check.h"

namespace {

using namespace gpuprobe;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

template <class T>
void require_explained(const T& result) {
  if (!result)
    require(!result.error().what.empty() && !result.error().hint.empty(),
            "an error says what and what to do");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const user::Variables variables{{"n", user::Number{std::int64_t{4096}}}, {"x", user::Number{0.5}}};
  require_explained(user::evaluate(text, variables));
  const auto integer = user::evaluate_integer(text, variables, "size", 1, 1000);
  require_explained(integer);
  if (integer) require(*integer >= 1 && *integer <= 1000, "the value is in its range");

  const auto argument = user::parse_argument(text, variables, "/nowhere");
  require_explained(argument);
  if (argument) {
    if (const auto* buffer = std::get_if<Buffer>(&*argument))
      require(buffer->bytes() <= static_cast<std::uint64_t>(user::kMaxBufferBytes),
              "a buffer is not too large");
    else
      require(!std::get<user::NamedScalar>(*argument).scalar.bits.empty(), "a scalar has bits");
  }
  Kernel kernel;
  kernel.buffers = {{"out", {ScalarType::kF32, 4}, 16, {}}};
  require_explained(user::add_result_check(text, "/nowhere", kernel));
  require_explained(cli::parse_expectation(text));
  return 0;
}
