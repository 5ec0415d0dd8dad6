#include <fmt/format.h>

#include "kernels/spec.h"

namespace gpuprobe {
namespace embedded {
extern const char invert_kernel[];
}
namespace {

using namespace spec;

std::vector<Parameter> parameters() {
  return {
      integer("width", "8192", 1, 1 << 20, "pixels of a row"),
      integer("height", "8192", 1, 1 << 20, "rows of the image"),
      pair("block", "16,16", 1024, "thread block"),
  };
}

Result<Kernel> build(const ParameterValues& values) {
  const std::int64_t width = values.integer("width");
  const std::int64_t height = values.integer("height");
  const auto [x, y] = values.pair("block");
  const auto launch = make_launch(ceil_div(width, x), ceil_div(height, y), x, y);
  if (!launch) return tl::unexpected(launch.error());

  Kernel kernel = start_kernel("invert", embedded::invert_kernel, parameters(), values);
  kernel.buffers = {
      {"image", *element_type_from_string("u8"), static_cast<std::uint64_t>(width * height), random_init()}};
  kernel.steps = {{"invert",
                   *launch,
                   {BufferRef{0}, Scalar::i32(static_cast<std::int32_t>(width)),
                    Scalar::i32(static_cast<std::int32_t>(height))}}};
  ResultCheck check;
  check.buffer = 0;
  check.expected = [](const HostBuffers& initial, std::uint64_t index) {
    return 255.0 - initial.element(0, index);
  };
  check.reference = "255 minus the pixel before";
  kernel.checks = {check};
  kernel.useful_bytes = 2.0 * static_cast<double>(width * height);
  // Blocks of the same number of threads, a warp wide.
  const std::int64_t threads = x * y;
  if (x < 32 && threads % 32 == 0)
    kernel.cures.push_back(
        {"narrow-block", fmt::format("--block 32,{}", threads / 32), "make the block at least a warp wide"});
  return kernel;
}

}  // namespace

KernelFamily invert_family() {
  KernelFamily family;
  family.name = "invert";
  family.summary = "invert an image: what a block narrower than a warp does";
  family.description =
      "The usual two-dimensional kernel with its usual 16 x 16 block: each warp covers two half-rows, so it "
      "touches\n"
      "two sectors of 32 bytes where --block 32,8 touches one.";
  family.source = {"invert/kernel.cu", embedded::invert_kernel};
  family.parameters = parameters();
  family.build = build;
  const auto sectors = [](int number) {
    return std::vector<std::string>{fmt::format("global.load.sectors_per_request == {}", number),
                                    fmt::format("global.store.sectors_per_request == {}", number)};
  };
  family.planted = {
      {"", "none", {"narrow-block"}, sectors(2)},
      {"--block 32,8", "none", {}, sectors(1)},
      {"--block 8,32", "none", {"narrow-block"}, sectors(4)},
  };
  return family;
}

}  // namespace gpuprobe
