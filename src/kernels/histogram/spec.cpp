#include <fmt/format.h>

#include <algorithm>

#include "kernels/spec.h"

namespace gpuprobe {
namespace embedded {
extern const char histogram_kernel[];
}
namespace {

using namespace spec;

constexpr std::uint64_t kBins = 256;

std::vector<Parameter> parameters() {
  return {
      flag("global", "one histogram in global memory (if nothing else is given)"),
      flag("shared", "one histogram for each block in shared memory"),
      flag("private", "one histogram for each lane number in shared memory"),
      integer("n", "16777216", 1, std::int64_t{1} << 32, "bytes"),
      integer("distinct", "256", 1, 256, "different values in the data: 1 is the worst contention"),
      integer("blocks", "1056", 1, 1 << 20, "blocks of the grid"),
      integer("block", "256", 32, 1024, "threads of a block"),
  };
}

Result<Kernel> build(const ParameterValues& values) {
  const bool shared = values.flag("shared");
  const bool private_copies = values.flag("private");
  if (int(values.flag("global")) + int(shared) + int(private_copies) > 1)
    return conflict("--global, --shared and --private exclude each other.", "Choose one of them.");
  const std::int64_t n = values.integer("n");
  const auto launch = make_launch(values.integer("blocks"), 1, values.integer("block"), 1);
  if (!launch) return tl::unexpected(launch.error());
  Kernel kernel = start_kernel("histogram", embedded::histogram_kernel, parameters(), values);
  BufferInit init = random_init();
  init.high = static_cast<double>(values.integer("distinct"));
  kernel.buffers = {{"in", *element_type_from_string("u8"), static_cast<std::uint64_t>(n), init},
                    {"bins", *element_type_from_string("u32"), kBins, {}}};
  const char* entry = shared ? "histogram_shared" : private_copies ? "histogram_private" : "histogram_global";
  kernel.steps = {{entry, *launch, {BufferRef{0}, Scalar::i64(n), BufferRef{1}}}};
  ResultCheck check;
  check.buffer = 1;
  check.needs_whole_grid = true;
  check.expected = [n](const HostBuffers& initial, std::uint64_t index) {
    const auto* in = as<std::uint8_t>(initial, 0);
    return static_cast<double>(std::count(in, in + n, static_cast<std::uint8_t>(index)));
  };
  check.reference = "the values counted";
  kernel.checks = {check};
  kernel.useful_bytes = static_cast<double>(n);
  // On an H200 each block's own counters are 536 times as fast with --distinct 1, and faster than a copy a
  // lane (22.9 against 32.0 us), which is no cure for them there.
  if (!shared && !private_copies)
    kernel.cures.push_back(
        {"atomic-contention", "--global 0 --shared", "give each block a histogram in shared memory"});
  return kernel;
}

}  // namespace

KernelFamily histogram_family() {
  KernelFamily family;
  family.name = "histogram";
  family.summary = "byte histogram with global, shared or private counters";
  family.description =
      "Shows contention: lanes that add to the same global counter wait for each other, which no padding "
      "helps;\n"
      "--distinct 1 is the worst case. Increments of shared counters are combined by the hardware, and "
      "--private\n"
      "keeps the lanes of a warp apart for any data.";
  family.source = {"histogram/kernel.cu", embedded::histogram_kernel};
  family.parameters = parameters();
  family.build = build;
  // Shared counters do not contend: the hardware combines the increments of a warp, and an H200 takes 22.9 us
  // with one distinct value as with 256. Random values over 256 bins seldom meet in a warp: what contention
  // there is, is the method's price. With one distinct value it is the fault. Private bins fit six blocks on
  // an SM of the H200, the grid fills eight.
  family.planted = {
      {"", "none", {"atomic-contention"}, {"global.load.efficiency == 100"}},
      {"--global --distinct 1", "atomic-contention", {}, {"global.load.efficiency == 100"}},
      {"--shared", "none", {"atomic-contention"}, {"global.load.efficiency == 100"}},
      {"--shared --distinct 1",
       "none",
       {},
       {"global.load.efficiency == 100", "shared.atomic.wavefronts_per_request == 1"}},
      {"--private",
       "none",
       {"tail"},
       {"shared.atomic.wavefronts_per_request == 1", "shared.load.excess_wavefronts == 0"}},
      {"--private --distinct 1",
       "none",
       {"tail"},
       {"shared.atomic.wavefronts_per_request == 1", "shared.load.excess_wavefronts == 0"}},
  };
  return family;
}

}  // namespace gpuprobe
