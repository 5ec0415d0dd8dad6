#include "kernels/spec.h"

namespace gpuprobe {
namespace embedded {
extern const char gather_kernel[];
}
namespace {

using namespace spec;

std::vector<Parameter> parameters() {
  return {
      flag("random", "a random permutation (if nothing else is given)"),
      flag("sorted", "ascending indices"),
      integer("n", "16777216", 1, 1 << 30, "elements gathered, and of the table"),
      integer("block", "256", 1, 1024, "threads of a block"),
  };
}

Result<Kernel> build(const ParameterValues& values) {
  const bool sorted = values.flag("sorted");
  if (sorted && values.flag("random"))
    return conflict("--random and --sorted exclude each other.", "Choose one of them.");
  const std::int64_t n = values.integer("n");
  const std::int64_t block = values.integer("block");
  const auto launch = make_launch(ceil_div(n, block), 1, block, 1);
  if (!launch) return tl::unexpected(launch.error());
  Kernel kernel = start_kernel("gather", embedded::gather_kernel, parameters(), values);
  BufferInit order;
  order.kind = sorted ? BufferInit::Kind::kIota : BufferInit::Kind::kShuffle;
  const auto count = static_cast<std::uint64_t>(n);
  const ElementType f32 = *element_type_from_string("f32");
  kernel.buffers = {{"index", *element_type_from_string("u32"), count, order},
                    {"table", f32, count, random_init()},
                    {"out", f32, count, {}}};
  kernel.steps = {{"gather",
                   *launch,
                   {BufferRef{0}, BufferRef{1}, BufferRef{2}, Scalar::i32(static_cast<std::int32_t>(n))}}};
  ResultCheck check;
  check.buffer = 2;
  check.expected = [](const HostBuffers& initial, std::uint64_t index) {
    return static_cast<double>(as<float>(initial, 1)[as<std::uint32_t>(initial, 0)[index]]);
  };
  check.reference = "the table's element, moved";
  kernel.checks = {check};
  kernel.useful_bytes = 12.0 * static_cast<double>(n);
  if (!sorted)
    kernel.cures.push_back(
        {"uncoalesced-load", "--random 0 --sorted", "sort the indices, if their order is free"});
  return kernel;
}

}  // namespace

KernelFamily gather_family() {
  KernelFamily family;
  family.name = "gather";
  family.summary = "indirect reads in random or ascending order";
  family.description =
      "Shows scattered loads that no layout of the threads cures: the data must be reordered, or the indices "
      "sorted.\n"
      "The loads of the index itself stay coalesced, so the mean over both hides half of it.";
  family.source = {"gather/kernel.cu", embedded::gather_kernel};
  family.parameters = parameters();
  family.build = build;
  family.planted = {
      {"",
       "uncoalesced-load",
       {},
       {"global.load.sectors_per_request > 17.9", "global.store.sectors_per_request == 4"}},
      {"--sorted",
       "none",
       {},
       {"global.load.sectors_per_request == 4", "global.store.sectors_per_request == 4"}},
  };
  return family;
}

}  // namespace gpuprobe
