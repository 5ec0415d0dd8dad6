#include <fmt/format.h>

#include "kernels/spec.h"

namespace gpuprobe {
namespace embedded {
extern const char matmul_kernel[];
}
namespace {

using namespace spec;

constexpr std::int64_t kMostElements = 2147483647;  ///< of one matrix: the kernel's indices are 32-bit

std::vector<Parameter> parameters() {
  return {
      choice("variant", "", {"naive", "tiled", "cublas"},
             "without or with shared memory (tiled if a tile option is given), or the cublasSgemm of cuBLAS"),
      integer("n", "1024", 1, 1 << 24, "columns of B and C, and the other sizes unless given"),
      integer("m", "", 1, 1 << 24, "rows of A and C"),
      integer("k", "", 1, 1 << 24, "columns of A, rows of B"),
      pair("block", "", 1024, "thread block of the naive variant, 32,32 if not given"),
      choice("order", "", {"natural", "swapped"}, "naive: lanes along a row of C (natural) or down a column"),
      integer("tile", "", 1, 32, "tile and block edge of the tiled variant, 32 if not given"),
      flag("dynamic", "tiles in dynamic instead of static shared memory"),
      flag("stage-transposed", "store the B tile transposed"),
      optional_integer("pad", 0, 32, "unused elements at the end of each row of the B tile"),
      choice("barriers", "", {"both", "load-only"},
             "load-only leaves out the barrier after the inner loop: a race"),
      flag("tf32", "cublas: let it round to TF32 and use tensor cores"),
  };
}

struct Sizes {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
};

Result<Sizes> sizes(const ParameterValues& values) {
  Sizes s;
  s.n = values.integer("n");
  s.m = values.given("m") ? values.integer("m") : s.n;
  s.k = values.given("k") ? values.integer("k") : s.n;
  if (s.m * s.k > kMostElements || s.k * s.n > kMostElements || s.m * s.n > kMostElements)
    return fail(ErrorCode::kUsage,
                fmt::format("-m {}, -n {}, -k {} make a matrix of more than {} elements.", s.m, s.n, s.k,
                            kMostElements),
                "Choose smaller sizes.");
  return s;
}

bool wants_tiles(const ParameterValues& values) {
  return values.given("tile") || values.flag("dynamic") || values.flag("stage-transposed") ||
         values.integer("pad") > 0 || values.given("barriers");
}

/// A, B and C, the reference and its bound.
void add_data(Kernel& kernel, const Sizes& s) {
  const ElementType f32 = *element_type_from_string("f32");
  const auto count = [](std::int64_t rows, std::int64_t columns) {
    return static_cast<std::uint64_t>(rows * columns);
  };
  kernel.buffers = {{"a", f32, count(s.m, s.k), random_init()},
                    {"b", f32, count(s.k, s.n), random_init()},
                    {"c", f32, count(s.m, s.n), {}}};
  ResultCheck check;
  check.buffer = 2;
  check.expected = [n = s.n, k = s.k](const HostBuffers& initial, std::uint64_t index) {
    const auto row = static_cast<std::int64_t>(index) / n;
    const auto column = static_cast<std::int64_t>(index) % n;
    const float* a = as<float>(initial, 0) + row * k;
    const float* b = as<float>(initial, 1) + column;
    double sum = 0.0;
    for (std::int64_t i = 0; i < k; ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i * n]);
    return sum;
  };
  // All inputs are in [0, 1), so the sum of |a b| is the element itself: k products, each added once.
  check.relative_bound = summation_bound(static_cast<double>(s.k) + 1, kUnitRoundoffF32);
  check.reference = fmt::format("dot products in f64, bound {:.2g} relative: {} roundings of f32",
                                check.relative_bound, s.k + 1);
  kernel.checks = {check};
  kernel.useful_bytes = 4.0 * static_cast<double>(s.m * s.k + s.k * s.n + s.m * s.n);
  kernel.useful_flops = 2.0 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
}

/// A, B, C and the sizes m, n, k.
std::vector<Argument> operands(const Sizes& s) {
  const auto size = [](std::int64_t value) { return Scalar::i32(static_cast<std::int32_t>(value)); };
  return {BufferRef{0}, BufferRef{1}, BufferRef{2}, size(s.m), size(s.n), size(s.k)};
}

void add_step(Kernel& kernel, const char* entry, const Launch& launch, const Sizes& s) {
  kernel.steps = {{entry, launch, operands(s)}};
}

Result<Kernel> build_naive(const ParameterValues& values, const Sizes& s) {
  if (wants_tiles(values))
    return conflict(
        "--variant naive has no tile for --tile, --dynamic, --stage-transposed, --pad or --barriers.",
        "Leave these out, or choose --variant tiled.");
  Kernel kernel = start_kernel("matmul", embedded::matmul_kernel, parameters(), values);
  const bool swapped = values.text("order") == "swapped";
  const auto [x, y] =
      values.given("block") ? values.pair("block") : std::pair<std::int64_t, std::int64_t>{32, 32};
  const auto launch = swapped ? make_launch(ceil_div(s.m, x), ceil_div(s.n, y), x, y)
                              : make_launch(ceil_div(s.n, x), ceil_div(s.m, y), x, y);
  if (!launch) return tl::unexpected(launch.error());
  kernel.defines = {{"GPUPROBE_SWAPPED", swapped ? "1" : "0"}};
  add_data(kernel, s);
  add_step(kernel, "matmul_naive", *launch, s);
  if (swapped) {
    kernel.cures.push_back(
        {"uncoalesced-load", "--order natural", "let consecutive lanes take consecutive columns"});
    kernel.cures.push_back(
        {"uncoalesced-store", "--order natural", "let consecutive lanes take consecutive columns"});
  }
  return kernel;
}

Result<Kernel> build_tiled(const ParameterValues& values, const Sizes& s) {
  if (values.given("order") || values.given("block"))
    return conflict("--order and --block belong to the naive variant, but a tiled one is asked for.",
                    "Leave out --order and --block, or the tile options (--tile sets the block as well).");
  Kernel kernel = start_kernel("matmul", embedded::matmul_kernel, parameters(), values);
  const std::int64_t tile = values.given("tile") ? values.integer("tile") : 32;
  const std::int64_t pad = values.integer("pad");
  const bool dynamic = values.flag("dynamic");
  const bool transposed = values.flag("stage-transposed");
  const bool load_only = values.text("barriers") == "load-only";
  const std::int64_t shared = 4 * tile * (tile + tile + pad);  // both tiles, f32
  const auto launch = make_launch(ceil_div(s.n, tile), ceil_div(s.m, tile), tile, tile, dynamic ? shared : 0);
  if (!launch) return tl::unexpected(launch.error());
  kernel.defines = {{"GPUPROBE_TILE", std::to_string(tile)},
                    {"GPUPROBE_PAD", std::to_string(pad)},
                    {"GPUPROBE_STAGE_TRANSPOSED", transposed ? "1" : "0"},
                    {"GPUPROBE_SECOND_BARRIER", load_only ? "0" : "1"}};
  add_data(kernel, s);
  add_step(kernel, dynamic ? "matmul_tiled_dynamic" : "matmul_tiled", *launch, s);
  if (transposed && pad == 0) {
    kernel.cures.push_back({"bank-conflict-load", "--pad", "pad each row of the B tile by one element"});
    kernel.cures.push_back({"bank-conflict-store", "--pad", "pad each row of the B tile by one element"});
  }
  if (load_only)
    kernel.cures.push_back({"shared-race", "--barriers both", "add the barrier after the inner loop"});
  return kernel;
}

/// With TF32 each input keeps 10 bits after the point, cut off at worst; the sums are of f32, each perhaps
/// cut off instead of rounded (PTX ISA, "mma" with .tf32: the precision of the sum is not specified further).
void allow_tf32(ResultCheck& check, std::int64_t k) {
  constexpr double kInput = 0x1p-10;
  check.relative_bound =
      (1 + kInput) * (1 + kInput) - 1 + summation_bound(2 * (static_cast<double>(k) + 1), kUnitRoundoffF32);
  check.reference = fmt::format(
      "dot products in f64, bound {:.2g} relative: inputs of 10 fraction bits, {} "
      "sums of f32",
      check.relative_bound, k + 1);
}

Result<Kernel> build_cublas(const ParameterValues& values, const Sizes& s) {
  if (wants_tiles(values) || values.given("order") || values.given("block"))
    return conflict(
        "--variant cublas is a library's own choice of kernels: it takes no --tile, --dynamic, "
        "--stage-transposed, --pad, --barriers, --order or --block.",
        "Leave these out, or choose --variant naive or tiled.");
  Kernel kernel = start_kernel("matmul", embedded::matmul_kernel, parameters(), values);
  const bool tf32 = values.flag("tf32");
  add_data(kernel, s);
  if (tf32) allow_tf32(kernel.checks.front(), s.k);
  std::vector<Argument> args = operands(s);
  args.emplace_back(Scalar::i32(tf32 ? 1 : 0));
  kernel.steps = {Step::library_call("cublasSgemm", std::move(args))};
  return kernel;
}

Result<Kernel> build(const ParameterValues& values) {
  const auto s = sizes(values);
  if (!s) return tl::unexpected(s.error());
  const std::string variant = values.text("variant");
  if (variant == "cublas") return build_cublas(values, *s);
  if (values.flag("tf32"))
    return conflict("--tf32 belongs to --variant cublas: the other variants compute in f32.",
                    "Leave out --tf32, or add --variant cublas.");
  const bool tiled = variant.empty() ? wants_tiles(values) : variant == "tiled";
  return tiled ? build_tiled(values, *s) : build_naive(values, *s);
}

}  // namespace

