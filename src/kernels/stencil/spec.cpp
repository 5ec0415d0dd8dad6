#include <fmt/format.h>

#include "kernels/spec.h"

namespace gpuprobe {
namespace embedded {
extern const char stencil_kernel[];
}
namespace {

using namespace spec;

std::vector<Parameter> parameters() {
  return {
      integer("width", "4096", 1, 1 << 20, "columns of the image"),
      integer("height", "4096", 1, 1 << 20, "rows of the image"),
      choice("tile", "32", {"32", "64"}, "edge of the tile of results"),
      integer("halo", "1", 1, 8, "neighbours in each direction"),
  };
}

Result<Kernel> build(const ParameterValues& values) {
  const std::int64_t width = values.integer("width");
  const std::int64_t height = values.integer("height");
  const std::int64_t tile = values.text("tile") == "64" ? 64 : 32;
  const std::int64_t halo = values.integer("halo");
  const auto launch = make_launch(ceil_div(width, tile), ceil_div(height, tile), 32, 8);
  if (!launch) return tl::unexpected(launch.error());
  Kernel kernel = start_kernel("stencil", embedded::stencil_kernel, parameters(), values);
  kernel.defines = {{"GPUPROBE_TILE", std::to_string(tile)}, {"GPUPROBE_HALO", std::to_string(halo)}};
  const ElementType f32 = *element_type_from_string("f32");
  const auto count = static_cast<std::uint64_t>(width * height);
  kernel.buffers = {{"in", f32, count, random_init()}, {"out", f32, count, {}}};
  kernel.steps = {{"stencil",
                   *launch,
                   {BufferRef{0}, BufferRef{1}, Scalar::i32(static_cast<std::int32_t>(width)),
                    Scalar::i32(static_cast<std::int32_t>(height))}}};
  ResultCheck check;
  check.buffer = 1;
  check.expected = [width, height, halo](const HostBuffers& initial, std::uint64_t index) {
    const float* in = as<float>(initial, 0);
    const auto x = static_cast<std::int64_t>(index) % width;
    const auto y = static_cast<std::int64_t>(index) / width;
    const auto at = [&](std::int64_t column, std::int64_t row) {
      const bool inside = column >= 0 && column < width && row >= 0 && row < height;
      return inside ? static_cast<double>(in[row * width + column]) : 0.0;
    };
    double sum = at(x, y);
    for (std::int64_t d = 1; d <= halo; ++d) sum += at(x - d, y) + at(x + d, y) + at(x, y - d) + at(x, y + d);
    return sum / static_cast<double>(4 * halo + 1);
  };
  // Non-negative values: 4 halo additions, the factor itself and the product with it.
  check.relative_bound = summation_bound(static_cast<double>(4 * halo + 2), kUnitRoundoffF32);
  check.reference = fmt::format("the mean in f64, bound {:.2g} relative: {} roundings of f32",
                                check.relative_bound, 4 * halo + 2);
  kernel.checks = {check};
  kernel.useful_bytes = 8.0 * static_cast<double>(count);
  kernel.useful_flops = static_cast<double>(4 * halo + 1) * static_cast<double>(count);
  return kernel;
}

}  // namespace

KernelFamily stencil_family() {
  KernelFamily family;
  family.name = "stencil";
  family.summary = "star stencil with a halo, staged in shared memory";
  family.description =
      "A healthy use of shared memory: the halo is widened to whole sectors, rows are read along the banks, "
      "and each\n"
      "value is used several times.";
  family.source = {"stencil/kernel.cu", embedded::stencil_kernel};
  family.parameters = parameters();
  family.build = build;
  const std::vector<std::string> clean{"global.store.sectors_per_request == 4",
                                       "global.load.efficiency == 100", "shared.load.excess_wavefronts == 0",
                                       "shared.store.excess_wavefronts == 0"};
  family.planted = {
      {"", "none", {}, clean}, {"--halo 4", "none", {}, clean}, {"--tile 64", "none", {}, clean}};
  return family;
}

}  // namespace gpuprobe
