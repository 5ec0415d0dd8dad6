#include <fmt/format.h>

#include <bit>

#include "kernels/spec.h"

namespace gpuprobe {
namespace embedded {
extern const char transpose_kernel[];
}
namespace {

using namespace spec;

constexpr std::int64_t kLargestEdge = 1 << 20;  ///< the matrix itself is limited by memory

std::vector<Parameter> parameters() {
  return {
      choice("variant", "tiled", {"naive-write", "naive-read", "tiled"},
             "strided stores, strided loads, or a shared tile"),
      integer("n", "4096", 1, kLargestEdge, "rows and columns, unless given apart"),
      integer("rows", "", 1, kLargestEdge, "rows of the input"),
      integer("columns", "", 1, kLargestEdge, "columns of the input"),
      choice("type", "f32", {"u8", "f16", "f32", "f64"}, "element type"),
      integer("tile", "", 1, 64, "edge of the shared tile, 32 if not given"),
      pair("block", "", 1024, "thread block; the tile's shape (at most 32 x 32) if not given"),
      optional_integer("pad", 0, 64, "unused elements at the end of each row of the tile"),
      flag("swizzle", "store column x of row y at x ^ y, in place of padding"),
  };
}

/// The C++ type that moves an element: only its size matters.
const char* element_of(const std::string& type) {
  if (type == "u8") return "unsigned char";
  if (type == "f16") return "unsigned short";
  if (type == "f64") return "double";
  return "float";
}

/// The least padding that takes a column of 32 elements through all banks: rows move on by one 4-byte word.
std::int64_t padding_of(const ElementType& type) {
  return type.bytes >= 4 ? 1 : 4 / type.bytes;
}

void add_cures(Kernel& kernel, const std::string& variant, const ParameterValues& values,
               const ElementType& type) {
  if (variant == "naive-write")
    kernel.cures.push_back(
        {"uncoalesced-store", "--variant tiled --pad", "turn the matrix in a padded shared tile"});
  if (variant == "naive-read")
    kernel.cures.push_back(
        {"uncoalesced-load", "--variant tiled --pad", "turn the matrix in a padded shared tile"});
  if (variant != "tiled" || values.flag("swizzle") || values.integer("pad") >= padding_of(type)) return;
  const std::int64_t pad = padding_of(type);
  kernel.cures.push_back({"bank-conflict-load", pad == 1 ? "--pad" : fmt::format("--pad {}", pad),
                          fmt::format("pad each row of the tile by {} element{}", pad, pad == 1 ? "" : "s")});
  if (values.integer("pad") == 0)
    kernel.cures.push_back({"bank-conflict-load", "--swizzle", "permute each row of the tile by its number"});
}

Result<Kernel> build(const ParameterValues& values) {
  const std::string variant = values.text("variant");
  const bool tiled = variant == "tiled";
  const std::int64_t rows = values.integer(values.given("rows") ? "rows" : "n");
  const std::int64_t columns = values.integer(values.given("columns") ? "columns" : "n");
  const ElementType type = *element_type_from_string(values.text("type"));
  const std::int64_t pad = values.integer("pad");
  const bool swizzle = values.flag("swizzle");
  if (!tiled && (pad > 0 || swizzle || values.given("tile")))
    return conflict(fmt::format("--variant {} has no tile for --tile, --pad or --swizzle.", variant),
                    "Leave these out, or choose --variant tiled.");
  if (swizzle && pad > 0)
    return conflict("--swizzle and --pad are two cures of the same conflict.", "Choose one of them.");
  const std::int64_t tile = values.given("tile") ? values.integer("tile") : 32;
  if (swizzle && !std::has_single_bit(static_cast<std::uint64_t>(tile)))
    return conflict(
        fmt::format("--swizzle needs a tile that is a power of two; x ^ y would leave one of {}.", tile),
        "Choose --tile 8, 16, 32 or 64, or --pad.");
  const std::int64_t edge = std::min<std::int64_t>(tile, 32);
  const auto [x, y] = values.given("block") ? values.pair("block") : std::pair{edge, edge};
  if (tiled && (x > tile || y > tile))
    return conflict(fmt::format("--block {},{} is larger than the tile of {} x {}.", x, y, tile, tile),
                    "Choose a block that fits into the tile: it goes over it in steps.");
  if (const std::int64_t shared = tile * (tile + pad) * type.bytes; tiled && shared > kMaxStaticShared)
    return conflict(
        fmt::format("The tile takes {} bytes of shared memory; {} is the limit.", shared, kMaxStaticShared),
        "Choose a smaller --tile or --pad.");

  const std::int64_t step_x = tiled ? tile : x;
  const std::int64_t step_y = tiled ? tile : y;
  const auto launch = variant == "naive-read"
                          ? make_launch(ceil_div(rows, step_x), ceil_div(columns, step_y), x, y)
                          : make_launch(ceil_div(columns, step_x), ceil_div(rows, step_y), x, y);
  if (!launch) return tl::unexpected(launch.error());

  Kernel kernel = start_kernel("transpose", embedded::transpose_kernel, parameters(), values);
  kernel.defines = {{"GPUPROBE_ELEMENT", element_of(values.text("type"))},
                    {"GPUPROBE_BLOCK_X", std::to_string(x)},
                    {"GPUPROBE_BLOCK_Y", std::to_string(y)}};
  if (tiled) {
    kernel.defines.emplace_back("GPUPROBE_TILE", std::to_string(tile));
    kernel.defines.emplace_back("GPUPROBE_PAD", std::to_string(pad));
    kernel.defines.emplace_back("GPUPROBE_SWIZZLE", swizzle ? "1" : "0");
  }
  const auto count = static_cast<std::uint64_t>(rows * columns);
  kernel.buffers = {{"in", type, count, random_init()}, {"out", type, count, {}}};
  const char* entry = tiled                      ? "transpose_tiled"
                      : variant == "naive-write" ? "transpose_naive_write"
                                                 : "transpose_naive_read";
  kernel.steps = {{entry,
                   *launch,
                   {BufferRef{0}, BufferRef{1}, Scalar::i32(static_cast<std::int32_t>(rows)),
                    Scalar::i32(static_cast<std::int32_t>(columns))}}};
  ResultCheck check;
  check.buffer = 1;
  check.expected = [rows, columns](const HostBuffers& initial, std::uint64_t index) {
    const auto row = static_cast<std::int64_t>(index) / rows;  // of the output, which has `rows` columns
    const auto column = static_cast<std::int64_t>(index) % rows;
    return initial.element(0, static_cast<std::uint64_t>(column * columns + row));
  };
  check.reference = "the input's element, moved";
  kernel.checks = {check};
  kernel.useful_bytes = 2.0 * static_cast<double>(count) * type.bytes;
  add_cures(kernel, variant, values, type);
  return kernel;
}

}  // namespace

KernelFamily transpose_family() {
  KernelFamily family;
  family.name = "transpose";
  family.summary = "matrix transpose, direct or through a shared tile";
  family.description =
      "Shows how a strided global access is traded for a strided shared one, and how that is cured: the "
      "unpadded\n"
      "32 x 32 tile is read down a column, all 32 lanes in one bank; --pad and --swizzle spread them out.";
  family.source = {"transpose/kernel.cu", embedded::transpose_kernel};
  family.parameters = parameters();
  family.build = build;
  const std::string load4 = "global.load.sectors_per_request == 4";
  const std::string store4 = "global.store.sectors_per_request == 4";
  const auto conflict_of = [](int degree, int width_ideal) {
    return std::vector<std::string>{
        fmt::format("shared.load.wavefronts_per_request == {}", degree),
        fmt::format("shared.load.conflict_degree == {}", degree / width_ideal),
        "shared.store.excess_wavefronts == 0",
    };
  };
  const std::vector<std::string> clean{"shared.load.excess_wavefronts == 0",
                                       "shared.store.excess_wavefronts == 0"};
  const auto with = [](std::vector<std::string> a, const std::vector<std::string>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  family.planted = {
      {"--variant naive-write", "uncoalesced-store", {}, {load4, "global.store.sectors_per_request == 32"}},
      {"--variant naive-read", "uncoalesced-load", {}, {"global.load.sectors_per_request == 32", store4}},
      {"", "bank-conflict-load", {}, with({load4, store4}, conflict_of(32, 1))},
      {"--pad", "none", {}, with({load4, store4}, clean)},
      {"--swizzle", "none", {}, with({load4, store4}, clean)},
      {"--block 32,8", "bank-conflict-load", {}, with({load4, store4}, conflict_of(32, 1))},
      {"--pad --block 32,8", "none", {}, with({load4, store4}, clean)},
      {"--type f64", "bank-conflict-load", {}, conflict_of(32, 2)},
      {"--type f64 --pad", "none", {}, with({"shared.load.wavefronts_per_request == 2"}, clean)},
      {"--type f64 --swizzle", "none", {}, with({"shared.load.wavefronts_per_request == 2"}, clean)},
      {"--type f16", "bank-conflict-load", {}, conflict_of(16, 1)},
      {"--type f16 --pad 2", "none", {}, clean},
      {"--type f16 --swizzle", "none", {}, clean},
      {"--type u8", "bank-conflict-load", {}, conflict_of(8, 1)},
      {"--type u8 --pad 4", "none", {}, clean},
      {"--type u8 --swizzle", "none", {}, clean},
  };
  return family;
}

}  // namespace gpuprobe
