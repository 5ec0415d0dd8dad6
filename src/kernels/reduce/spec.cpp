#include <fmt/format.h>

#include <bit>

#include "kernels/spec.h"

namespace gpuprobe {
namespace embedded {
extern const char reduce_kernel[];
}
namespace {

using namespace spec;

constexpr std::int64_t kHalvingBlock = 256;
constexpr std::int64_t kSecondKernelBlock = 1024;

/// How a variant that works in blocks does it.
struct Shape {
  const char* entry;
  std::int64_t block;
  std::int64_t elements;      ///< per thread
  std::int64_t shared;        ///< dynamic bytes
  std::int64_t default_size;  ///< as measured for tests/data/truth/kernels_h200.tsv
};

Shape shape_of(const std::string& variant) {
  if (variant == "block-global") return {"reduce_block_global", 1024, 2, 0, 1 << 25};
  if (variant == "block-shared") return {"reduce_sequential", 1024, 2, 4096, 1 << 25};
  if (variant == "interleaved") return {"reduce_interleaved", 256, 1, 1024, 1 << 24};
  if (variant == "sequential") return {"reduce_sequential", 256, 1, 1024, 1 << 24};
  if (variant == "shuffle") return {"reduce_shuffle", 256, 1, 32, 1 << 24};
  return {"reduce_halving", kHalvingBlock, 1, 0, 1 << 25};
}

std::vector<Parameter> parameters() {
  return {
      choice("variant", "block-shared",
             {"halving", "block-global", "block-shared", "interleaved", "sequential", "shuffle"},
             "where partial sums are kept, and how a block adds them"),
      integer("n", "", 1, std::int64_t{1} << 32,
              "elements; 2^25, or 2^24 for interleaved, sequential and shuffle"),
      choice("finish", "", {"atomic", "second-kernel"},
             "how the blocks' sums are added; atomic if not given"),
  };
}

ResultCheck check_of(std::size_t buffer, std::int64_t n, double additions, const char* order) {
  ResultCheck check;
  check.buffer = buffer;
  check.count = 1;
  check.needs_whole_grid = true;
  check.expected = [n](const HostBuffers& initial, std::uint64_t) {
    const float* in = as<float>(initial, 0);
    double sum = 0.0;
    for (std::int64_t i = 0; i < n; ++i) sum += in[i];
    return sum;
  };
  check.relative_bound = summation_bound(additions, kUnitRoundoffF32);
  check.reference =
      fmt::format("the sum in f64, bound {:.2g} relative: no value passes through more than {} additions{}",
                  check.relative_bound, additions, order);
  return check;
}

/// A launch for each round.
Result<Kernel> build_halving(const ParameterValues& values, std::int64_t n) {
  if (values.given("finish"))
    return conflict("--variant halving has no blocks' sums for --finish.", "Leave out --finish.");
  Kernel kernel = start_kernel("reduce", embedded::reduce_kernel, parameters(), values);
  kernel.buffers = {{"data", *element_type_from_string("f32"), static_cast<std::uint64_t>(n), random_init()}};
  double rounds = 0;
  for (std::int64_t length = n; length > 1; length = ceil_div(length, 2), ++rounds) {
    const auto launch = make_launch(ceil_div(length / 2, kHalvingBlock), 1, kHalvingBlock, 1);
    if (!launch) return tl::unexpected(launch.error());
    kernel.steps.push_back({"reduce_halving", *launch, {BufferRef{0}, Scalar::i64(length)}});
  }
  if (kernel.steps.empty())  // a single element is its own sum, and a run has at least one launch
    kernel.steps.push_back(
        {"reduce_halving", *make_launch(1, 1, kHalvingBlock, 1), {BufferRef{0}, Scalar::i64(n)}});
  kernel.checks = {check_of(0, n, rounds + 1, "")};
  kernel.cures.push_back(
      {"grid-too-small", "--variant block-shared", "one launch in place of one for each round"});
  return kernel;
}

Result<Kernel> build_blocks(const ParameterValues& values, const Shape& shape, std::int64_t n) {
  const bool atomic = values.text("finish") != "second-kernel";
  const std::int64_t blocks = ceil_div(n, shape.block * shape.elements);
  const auto launch = make_launch(blocks, 1, shape.block, 1, shape.shared);
  if (!launch) return tl::unexpected(launch.error());
  Kernel kernel = start_kernel("reduce", embedded::reduce_kernel, parameters(), values);
  kernel.defines = {{"GPUPROBE_BLOCK", std::to_string(shape.block)},
                    {"GPUPROBE_ELEMENTS", std::to_string(shape.elements)},
                    {"GPUPROBE_ATOMIC", atomic ? "1" : "0"}};
  const ElementType f32 = *element_type_from_string("f32");
  kernel.buffers = {{"data", f32, static_cast<std::uint64_t>(n), random_init()},
                    {"partial", f32, static_cast<std::uint64_t>(atomic ? 1 : blocks), {}},
                    {"result", f32, 1, {}}};
  kernel.steps = {{shape.entry, *launch, {BufferRef{0}, Scalar::i64(n), BufferRef{1}, BufferRef{2}}}};
  if (!atomic)
    kernel.steps.push_back({"reduce_partials",
                            *make_launch(1, 1, kSecondKernelBlock, 1),
                            {BufferRef{1}, Scalar::i32(static_cast<std::int32_t>(blocks)), BufferRef{2}}});
  // Through a thread's elements, the block's tree, and then every other block (atomics add in any order) or
  // the second kernel's loop and its two warp sums.
  const double tree = static_cast<double>(std::bit_width(static_cast<std::uint64_t>(shape.block)));
  const double rest = static_cast<double>(atomic ? blocks : ceil_div(blocks, kSecondKernelBlock) + 10);
  kernel.checks = {check_of(2, n, static_cast<double>(shape.elements) + tree + rest,
                            atomic ? " in whatever order the atomics come" : "")};
  if (std::string_view(shape.entry) == "reduce_interleaved")
    for (const char* kind : {"bank-conflict-load", "bank-conflict-store"})
      kernel.cures.push_back({kind, "--variant sequential", "let the active threads read consecutive words"});
  return kernel;
}

Result<Kernel> build(const ParameterValues& values) {
  const std::string variant = values.text("variant");
  const Shape shape = shape_of(variant);
  const std::int64_t n = values.given("n") ? values.integer("n") : shape.default_size;
  auto kernel = variant == "halving" ? build_halving(values, n) : build_blocks(values, shape, n);
  if (!kernel) return kernel;
  kernel->useful_bytes = 4.0 * static_cast<double>(n);
  kernel->useful_flops = static_cast<double>(n - 1);
  return kernel;
}

}  // namespace

KernelFamily reduce_family() {
  KernelFamily family;
  family.name = "reduce";
  family.summary = "sum of an array: a launch, a barrier or a shuffle for each round";
  family.description =
      "Shows what it costs to wait for the whole grid (halving: 25 launches for 2^25 elements), to keep "
      "partial sums\n"
      "in global memory, and how the order in a shared tree makes or avoids bank conflicts.";
  family.source = {"reduce/kernel.cu", embedded::reduce_kernel};
  family.parameters = parameters();
  family.build = build;
  const std::string clean = "shared.load.excess_wavefronts == 0";
  family.planted = {
      {"--variant halving", "none", {}, {"global.load.efficiency > 99"}},
      {"--variant block-global",
       "none",
       {},
       {"global.load.requests == 1638400", "global.load.sectors == 6324224",
        "global.store.requests == 1114112", "global.store.sectors == 4227072"}},
      {"", "none", {}, {"global.load.requests == 1048576", "global.load.sectors == 4194304", clean}},
      {"--finish second-kernel", "none", {}, {clean}},
      {"--variant interleaved",
       "bank-conflict-load",
       {"bank-conflict-store"},
       {"global.load.requests == 524288", "shared.store.wavefronts == 3604480"}},
      {"--variant sequential", "none", {}, {"global.load.requests == 524288", clean}},
      {"--variant shuffle", "none", {}, {"global.load.requests == 524288", clean}},
  };
  return family;
}

}  // namespace gpuprobe
