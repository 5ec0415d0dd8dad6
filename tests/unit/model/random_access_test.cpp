// Random lane addresses through the whole road: kernels of one warp whose instructions, in PTX at the stated
// width, take their addresses and their active lanes from a buffer; what the prediction reports for each is
// what a count by the definitions gives.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fmt/core.h>

#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "support/temporary_folder.h"
#include "unit/model/predict.h"
#include "unit/model/recount.h"

namespace gpuprobe::testing {
namespace {

/// One kind of instruction: `text` has %0 as its address (%1 as the second one of a copy), `s` is shared.
struct Access {
  AccessKind kind;
  std::uint32_t width;
  const char* text;
  bool combined = false;  ///< an increment whose lanes on one word are one
};

constexpr Access kAccesses[] = {
    {AccessKind::kGlobalLoad, 1, "{ .reg .b32 t; ld.global.u8 t, [%0]; }"},
    {AccessKind::kGlobalLoad, 2, "{ .reg .b16 t; ld.global.b16 t, [%0]; }"},
    {AccessKind::kGlobalLoad, 4, "{ .reg .b32 t; ld.global.b32 t, [%0]; }"},
    {AccessKind::kGlobalLoad, 4, "{ .reg .b16 t, u; ld.global.v2.b16 {t, u}, [%0]; }"},
    {AccessKind::kGlobalLoad, 8, "{ .reg .b32 t, u; ld.global.v2.b32 {t, u}, [%0]; }"},
    {AccessKind::kGlobalLoad, 16, "{ .reg .b32 t, u, v, w; ld.global.v4.b32 {t, u, v, w}, [%0]; }"},
    {AccessKind::kGlobalStore, 1, "{ .reg .b32 t; mov.b32 t, 1; st.global.u8 [%0], t; }"},
    {AccessKind::kGlobalStore, 4, "{ .reg .b32 t; mov.b32 t, 1; st.global.b32 [%0], t; }"},
    {AccessKind::kGlobalStore, 8, "{ .reg .b64 t; mov.b64 t, 1; st.global.b64 [%0], t; }"},
    {AccessKind::kGlobalStore, 16, "{ .reg .b64 t; mov.b64 t, 1; st.global.v2.b64 [%0], {t, t}; }"},
    {AccessKind::kGlobalAtomic, 4, "{ .reg .b32 t; mov.b32 t, 1; red.global.add.u32 [%0], t; }"},
    {AccessKind::kGlobalAtomic, 8, "{ .reg .b64 t; mov.b64 t, 1; red.global.add.u64 [%0], t; }"},
    {AccessKind::kSharedLoad, 1, "{ .reg .b32 t; ld.shared.u8 t, [%0]; }"},
    {AccessKind::kSharedLoad, 2, "{ .reg .b16 t; ld.shared.b16 t, [%0]; }"},
    {AccessKind::kSharedLoad, 4, "{ .reg .b32 t; ld.shared.b32 t, [%0]; }"},
    {AccessKind::kSharedLoad, 8, "{ .reg .b64 t; ld.shared.b64 t, [%0]; }"},
    {AccessKind::kSharedLoad, 16, "{ .reg .b32 t, u, v, w; ld.shared.v4.b32 {t, u, v, w}, [%0]; }"},
    {AccessKind::kSharedStore, 1, "{ .reg .b32 t; mov.b32 t, 1; st.shared.u8 [%0], t; }"},
    {AccessKind::kSharedStore, 4, "{ .reg .b32 t; mov.b32 t, 1; st.shared.b32 [%0], t; }"},
    {AccessKind::kSharedStore, 8, "{ .reg .b32 t; mov.b32 t, 1; st.shared.v2.b32 [%0], {t, t}; }"},
    {AccessKind::kSharedStore, 16, "{ .reg .b64 t; mov.b64 t, 1; st.shared.v2.b64 [%0], {t, t}; }"},
    {AccessKind::kSharedAtomic, 4, "{ .reg .b32 t; mov.b32 t, 2; red.shared.add.u32 [%0], t; }"},
    {AccessKind::kSharedAtomic, 4, "{ .reg .b32 t; mov.u32 t, %%laneid; red.shared.max.u32 [%0], t; }"},
    {AccessKind::kSharedAtomic, 4, "{ .reg .b32 t; mov.b32 t, 1; red.shared.add.u32 [%0], t; }", true},
    {AccessKind::kSharedAtomic, 4, "{ .reg .b32 t; atom.shared.inc.u32 t, [%0], 0xffffffff; }", true},
    {AccessKind::kAsyncCopyShared, 4, "cp.async.ca.shared.global [%0], [%1], 4;"},
    {AccessKind::kAsyncCopyShared, 8, "cp.async.ca.shared.global [%0], [%1], 8;"},
    {AccessKind::kAsyncCopyShared, 16, "cp.async.cg.shared.global [%0], [%1], 16;"},
};
constexpr std::size_t kAccessCount = std::size(kAccesses);
constexpr std::uint32_t kWindow = 8192;  // bytes that an address is in
constexpr int kFirstLine = 10;           // of the instruction of the first kernel; one kernel every ten lines

/// A kernel of the source for each instruction. Its launch reads 32 offsets, 32 more and the active lanes.
std::string source() {
  std::string text;
  for (std::size_t i = 0; i < kAccessCount; ++i) {
    const bool shared = is_shared(kAccesses[i].kind);
    const bool copies = kAccesses[i].kind == AccessKind::kAsyncCopyShared;
    text += fmt::format(
        "extern \"C\" __global__ void access_{}(char* g, const unsigned* plan) {{\n"
        "  __shared__ __align__(256) char tile[{}];\n"
        "  const unsigned s = (unsigned)__cvta_generic_to_shared(tile) + plan[threadIdx.x];\n"
        "  char* const p = g + plan[threadIdx.x];\n"
        "  char* const q = g + plan[32 + threadIdx.x];\n"
        "\n"
        "\n"
        "  if (plan[64] >> threadIdx.x & 1)\n"
        "  //\n"
        "  asm volatile(\"{}\" :: {}{} : \"memory\"); }}\n",
        i, kWindow + 16, kAccesses[i].text, shared ? "\"r\"(s)" : "\"l\"(p)", copies ? ", \"l\"(q)" : "");
  }
  return text;
}

struct Plan {
  std::array<std::uint32_t, 32> offset{};
  std::array<std::uint32_t, 32> source{};
  std::uint32_t active = 0;
};

/// Progressions, pairs, rows, broadcasts and scattered addresses, aligned to `width`.
std::array<std::uint32_t, 32> random_offsets(std::uint32_t width) {
  std::array<std::uint32_t, 32> offsets{};
  const std::uint32_t elements = kWindow / width;
  const int shape = *rc::gen::inRange(0, 5);
  const auto base = *rc::gen::inRange(0u, elements);
  const auto stride = *rc::gen::inRange(0u, 40u);
  const auto pitch = *rc::gen::inRange(1u, 70u);
  const auto row = *rc::gen::inRange(1u, 33u);
  for (std::uint32_t i = 0; i < 32; ++i) {
    std::uint32_t element = base;
    if (shape == 0) element += stride * i;
    if (shape == 1) element += pitch * (i / row) + i % row;
    if (shape == 2) element += stride * (i & ~2u);
    if (shape == 3) element += stride * (i / 2);
    if (shape == 4) element = *rc::gen::inRange(0u, elements);
    offsets[i] = element % elements * width;
  }
  return offsets;
}

LanePattern pattern_of(const std::array<std::uint32_t, 32>& offsets, const Plan& plan, std::uint32_t width) {
  LanePattern pattern;
  std::copy(offsets.begin(), offsets.end(), pattern.address.begin());
  pattern.active = plan.active;
  pattern.width = width;
  return pattern;
}

RC_GTEST_PROP(RandomAccess, IsReportedAsItsAddressesSay, ()) {
  static const CompiledKernel kCompiled = [] {
    Kernel kernel;
    kernel.name = "accesses";
    kernel.source = {"accesses.cu", source()};
    for (std::size_t i = 0; i < kAccessCount; ++i)
      kernel.steps.push_back({fmt::format("access_{}", i), {}, {}});
    auto compiled = compile::compile(kernel, "sm_90");
    if (!compiled) throw std::runtime_error(compiled.error().what);
    return *compiled;
  }();

  std::vector<Plan> plans;
  std::string bytes;
  for (const Access& access : kAccesses) {
    Plan plan;
    plan.offset = random_offsets(access.width);
    plan.source = random_offsets(access.width);
    plan.active = *rc::gen::oneOf(rc::gen::just(~0u), rc::gen::arbitrary<std::uint32_t>(),
                                  rc::gen::just(0x55555555u), rc::gen::just(0xFFFFu));
    plans.push_back(plan);
    const std::array<std::uint32_t, 64> rest{plan.active};
    bytes.append(reinterpret_cast<const char*>(plan.offset.data()), sizeof plan.offset);
    bytes.append(reinterpret_cast<const char*>(plan.source.data()), sizeof plan.source);
    bytes.append(reinterpret_cast<const char*>(rest.data()), sizeof rest);
  }
  const test::TemporaryFolder folder;
  Kernel kernel;
  kernel.name = "accesses";
  kernel.source = {"accesses.cu", source()};
  kernel.buffers = {words("g", kWindow / 4 + 4), words("plan", kAccessCount * 128)};
  kernel.buffers[1].init.kind = BufferInit::Kind::kFile;
  kernel.buffers[1].init.path = folder.write("plan.bin", bytes);
  for (std::size_t i = 0; i < kAccessCount; ++i)
    kernel.steps.push_back(
        {fmt::format("access_{}", i), {{1, 1, 1}, {32, 1, 1}, 0, {}}, {BufferRef{0}, BufferRef{1, i * 512}}});
  const auto run = PredictedSource(*device_for_arch("sm_90")).collect(kernel, kCompiled, {});
  RC_ASSERT(run.has_value());

  std::map<std::pair<int, AccessKind>, const Site*> sites;
  for (const Site& site : run->sites) sites[{site.line, site.access}] = &site;
  for (std::size_t i = 0; i < kAccessCount; ++i) {
    const Access& access = kAccesses[i];
    const Plan& plan = plans[i];
    const int line = kFirstLine * static_cast<int>(i + 1);
    const auto expect = [&](AccessKind kind, const LanePattern& pattern, const LanePattern* destination) {
      const auto site = sites.find({line, kind});
      if (plan.active == 0) {
        RC_ASSERT(site == sites.end());
        return;
      }
      RC_ASSERT(site != sites.end());
      const Recount counted =
          recount(access.combined ? AccessKind::kSharedStore : kind, pattern, destination);
      RC_ASSERT(site->second->requests == 1.0);
      RC_ASSERT(site->second->width == access.width);
      RC_ASSERT(site->second->active_lanes == static_cast<double>(std::popcount(plan.active)));
      RC_ASSERT(site->second->actual == static_cast<double>(counted.actual));
      RC_ASSERT(site->second->ideal == static_cast<double>(counted.ideal));
    };
    const LanePattern pattern = pattern_of(plan.offset, plan, access.width);
    expect(access.kind, pattern, nullptr);
    if (access.kind == AccessKind::kAsyncCopyShared)
      expect(AccessKind::kGlobalLoad, pattern_of(plan.source, plan, access.width), &pattern);
  }
}

}  // namespace
}  // namespace gpuprobe::testing
