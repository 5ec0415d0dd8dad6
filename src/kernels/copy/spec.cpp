#include <fmt/format.h>

#include "kernels/spec.h"

namespace gpuprobe {
namespace embedded {
extern const char copy_kernel[];
}
namespace {

using namespace spec;

std::vector<Parameter> parameters() {
  return {
      integer("n", "16777216", 1, 1 << 30, "elements copied"),
      integer("offset", "0", 0, 1 << 20, "elements skipped at the start of the input"),
      integer("stride", "1", 1, 1024, "elements from one lane's element to the next"),
      choice("type", "f32", {"u8", "f16", "f32", "f64"}, "element type"),
      integer("block", "256", 1, 1024, "threads of a block"),
  };
}

const char* element_of(const std::string& type) {
  if (type == "u8") return "unsigned char";
  if (type == "f16") return "unsigned short";
  if (type == "f64") return "double";
  return "float";
}

Result<Kernel> build(const ParameterValues& values) {
  const std::int64_t n = values.integer("n");
  const std::int64_t offset = values.integer("offset");
  const std::int64_t stride = values.integer("stride");
  const std::int64_t block = values.integer("block");
  const ElementType type = *element_type_from_string(values.text("type"));
  const auto launch = make_launch(ceil_div(n, block), 1, block, 1);
  if (!launch) return tl::unexpected(launch.error());

  Kernel kernel = start_kernel("copy", embedded::copy_kernel, parameters(), values);
  kernel.defines = {{"GPUPROBE_ELEMENT", element_of(values.text("type"))}};
  kernel.buffers = {{"in", type, static_cast<std::uint64_t>((n - 1) * stride + offset + 1), random_init()},
                    {"out", type, static_cast<std::uint64_t>(n), {}}};
  kernel.steps = {
      {"copy",
       *launch,
       {BufferRef{0}, BufferRef{1}, Scalar::i32(static_cast<std::int32_t>(n)),
        Scalar::i32(static_cast<std::int32_t>(stride)), Scalar::i32(static_cast<std::int32_t>(offset))}}};
  ResultCheck check;
  check.buffer = 1;
  check.expected = [stride, offset](const HostBuffers& initial, std::uint64_t index) {
    return initial.element(0,
                           index * static_cast<std::uint64_t>(stride) + static_cast<std::uint64_t>(offset));
  };
  check.reference = "the input's element, moved";
  kernel.checks = {check};
  kernel.useful_bytes = 2.0 * static_cast<double>(n) * type.bytes;
  if (stride > 1)
    kernel.cures.push_back(
        {"uncoalesced-load", "--stride 1", "let consecutive lanes read consecutive elements"});
  if (offset * type.bytes % 32 != 0)
    kernel.cures.push_back({"misaligned", "--offset 0", "let each warp begin at a multiple of 32 bytes"});
  return kernel;
}

}  // namespace

KernelFamily copy_family() {
  KernelFamily family;
  family.name = "copy";
  family.summary = "copy with an offset (misaligned) or a stride";
  family.description =
      "Shows misalignment (--offset 1: one sector more a request, five for four) beside a stride (--stride "
      "2: twice\n"
      "the sectors, --stride 8 and more: a sector for each lane).";
  family.source = {"copy/kernel.cu", embedded::copy_kernel};
  family.parameters = parameters();
  family.build = build;
  const auto loads = [](int sectors) {
    return std::vector<std::string>{fmt::format("global.load.sectors_per_request == {}", sectors),
                                    "global.store.efficiency == 100"};
  };
  family.planted = {
      {"", "none", {}, loads(4)},
      {"--offset 8", "none", {}, loads(4)},
      {"--offset 1", "misaligned", {}, loads(5)},
      {"--type f64 --offset 1", "misaligned", {}, loads(9)},
      {"--stride 2", "uncoalesced-load", {}, loads(8)},
      {"--stride 8", "uncoalesced-load", {}, loads(32)},
      {"--stride 32 -n 4194304", "uncoalesced-load", {}, loads(32)},
      {"--type u8", "none", {}, loads(1)},
      {"--type f16", "none", {}, loads(2)},
      {"--type f64", "none", {}, loads(8)},
  };
  return family;
}

}  // namespace gpuprobe
