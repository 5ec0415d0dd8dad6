#include "kernels/spec.h"

#include <fmt/format.h>

namespace gpuprobe::spec {
namespace {

Parameter parameter(std::string name, Parameter::Kind kind, std::string default_value, std::string help) {
  Parameter result;
  result.name = std::move(name);
  result.kind = kind;
  result.default_value = std::move(default_value);
  result.help = std::move(help);
  return result;
}

}  // namespace

Parameter integer(std::string name, std::string default_value, std::int64_t minimum, std::int64_t maximum,
                  std::string help) {
  Parameter result =
      parameter(std::move(name), Parameter::Kind::kInteger, std::move(default_value), std::move(help));
  result.minimum = minimum;
  result.maximum = maximum;
  return result;
}

Parameter optional_integer(std::string name, std::int64_t minimum, std::int64_t maximum, std::string help) {
  Parameter result = parameter(std::move(name), Parameter::Kind::kOptionalInteger, "", std::move(help));
  result.minimum = minimum;
  result.maximum = maximum;
  return result;
}

Parameter number(std::string name, std::string default_value, std::string help) {
  return parameter(std::move(name), Parameter::Kind::kNumber, std::move(default_value), std::move(help));
}

Parameter choice(std::string name, std::string default_value, std::vector<std::string> choices,
                 std::string help) {
  Parameter result =
      parameter(std::move(name), Parameter::Kind::kChoice, std::move(default_value), std::move(help));
  result.choices = std::move(choices);
  return result;
}

Parameter flag(std::string name, std::string help) {
  return parameter(std::move(name), Parameter::Kind::kFlag, "", std::move(help));
}

Parameter pair(std::string name, std::string default_value, std::int64_t maximum, std::string help) {
  Parameter result =
      parameter(std::move(name), Parameter::Kind::kPair, std::move(default_value), std::move(help));
  result.minimum = 1;
  result.maximum = maximum;
  return result;
}

Kernel start_kernel(std::string_view name, const char* source, const std::vector<Parameter>& parameters,
                    const ParameterValues& values) {
  Kernel kernel;
  kernel.name = name;
  kernel.source = {fmt::format("{}/kernel.cu", name), source};
  for (const Parameter& p : parameters) {
    if (!values.given(p.name)) continue;
    if (p.kind == Parameter::Kind::kFlag && !values.flag(p.name)) continue;
    if (p.kind == Parameter::Kind::kOptionalInteger && values.integer(p.name) == 0) continue;
    kernel.options.emplace_back(p.name, p.kind == Parameter::Kind::kFlag ? "true" : values.text(p.name));
  }
  return kernel;
}

BufferInit random_init() {
  BufferInit init;
  init.kind = BufferInit::Kind::kRandom;
  return init;
}

BufferInit fill_init(double value) {
  BufferInit init;
  init.kind = BufferInit::Kind::kFill;
  init.value = value;
  return init;
}

double summation_bound(double terms, double unit_roundoff) {
  return terms * unit_roundoff / (1.0 - terms * unit_roundoff);
}

Result<Launch> make_launch(std::int64_t grid_x, std::int64_t grid_y, std::int64_t block_x,
                           std::int64_t block_y, std::int64_t dynamic_shared) {
  if (block_x * block_y > kMaxBlockThreads)
    return fail(ErrorCode::kUsage,
                fmt::format("A block of {} x {} has {} threads; {} is the limit.", block_x, block_y,
                            block_x * block_y, kMaxBlockThreads),
                "Choose a smaller block.");
  if (grid_x > kMaxGridX || grid_y > kMaxGridY)
    return fail(ErrorCode::kUsage,
                fmt::format("This size needs a grid of {} x {} blocks; the limits are {} and {}.", grid_x,
                            grid_y, kMaxGridX, kMaxGridY),
                "Choose a smaller size or larger blocks.");
  Launch launch;
  launch.grid = {static_cast<std::uint32_t>(grid_x), static_cast<std::uint32_t>(grid_y), 1};
  launch.block = {static_cast<std::uint32_t>(block_x), static_cast<std::uint32_t>(block_y), 1};
  launch.dynamic_shared = static_cast<std::uint32_t>(dynamic_shared);
  return launch;
}

tl::unexpected<Error> conflict(std::string what, std::string hint) {
  return fail(ErrorCode::kUsage, std::move(what), std::move(hint));
}

}  // namespace gpuprobe::spec
