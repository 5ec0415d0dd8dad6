#include <fmt/format.h>

#include <cmath>

#include "core/half.h"
#include "kernels/spec.h"

namespace gpuprobe {
namespace embedded {
extern const char saxpy_kernel[];
}
namespace {

using namespace spec;

std::vector<Parameter> parameters() {
  return {
      integer("n", "16777216", 1, 1 << 30, "elements"),
      number("alpha", "2.5", "factor of x"),
      choice("type", "f32", {"f16", "f32", "f64"}, "element type"),
      choice("vector", "1", {"1", "2", "4"}, "neighbouring elements a thread moves in one access"),
      integer("block", "256", 1, 1024, "threads of a block"),
  };
}

double unit_roundoff(const ElementType& type) {
  if (type.bytes == 2) return kUnitRoundoffF16;
  return type.bytes == 8 ? kUnitRoundoffF64 : kUnitRoundoffF32;
}

Result<Kernel> build(const ParameterValues& values) {
  const std::int64_t n = values.integer("n");
  const std::int64_t block = values.integer("block");
  const ElementType type = *element_type_from_string(values.text("type"));
  const std::int64_t vector = values.text("vector").front() - '0';
  const bool wide = type.bytes == 8;
  if (vector * type.bytes > 16)
    return conflict(fmt::format("--vector {} of {} is more than the 16 bytes that one access moves.", vector,
                                to_string(type)),
                    "Choose --vector 2 for f64.");
  // The factor as the kernel gets it.
  const double alpha =
      wide ? values.number("alpha") : static_cast<double>(static_cast<float>(values.number("alpha")));
  if (!std::isfinite(alpha))
    return conflict(fmt::format("--alpha {} is infinite as f32.", values.text("alpha")),
                    "Choose a smaller factor.");
  // Threads for all packs, and for the elements that do not fill one.
  const auto launch =
      make_launch(ceil_div(std::max<std::int64_t>(n / vector, n % vector), block), 1, block, 1);
  if (!launch) return tl::unexpected(launch.error());

  Kernel kernel = start_kernel("saxpy", embedded::saxpy_kernel, parameters(), values);
  kernel.defines = {{"GPUPROBE_VECTOR", std::to_string(vector)},
                    {"GPUPROBE_TYPE_BITS", std::to_string(8 * type.bytes)}};
  const auto count = static_cast<std::uint64_t>(n);
  kernel.buffers = {{"x", type, count, random_init()}, {"y", type, count, random_init()}};
  kernel.steps = {
      {vector == 1 ? "saxpy" : "saxpy_packed",
       *launch,
       {Scalar::i32(static_cast<std::int32_t>(n)),
        wide ? Scalar::f64(alpha) : Scalar::f32(static_cast<float>(alpha)), BufferRef{0}, BufferRef{1}}}};
  ResultCheck check;
  check.buffer = 1;
  check.expected = [alpha, half = type.bytes == 2](const HostBuffers& initial, std::uint64_t index) {
    const double result = alpha * initial.element(0, index) + initial.element(1, index);
    return half ? static_cast<double>(float_from_half(half_from_double(result))) : result;
  };
  // x and y are in [0, 1): the product and the sum are rounded once each, in f32 even for f16, which is
  // rounded again.
  const double calculation = type.bytes == 2 ? kUnitRoundoffF32 : unit_roundoff(type);
  check.absolute_bound = 2 * calculation * (std::abs(alpha) + 1);
  if (type.bytes == 2) check.absolute_bound += 2 * kUnitRoundoffF16 * (std::abs(alpha) + 1);
  check.reference = fmt::format("alpha x + y in f64, bound {:.2g}: one rounding each of product and sum",
                                check.absolute_bound);
  kernel.checks = {check};
  kernel.useful_bytes = 3.0 * static_cast<double>(n) * type.bytes;
  kernel.useful_flops = 2.0 * static_cast<double>(n);
  if (block % 32 != 0)
    kernel.cures.push_back({"partial-warps", "--block 256", "make the block a multiple of 32 threads"});
  return kernel;
}

}  // namespace

KernelFamily saxpy_family() {
  KernelFamily family;
  family.name = "saxpy";
  family.summary = "y = alpha x + y: coalesced and bound by memory";
  family.description =
      "The healthy kernel: nothing is wrong with its accesses, and DRAM bounds it. --vector 2 and 4 move "
      "several\n"
      "elements a lane: more sectors a request, but as many as the width needs.";
  family.source = {"saxpy/kernel.cu", embedded::saxpy_kernel};
  family.parameters = parameters();
  family.build = build;
  const auto sectors = [](int number) {
    return std::vector<std::string>{fmt::format("global.load.sectors_per_request == {}", number),
                                    fmt::format("global.store.sectors_per_request == {}", number),
                                    "global.load.efficiency == 100", "global.store.efficiency == 100"};
  };
  family.planted = {
      {"", "none", {}, sectors(4)},
      {"--vector 2", "none", {}, sectors(8)},
      {"--vector 4", "none", {}, sectors(16)},
      {"--type f64", "none", {}, sectors(8)},
      {"--type f64 --vector 2", "none", {}, sectors(16)},
      {"--type f16", "none", {}, sectors(2)},
      {"--type f16 --vector 4", "none", {}, sectors(8)},
  };
  return family;
}

}  // namespace gpuprobe
