#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "kernels/spec.h"

namespace gpuprobe {
namespace embedded {
extern const char pressure_kernel[];
}
namespace {

using namespace spec;

constexpr std::int64_t kTable = 1024;            ///< as in kernel.cu
constexpr std::int64_t kLargestShared = 232448;  ///< 227 KiB, the most a block can have on CC 9.0

std::vector<Parameter> parameters() {
  return {
      integer("regs", "32", 24, 255, "registers of a thread"),
      integer("shared", "0", 0, kLargestShared, "bytes of shared memory of a block, rounded up to 4"),
      flag("dynamic", "shared memory given by the launch, also up to 48 KiB"),
      integer("block", "256", 1, 1024, "threads of a block"),
      choice("ilp", "1", {"1", "2", "4"},
             "independent sums of a thread: with 1 the speed depends on occupancy"),
      integer("blocks", "2112", 1, 1 << 20, "blocks of the grid"),
      integer("rounds", "64", 1, 1 << 20, "passes over the values of a thread"),
  };
}

/// Values to keep alive so that ptxas, limited to `registers`, uses exactly as many and spills none. The rest
/// are the sums, the loop counter and the addresses; found by compiling with NVRTC 13.0 for sm_75 to sm_120
/// and tested there.
std::int64_t live_values(std::int64_t registers, std::int64_t chains, bool shared) {
  std::int64_t others = chains == 1 ? 4 : 5;
  if (shared) ++others;
  if (chains > 1 && registers % 8 == 1) --others;  // else it prefers the multiple of 8 below
  return registers - chains - others;
}

Result<Kernel> build(const ParameterValues& values) {
  const std::int64_t registers = values.integer("regs");
  const std::int64_t words = ceil_div(values.integer("shared"), 4);
  const bool dynamic = words > 0 && (values.flag("dynamic") || 4 * words > kMaxStaticShared);
  const std::int64_t block = values.integer("block");
  const std::int64_t blocks = values.integer("blocks");
  const std::int64_t chains = values.text("ilp").front() - '0';
  const std::int64_t rounds = values.integer("rounds");
  const std::int64_t live = live_values(registers, chains, words > 0);
  const auto launch = make_launch(blocks, 1, block, 1, dynamic ? 4 * words : 0);
  if (!launch) return tl::unexpected(launch.error());

  Kernel kernel = start_kernel("pressure", embedded::pressure_kernel, parameters(), values);
  kernel.defines = {{"GPUPROBE_LIVE", std::to_string(live)},
                    {"GPUPROBE_CHAINS", std::to_string(chains)},
                    {"GPUPROBE_SHARED_WORDS", std::to_string(words)},
                    {"GPUPROBE_SHARED_DYNAMIC", dynamic ? "1" : "0"}};
  kernel.compile_options = {fmt::format("--maxrregcount={}", registers)};
  const ElementType f32 = *element_type_from_string("f32");
  kernel.buffers = {{"in", f32, static_cast<std::uint64_t>(kTable + 32 * live), random_init()},
                    {"out", f32, static_cast<std::uint64_t>(blocks * block), {}}};
  kernel.steps = {
      {"pressure", *launch, {BufferRef{0}, BufferRef{1}, Scalar::i32(static_cast<std::int32_t>(rounds))}}};
  ResultCheck check;
  check.buffer = 1;
  check.expected = [live, chains, rounds](const HostBuffers& initial, std::uint64_t index) {
    const float* value = as<float>(initial, 0) + static_cast<std::int64_t>(index) % kTable;
    std::vector<float> sum(static_cast<std::size_t>(chains), 0.0f);
    for (std::int64_t round = 0; round < rounds; ++round) {
      for (std::int64_t i = 0; i < live; ++i) {
        float& chain = sum[static_cast<std::size_t>(i % chains)];
        chain = std::fma(chain, 0.5f, value[32 * i]);
      }
    }
    float total = 0.0f;
    for (const float chain : sum) total += chain;
    return static_cast<double>(total);
  };
  check.reference = "the same f32 operations in the same order";
  kernel.checks = {check};
  kernel.useful_bytes = 4.0 * static_cast<double>(blocks * block);
  kernel.useful_flops = 2.0 * static_cast<double>(blocks * block * live * rounds);
  return kernel;
}

}  // namespace

KernelFamily pressure_family() {
  KernelFamily family;
  family.name = "pressure";
  family.summary = "a kernel of a given register count, shared size and block size";
  family.description =
      "For experiments with occupancy: it really uses that many registers and bytes, read back from the "
      "compiled\n"
      "code. With few resident warps, --ilp 1 leaves the schedulers waiting, --ilp 4 does not.";
  family.source = {"pressure/kernel.cu", embedded::pressure_kernel};
  family.parameters = parameters();
  family.build = build;
  // Measured on an H200: with 2 warps a scheduler, one sum leaves it idle every other cycle; four sums fill
  // it.
  const auto facts = [](int registers, double percent) {
    return std::vector<std::string>{fmt::format("launch.registers == {}", registers),
                                    fmt::format("occupancy.theoretical == {}", percent)};
  };
  family.planted = {
      {"", "none", {}, facts(32, 100)},
      {"--regs 64", "none", {}, facts(64, 50)},
      {"--regs 255", "occupancy-registers", {}, facts(255, 12.5)},
      {"--regs 255 --ilp 4", "none", {}, facts(255, 12.5)},
      {"--shared 131072", "occupancy-shared", {}, facts(32, 12.5)},
      {"--shared 131072 --ilp 4", "none", {}, facts(32, 12.5)},
      {"--shared 32768", "none", {}, facts(32, 75)},
  };
  return family;
}

}  // namespace gpuprobe
