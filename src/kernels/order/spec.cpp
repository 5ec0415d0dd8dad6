#include <fmt/format.h>

#include "kernels/spec.h"

namespace gpuprobe {
namespace embedded {
extern const char order_kernel[];
}
namespace {

using namespace spec;

std::vector<Parameter> parameters() {
  return {
      flag("wait", "each block waits for another one"),
      choice("for", "", {"next", "previous"}, "with --wait: for which block; next if not given"),
      integer("polls", "0", 0, 1 << 30, "with --wait: looks before a block gives up; 0 = it never does"),
      integer("blocks", "4224", 1, 1 << 20, "blocks of the grid"),
      integer("block", "256", 1, 1024, "threads of a block"),
  };
}

Result<Kernel> build(const ParameterValues& values) {
  const bool wait = values.flag("wait");
  if (!wait && values.given("for")) return conflict("--for needs --wait.", "Add --wait, or leave out --for.");
  const std::int64_t blocks = values.integer("blocks");
  const auto launch = make_launch(blocks, 1, values.integer("block"), 1);
  if (!launch) return tl::unexpected(launch.error());
  Kernel kernel = start_kernel("order", embedded::order_kernel, parameters(), values);
  const ElementType u32 = *element_type_from_string("u32");
  const auto count = static_cast<std::uint64_t>(blocks);
  kernel.useful_bytes = 4.0 * static_cast<double>(blocks);
  ResultCheck check;
  if (wait) {
    kernel.defines = {{"GPUPROBE_WAIT_FOR", values.text("for") == "previous" ? "-1" : "1"},
                      {"GPUPROBE_POLLS", values.text("polls")}};
    kernel.buffers = {{"flag", u32, count, {}}, {"answered", u32, count, {}}};
    kernel.steps = {{"order_wait", *launch, {BufferRef{0}, BufferRef{1}}}};
    check.buffer = 1;
    check.expected = [](const HostBuffers&, std::uint64_t) { return 1.0; };
    check.reference = "every block was answered";
  } else {
    kernel.buffers = {{"next", u32, 1, {}}, {"taken", u32, count, {}}};
    kernel.steps = {{"order_ticket", *launch, {BufferRef{0}, BufferRef{1}}}};
    // Which block took which number is what must not matter; that each took one does.
    check.buffer = 0;
    check.needs_whole_grid = true;
    check.expected = [blocks](const HostBuffers&, std::uint64_t) { return static_cast<double>(blocks); };
    check.reference = "one number for each block";
  }
  kernel.checks = {check};
  return kernel;
}

}  // namespace

KernelFamily order_family() {
  KernelFamily family;
  family.name = "order";
  family.summary = "blocks that depend on the order in which blocks run";
  family.description =
      "Shows results that depend on the order of the blocks, and with --wait a block that waits for "
      "another:\n"
      "it may never come, since blocks that fill the GPU are not put aside. Measured, it runs into "
      "--timeout.";
  family.source = {"order/kernel.cu", embedded::order_kernel};
  family.parameters = parameters();
  family.build = build;
  family.planted = {
      {"", "block-order", {}, {}},
      {"--wait", "block-wait", {}, {}},
      {"--wait --for previous", "block-wait", {}, {}},
  };
  return family;
}

}  // namespace gpuprobe
