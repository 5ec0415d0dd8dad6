#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/spec.h"

namespace gpuprobe {
namespace embedded {
extern const char banks_kernel[];
}
namespace {

using namespace spec;

constexpr std::int64_t kLeastShared = 8192;  ///< bytes, as measured for tests/data/truth/kernels_h200.tsv

std::vector<Parameter> parameters() {
  return {
      choice("pattern", "column", {"row", "column", "padded-column", "broadcast", "stride"},
             "which elements the lanes read"),
      integer("pitch", "32", 1, 2048, "elements of a row"),
      integer("stride", "2", 0, 2048, "elements from lane to lane, for --pattern stride"),
      integer("active", "32", 1, 32, "lanes that take part, from lane 0 on"),
      choice("width", "4", {"1", "2", "4", "8", "16"}, "bytes of an element"),
      flag("swizzle", "element (row, column) lies at column ^ row"),
      integer("reads", "256", 1, 1 << 20, "times that each warp reads"),
      integer("blocks", "132", 1, 1 << 20, "blocks of the grid"),
  };
}

/// What the lanes read.
struct Access {
  std::string pattern;
  std::int64_t pitch = 32;
  std::int64_t stride = 2;
  std::int64_t width = 4;
  bool swizzle = false;

  std::int64_t element(std::int64_t lane) const {
    std::int64_t e = 0;
    if (pattern == "row") e = lane;
    if (pattern == "column" || pattern == "padded-column") e = lane * pitch;
    if (pattern == "stride") e = lane * stride;
    if (!swizzle) return e;
    const std::int64_t row = e / pitch;
    return row * pitch + ((e % pitch) ^ (row & (pitch - 1)));
  }
  std::int64_t bytes(std::int64_t active) const {
    std::int64_t last = 0;
    for (std::int64_t lane = 0; lane < active; ++lane) last = std::max(last, element(lane));
    return (last + 1) * width;
  }
};

const char* pattern_number(const std::string& pattern) {
  if (pattern == "row") return "0";
  if (pattern == "broadcast") return "2";
  return pattern == "stride" ? "3" : "1";
}

ResultCheck check_of(const Access& access, std::int64_t active, std::int64_t reads) {
  ResultCheck check;
  check.buffer = 1;
  check.expected = [access, active, reads](const HostBuffers& initial, std::uint64_t index) {
    const auto lane = static_cast<std::int64_t>(index % 32);
    if (lane >= active) return 0.0;
    const std::byte* at = initial.bytes(0).data() + access.element(lane) * access.width;
    std::uint32_t sum = 0;
    for (std::int64_t byte = 0; byte < access.width; byte += 4) {
      std::uint32_t word = 0;
      std::memcpy(&word, at + byte, static_cast<std::size_t>(std::min<std::int64_t>(4, access.width)));
      sum += word;
    }
    return static_cast<double>(sum * static_cast<std::uint32_t>(reads));
  };
  check.reference = "the words of the element, added modulo 2^32";
  return check;
}

Result<Kernel> build(const ParameterValues& values) {
  Access access;
  access.pattern = values.text("pattern");
  access.pitch = values.integer("pitch") + (access.pattern == "padded-column" ? 1 : 0);
  access.stride = values.integer("stride");
  access.width = std::stoi(values.text("width"));
  access.swizzle = values.flag("swizzle");
  const std::int64_t active = values.integer("active");
  const std::int64_t reads = values.integer("reads");
  const std::int64_t blocks = values.integer("blocks");
  if (access.swizzle && !std::has_single_bit(static_cast<std::uint64_t>(access.pitch)))
    return conflict(fmt::format("--swizzle needs a pitch that is a power of two, not {}.", access.pitch),
                    "Choose such a --pitch, or leave out --swizzle.");
  const std::int64_t bytes = ceil_div(std::max(access.bytes(active), kLeastShared), 16) * 16;
  if (bytes > kMaxStaticShared)
    return conflict(fmt::format("The lanes reach over {} bytes of shared memory; {} is the limit.", bytes,
                                kMaxStaticShared),
                    "Choose a smaller --pitch, --stride or --width.");
  const auto launch = make_launch(blocks, 1, 256, 1, bytes);
  if (!launch) return tl::unexpected(launch.error());

  Kernel kernel = start_kernel("banks", embedded::banks_kernel, parameters(), values);
  kernel.defines = {{"GPUPROBE_PATTERN", pattern_number(access.pattern)},
                    {"GPUPROBE_PITCH", std::to_string(access.pitch)},
                    {"GPUPROBE_STRIDE", std::to_string(access.stride)},
                    {"GPUPROBE_WIDTH", std::to_string(access.width)},
                    {"GPUPROBE_SWIZZLE", access.swizzle ? "1" : "0"}};
  const ElementType u32 = *element_type_from_string("u32");
  kernel.buffers = {{"in", u32, static_cast<std::uint64_t>(bytes / 4), random_init()},
                    {"out", u32, static_cast<std::uint64_t>(blocks * 256), {}}};
  const auto size = [](std::int64_t value) { return Scalar::i32(static_cast<std::int32_t>(value)); };
  kernel.steps = {
      {"bank_read", *launch, {BufferRef{0}, BufferRef{1}, size(bytes / 4), size(active), size(reads)}}};
  kernel.checks = {check_of(access, active, reads)};
  kernel.useful_bytes = 4.0 * static_cast<double>(blocks * 256);
  if (access.pattern == "column" && !access.swizzle && access.pitch % 32 == 0 && access.width >= 4) {
    kernel.cures.push_back({"bank-conflict-load", "--pattern padded-column", "pad each row by one element"});
    if (std::has_single_bit(static_cast<std::uint64_t>(access.pitch)))
      kernel.cures.push_back({"bank-conflict-load", "--swizzle", "permute each row by its number"});
  }
  return kernel;
}

}  // namespace

KernelFamily banks_family() {
  KernelFamily family;
  family.name = "banks";
  family.summary = "the bank lab as a kernel: one pattern of shared memory, read over and over";
  family.description =
      "Each warp reads the pattern that `gpuprobe banks` draws, so that its service rounds can be seen "
      "beside the\n"
      "wavefronts. A pitch of 32 words takes 32 rounds, 33 takes one.";
  family.source = {"banks/kernel.cu", embedded::banks_kernel};
  family.parameters = parameters();
  family.build = build;
  const auto degree = [](int actual, int ideal) {
    return std::vector<std::string>{fmt::format("shared.load.wavefronts_per_request == {}", actual),
                                    fmt::format("shared.load.conflict_degree == {}", actual / ideal)};
  };
  for (const int pitch : {2, 4, 8, 16, 32})
    family.planted.push_back({fmt::format("--pitch {}", pitch), "bank-conflict-load", {}, degree(pitch, 1)});
  for (const char* clean : {"--pattern row", "--pattern broadcast", "--pattern padded-column", "--swizzle",
                            "--pattern stride --stride 33", "--pattern stride --active 16"})
    family.planted.push_back({clean, "none", {}, degree(1, 1)});
  family.planted.push_back({"--width 1", "bank-conflict-load", {}, degree(8, 1)});
  family.planted.push_back({"--width 2", "bank-conflict-load", {}, degree(16, 1)});
  family.planted.push_back({"--width 8", "bank-conflict-load", {}, degree(32, 2)});
  family.planted.push_back({"--width 8 --pattern row", "none", {}, degree(2, 2)});
  family.planted.push_back({"--width 16", "bank-conflict-load", {}, degree(32, 4)});
  family.planted.push_back({"--width 16 --pattern padded-column", "none", {}, degree(4, 4)});
  return family;
}

}  // namespace gpuprobe
