#include <fmt/format.h>

#include "kernels/spec.h"

namespace gpuprobe {
namespace embedded {
extern const char rowsum_kernel[];
}
namespace {

using namespace spec;

std::vector<Parameter> parameters() {
  return {
      choice("variant", "thread-per-row", {"thread-per-row", "block-per-row", "warp-per-row"},
             "who sums a row"),
      integer("rows", "16384", 1, 1 << 24, "rows of the matrix"),
      integer("columns", "1024", 1, 1 << 24, "columns of the matrix"),
      integer("block", "256", 32, 1024, "threads of a block, a multiple of 32"),
  };
}

Result<Kernel> build(const ParameterValues& values) {
  const std::string variant = values.text("variant");
  const std::int64_t rows = values.integer("rows");
  const std::int64_t columns = values.integer("columns");
  const std::int64_t block = values.integer("block");
  if (block % 32 != 0)
    return conflict(fmt::format("--block {} is no multiple of 32.", block),
                    "Choose whole warps, 32 to 1024 threads.");
  std::int64_t rows_per_block = block;
  if (variant == "block-per-row") rows_per_block = 1;
  if (variant == "warp-per-row") rows_per_block = block / 32;
  const auto launch = make_launch(ceil_div(rows, rows_per_block), 1, block, 1);
  if (!launch) return tl::unexpected(launch.error());

  Kernel kernel = start_kernel("rowsum", embedded::rowsum_kernel, parameters(), values);
  const ElementType f32 = *element_type_from_string("f32");
  kernel.buffers = {{"matrix", f32, static_cast<std::uint64_t>(rows * columns), random_init()},
                    {"sums", f32, static_cast<std::uint64_t>(rows), {}}};
  const char* entry = "rowsum_thread_per_row";
  if (variant == "block-per-row") entry = "rowsum_block_per_row";
  if (variant == "warp-per-row") entry = "rowsum_warp_per_row";
  kernel.steps = {{entry,
                   *launch,
                   {BufferRef{0}, BufferRef{1}, Scalar::i32(static_cast<std::int32_t>(rows)),
                    Scalar::i32(static_cast<std::int32_t>(columns))}}};
  ResultCheck check;
  check.buffer = 1;
  check.expected = [columns](const HostBuffers& initial, std::uint64_t index) {
    const float* row = as<float>(initial, 0) + static_cast<std::int64_t>(index) * columns;
    double sum = 0.0;
    for (std::int64_t i = 0; i < columns; ++i) sum += row[i];
    return sum;
  };
  // In whatever order the values, all in [0, 1), are added: no partial sum passes through more additions than
  // there are values, or than the 10 steps of the two warp sums.
  const double additions = static_cast<double>(columns + 10);
  check.relative_bound = summation_bound(additions, kUnitRoundoffF32);
  check.reference = fmt::format("row sums in f64, bound {:.2g} relative: {} roundings of f32",
                                check.relative_bound, columns + 10);
  kernel.checks = {check};
  kernel.useful_bytes = 4.0 * static_cast<double>(rows * columns + rows);
  kernel.useful_flops = static_cast<double>(rows * columns);
  if (variant == "thread-per-row") {
    kernel.cures.push_back(
        {"uncoalesced-load", "--variant warp-per-row", "let the lanes of a warp read along a row"});
    kernel.cures.push_back({"grid-too-small", "--variant warp-per-row", "give each row a warp of its own"});
  }
  return kernel;
}

}  // namespace

KernelFamily rowsum_family() {
  KernelFamily family;
  family.name = "rowsum";
  family.summary = "row sums by a thread, a warp or a block for each row";
  family.description =
      "Shows how exchanging the roles of threads and loop turns 32 sectors a load into 4: the lane index "
      "must run\n"
      "along the dimension that is contiguous in memory.";
  family.source = {"rowsum/kernel.cu", embedded::rowsum_kernel};
  family.parameters = parameters();
  family.build = build;
  family.planted = {
      {"",
       "uncoalesced-load",
       {"grid-too-small"},
       {"global.load.sectors_per_request == 32", "global.load.requests == 524288",
        "global.store.sectors_per_request == 4"}},
      {"--variant block-per-row",
       "none",
       {},
       {"global.load.sectors_per_request == 4", "global.load.requests == 524288",
        "shared.load.excess_wavefronts == 0", "shared.store.excess_wavefronts == 0"}},
      {"--variant warp-per-row",
       "none",
       {},
       {"global.load.sectors_per_request == 4", "shared.load.requests == 0"}},
  };
  return family;
}

}  // namespace gpuprobe
