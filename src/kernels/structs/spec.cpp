#include <fmt/format.h>

#include <algorithm>

#include "kernels/spec.h"

namespace gpuprobe {
namespace embedded {
extern const char structs_kernel[];
}
namespace {

using namespace spec;

std::vector<Parameter> parameters() {
  return {
      choice("layout", "aos", {"aos", "soa"}, "array of structs, or an array for each field"),
      choice("bytes", "16", {"8", "12", "16", "20", "24", "32"}, "size of a struct, made of 4-byte fields"),
      choice("fields", "one", {"one", "all"}, "fields that the kernel reads"),
      integer("n", "4194304", 1, 1 << 28, "structs"),
      integer("block", "256", 1, 1024, "threads of a block"),
  };
}

Result<Kernel> build(const ParameterValues& values) {
  const bool aos = values.text("layout") == "aos";
  const std::int64_t words = std::stoi(values.text("bytes")) / 4;
  const std::int64_t fields = values.text("fields") == "all" ? words : 1;
  const std::int64_t n = values.integer("n");
  const std::int64_t block = values.integer("block");
  const auto launch = make_launch(ceil_div(n, block), 1, block, 1);
  if (!launch) return tl::unexpected(launch.error());
  Kernel kernel = start_kernel("structs", embedded::structs_kernel, parameters(), values);
  kernel.defines = {{"GPUPROBE_WORDS", std::to_string(words)}, {"GPUPROBE_FIELDS", std::to_string(fields)}};
  const ElementType f32 = *element_type_from_string("f32");
  kernel.buffers = {{aos ? "particles" : "fields", f32, static_cast<std::uint64_t>(n * words), random_init()},
                    {"out", f32, static_cast<std::uint64_t>(n), {}}};
  kernel.steps = {{aos ? "structs_aos" : "structs_soa",
                   *launch,
                   {BufferRef{0}, BufferRef{1}, Scalar::i32(static_cast<std::int32_t>(n))}}};
  ResultCheck check;
  check.buffer = 1;
  check.expected = [aos, words, fields, n](const HostBuffers& initial, std::uint64_t index) {
    const float* in = as<float>(initial, 0);
    const auto i = static_cast<std::int64_t>(index);
    float sum = 0.0f;
    for (std::int64_t f = 0; f < fields; ++f) sum += aos ? in[i * words + f] : in[f * n + i];
    return static_cast<double>(sum);
  };
  check.reference = "the same f32 additions in the same order";
  kernel.checks = {check};
  kernel.useful_bytes = 4.0 * static_cast<double>(n * (fields + 1));
  if (aos)
    kernel.cures.push_back({"uncoalesced-load", "--layout soa", "keep each field in an array of its own"});
  return kernel;
}

}  // namespace

KernelFamily structs_family() {
  KernelFamily family;
  family.name = "structs";
  family.summary = "array of structs against an array for each field";
  family.description =
      "Shows what reading one 4-byte field of a struct costs: the sectors of a request grow with the size of "
      "the\n"
      "struct, up to one for each lane. With --fields all the bytes are wanted, but request by request.";
  family.source = {"structs/kernel.cu", embedded::structs_kernel};
  family.parameters = parameters();
  family.build = build;
  for (const int bytes : {8, 12, 16, 20, 24, 32})
    family.planted.push_back({fmt::format("--bytes {}", bytes),
                              "uncoalesced-load",
                              {},
                              {fmt::format("global.load.sectors_per_request == {}", bytes),
                               "global.store.sectors_per_request == 4"}});
  for (const int bytes : {8, 32})
    family.planted.push_back(
        {fmt::format("--bytes {} --layout soa", bytes),
         "none",
         {},
         {"global.load.sectors_per_request == 4", "global.store.sectors_per_request == 4"}});
  family.planted.push_back(
      {"--fields all --layout soa", "none", {}, {"global.load.sectors_per_request == 4"}});
  return family;
}

}  // namespace gpuprobe
