#include <fmt/format.h>

#include <cmath>

#include "kernels/spec.h"

namespace gpuprobe {
namespace embedded {
extern const char stride_kernel[];
}
namespace {

using namespace spec;

std::vector<Parameter> parameters() {
  return {
      integer("stride", "1", 1, 1024, "elements from one lane's element to the next"),
      integer("n", "67108864", 1, 1 << 30, "elements of the array"),
      integer("blocks", "1056", 1, 1 << 20, "blocks of the grid"),
      integer("block", "256", 1, 1024, "threads of a block"),
  };
}

Result<Kernel> build(const ParameterValues& values) {
  const std::int64_t n = values.integer("n");
  const std::int64_t stride = values.integer("stride");
  const std::int64_t block = values.integer("block");
  const std::int64_t threads = values.integer("blocks") * block;
  const auto launch = make_launch(values.integer("blocks"), 1, block, 1);
  if (!launch) return tl::unexpected(launch.error());

  Kernel kernel = start_kernel("stride", embedded::stride_kernel, parameters(), values);
  const ElementType f32 = *element_type_from_string("f32");
  const std::int64_t results = std::min(threads, n);
  kernel.buffers = {{"in", f32, static_cast<std::uint64_t>(n), random_init()},
                    {"out", f32, static_cast<std::uint64_t>(results), {}}};
  kernel.steps = {{"strided_sum",
                   *launch,
                   {BufferRef{0}, BufferRef{1}, Scalar::u64(static_cast<std::uint64_t>(n)),
                    Scalar::i32(static_cast<std::int32_t>(stride))}}};
  const std::int64_t touched = ceil_div(n, stride);
  const std::int64_t rounds = ceil_div(touched, threads);
  ResultCheck check;
  check.buffer = 1;
  check.expected = [n, stride, threads](const HostBuffers& initial, std::uint64_t index) {
    const float* in = as<float>(initial, 0);
    double sum = 0.0;
    for (std::int64_t j = static_cast<std::int64_t>(index) * stride; j < n; j += threads * stride)
      sum = sum * static_cast<double>(1.000000119f) + in[j];
    return sum;
  };
  // All values are non-negative; a product and a sum are rounded for each.
  check.relative_bound = summation_bound(2.0 * static_cast<double>(rounds), kUnitRoundoffF32);
  check.reference =
      fmt::format("the same sum in f64, bound {:.2g} relative: two roundings of f32 for each of {} elements",
                  check.relative_bound, rounds);
  kernel.checks = {check};
  kernel.useful_bytes = 4.0 * static_cast<double>(touched + results);
  kernel.useful_flops = 2.0 * static_cast<double>(touched);
  if (stride > 1)
    kernel.cures.push_back(
        {"uncoalesced-load", fmt::format("--stride 1 -n {}", touched),
         "keep the elements that are read side by side, and let consecutive lanes read consecutive ones"});
  return kernel;
}

}  // namespace

KernelFamily stride_family() {
  KernelFamily family;
  family.name = "stride";
  family.summary = "strided reads in a grid-stride loop: the coalescing table";
  family.description =
      "Reads every S-th float of a large array. Up to S = 8 all sectors are still moved, so the useful "
      "bandwidth\n"
      "halves with each doubling; beyond that each lane has a sector of its own. Sweep it: --stride "
      "1,2,4,...,128.";
  family.source = {"stride/kernel.cu", embedded::stride_kernel};
  family.parameters = parameters();
  family.build = build;
  for (const int s : {1, 2, 4, 8, 16, 32, 64, 128})
    family.planted.push_back({fmt::format("--stride {}", s),
                              s == 1 ? "none" : "uncoalesced-load",
                              {},
                              {fmt::format("global.load.sectors_per_request == {}", std::min(4 * s, 32)),
                               "global.store.requests == 8448", "global.store.sectors_per_request == 4"}});
  return family;
}

}  // namespace gpuprobe