KernelFamily matmul_family() {
  KernelFamily family;
  family.name = "matmul";
  family.summary = "matrix product: from global memory, with shared tiles, or by cuBLAS";
  family.description =
      "Shows what reuse in shared memory buys and what can go wrong with it: lanes along a row or a column, "
      "a tile\n"
      "staged transposed (bank conflicts, cured by --pad), the registers that a conflict costs, and the "
      "missing\n"
      "second barrier (--barriers load-only). --variant cublas measures the library's product beside them.";
  family.source = {"matmul/kernel.cu", embedded::matmul_kernel};
  family.parameters = parameters();
  family.build = build;
  const std::string coalesced = "global.load.sectors_per_request == 4";
  family.planted = {
      {"", "none", {}, {"global.load.sectors_per_request == 2.5", "global.store.sectors_per_request == 4"}},
      {"--block 16,16", "none", {}, {"global.load.sectors_per_request == 2"}},
      {"--order swapped",
       "uncoalesced-load",
       {"uncoalesced-store"},
       {"global.load.sectors_per_request == 16.5", "global.store.sectors_per_request == 32"}},
      {"--tile 32",
       "none",
       {},
       {coalesced, "shared.load.excess_wavefronts == 0", "occupancy.theoretical == 100"}},
      {"--tile 16",
       "none",
       {},
       {coalesced, "shared.load.excess_wavefronts == 0", "occupancy.theoretical == 100"}},
      {"--tile 32 --dynamic", "none", {}, {coalesced, "shared.load.excess_wavefronts == 0"}},
      {"--tile 32 --stage-transposed",
       "bank-conflict-load",
       {"bank-conflict-store", "occupancy-registers"},
       {coalesced, "shared.store.excess_wavefronts > 0", "shared.load.excess_wavefronts > 0"}},
      {"--tile 32 --stage-transposed --pad",
       "none",
       {},
       {coalesced, "shared.load.excess_wavefronts == 0", "shared.store.excess_wavefronts == 0",
        "occupancy.theoretical == 100"}},
      {"--tile 32 --barriers load-only", "shared-race", {}, {coalesced}},
  };
  return family;
}

}  // namespace gpuprobe
