// Kernels that people asked about, as predicted runs with the addresses of each access: the answer must be
// the one that follows from them. The numbers in the names are those of the case collection under
// tests/cases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "build_run.h"
#include "diagnose/diagnose.h"

namespace gpuprobe::diagnose {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAreArray;

constexpr auto kLoad = AccessKind::kGlobalLoad;
constexpr auto kStore = AccessKind::kGlobalStore;
constexpr auto kSharedLoad = AccessKind::kSharedLoad;
constexpr auto kSharedStore = AccessKind::kSharedStore;

std::function<std::uint64_t(std::uint32_t)> strided(std::uint64_t step, std::uint64_t offset = 0) {
  return [=](std::uint32_t lane) { return offset + lane * step; };
}

/// Rows of `x` lanes in an image whose rows are `pitch` bytes.
std::function<std::uint64_t(std::uint32_t)> rows_of(std::uint32_t x, std::uint32_t width,
                                                    std::uint64_t pitch) {
  return [=](std::uint32_t lane) { return lane / x * pitch + lane % x * width; };
}

/// A streaming kernel over 2^24 threads: 524288 warps, some instructions each.
RunBuilder streaming() {
  RunBuilder builder;
  builder.predicted().grid(65536).block(256).registers(16).number("issue.warp_instructions", 524288.0 * 16);
  return builder;
}

/// 256 loop trips of shared accesses in 528 blocks of 256: what the cases with a `threads` count do.
constexpr double kLoops = 4224.0 * 256;
RunBuilder looping() {
  RunBuilder builder;
  builder.predicted().grid(528).block(256).number("issue.warp_instructions", kLoops * 4);
  builder.access_at(3, kStore, 4, 4224, strided(4)).unique(0, 540672);
  return builder;
}

struct Case {
  const char* name;
  Run run;
  const char* verdict;            ///< "" = nothing limiting or present
  std::vector<std::string> also;  ///< further true findings that may be limiting or present
};
void PrintTo(const Case& planted, std::ostream* out) {
  *out << planted.name;
}

constexpr double kWarps = 524288;

std::vector<Case> global_cases() {
  std::vector<Case> cases;
  const auto stream = [&](const char* name, std::uint32_t width, auto address, double load_bytes,
                          const char* verdict, std::vector<std::string> also = {}) {
    cases.push_back({name,
                     streaming()
                         .access_at(5, kLoad, width, kWarps, address)
                         .access_at(6, kStore, width, kWarps, strided(width))
                         .unique(load_bytes, kWarps * 32 * width)
                         .build(),
                     verdict, also});
  };
  stream("N01_streaming", 4, strided(4), kWarps * 128, "");
  stream("N01_streaming_float4", 16, strided(16), kWarps * 512, "");
  stream("G13_int64", 8, strided(8), kWarps * 256, "");
  stream("G17_stride_2", 4, strided(8), kWarps * 256, "uncoalesced-load");
  stream("G17_stride_32", 4, strided(128), kWarps * 1024, "uncoalesced-load");
  stream("G11_struct_of_12_bytes", 4, strided(12), kWarps * 384, "uncoalesced-load");
  stream("G11_struct_of_20_bytes", 4, strided(20), kWarps * 640, "uncoalesced-load");
  stream("G11_double_in_16_bytes", 8, strided(16), kWarps * 512, "uncoalesced-load");
  stream("broadcast", 4, strided(0), 64, "");
  stream("G25_ushort_rows_of_640", 2, strided(2), kWarps * 64, "");
  cases.push_back({"G03_naive_transpose",
                   streaming()
                       .access_at(5, kLoad, 4, kWarps, strided(4))
                       .access_at(6, kStore, 4, kWarps, strided(16384))
                       .unique(kWarps * 128, kWarps * 128)
                       .build(),
                   "uncoalesced-store",
                   {}});
  cases.push_back({"G05_matmul_row_from_x",
                   RunBuilder()
                       .predicted()
                       .grid(32, 32)
                       .block(32, 32)
                       .registers(32)
                       .number("issue.warp_instructions", 32768.0 * 1024 * 6)
                       .access_at(5, kLoad, 4, 32768.0 * 1024, strided(4096))
                       .access_at(6, kLoad, 4, 32768.0 * 1024, strided(0))
                       .access_at(8, kStore, 4, 32768, strided(4096))
                       .unique(8388608, 4194304)
                       .build(),
                   "uncoalesced-load",
                   {"uncoalesced-store"}});
  cases.push_back({"G05_matmul_row_from_y",
                   RunBuilder()
                       .predicted()
                       .grid(32, 32)
                       .block(32, 32)
                       .registers(32)
                       .number("issue.warp_instructions", 32768.0 * 1024 * 6)
                       .access_at(5, kLoad, 4, 32768.0 * 1024, strided(0))
                       .access_at(6, kLoad, 4, 32768.0 * 1024, strided(4))
                       .access_at(8, kStore, 4, 32768, strided(4))
                       .unique(8388608, 4194304)
                       .build(),
                   "",
                   {}});
  // 30000 bodies of 24 bytes: six scattered loads a warp beside 90000 broadcasts, and scattered stores.
  cases.push_back({"G07_nbody",
                   RunBuilder()
                       .predicted()
                       .grid(118)
                       .block(256)
                       .number("issue.warp_instructions", 944.0 * 30000 * 12)
                       .access_at(5, kLoad, 4, 944.0 * 90000, strided(0))
                       .access_at(4, kLoad, 4, 944.0 * 6, strided(24))
                       .access_at(9, kStore, 4, 944.0 * 3, strided(24))
                       .unique(720000, 720000)
                       .build(),
                   "grid-too-small",
                   {}});
  cases.push_back({"G09_one_warp_fields",
                   RunBuilder()
                       .predicted()
                       .grid(1)
                       .block(32)
                       .access_at(5, kLoad, 4, 4, strided(16))
                       .access_at(6, kStore, 4, 4, strided(16))
                       .unique(512, 512)
                       .build(),
                   "grid-too-small",
                   {"uncoalesced-load", "uncoalesced-store"}});
  cases.push_back({"G15_float4_down_a_column",
                   streaming()
                       .access_at(5, kLoad, 16, kWarps, strided(16384))
                       .access_at(6, kStore, 16, kWarps, strided(16384))
                       .unique(kWarps * 512, kWarps * 512)
                       .build(),
                   "uncoalesced-store",
                   {"uncoalesced-load"}});
  cases.push_back({"G27_vector_add_of_2000",
                   RunBuilder()
                       .predicted()
                       .grid(4)
                       .block(512)
                       .access_at(5, kLoad, 4, 124, strided(4))
                       .access_at(5, kLoad, 4, 2, strided(4), 0xffff)
                       .access_at(6, kStore, 4, 62, strided(4))
                       .access_at(6, kStore, 4, 1, strided(4), 0xffff)
                       .unique(16000, 8000)
                       .build(),
                   "grid-too-small",
                   {}});
  const auto image = [&](const char* name, std::uint32_t x, std::uint32_t y, const char* verdict,
                         std::vector<std::string> also = {}) {
    cases.push_back({name,
                     streaming()
                         .grid(4096 / x, 4096 / y)
                         .block(x, y)
                         .access_at(5, kLoad, 4, kWarps, rows_of(x, 4, 16384))
                         .access_at(6, kStore, 4, kWarps, rows_of(x, 4, 16384))
                         .unique(kWarps * 128, kWarps * 128)
                         .build(),
                     verdict, also});
  };
  image("G23_block_32x8", 32, 8, "");
  image("G23_block_16x16", 16, 16, "");
  image("G23_block_8x16", 8, 16, "");
  image("G23_block_4x64", 4, 64, "narrow-block");
  return cases;
}

std::vector<Case> shared_cases() {
  std::vector<Case> cases;
  const auto loop = [&](const char* name, std::uint32_t width, auto address, const char* verdict) {
    cases.push_back({name, looping().access_at(5, kSharedLoad, width, kLoops, address).build(), verdict, {}});
  };
  loop("S01_column_of_32", 4, strided(128), "bank-conflict-load");
  loop("S01_column_of_33", 4, strided(132), "");
  loop("S03_double_column_of_32", 8, strided(256), "bank-conflict-load");
  loop("S03_double_column_of_33", 8, strided(264), "");
  loop("S03_double_column_of_34", 8, strided(272), "bank-conflict-load");
  loop("S05_float4_stride_8", 16, strided(128), "bank-conflict-load");
  loop("S05_float4_stride_2", 16, strided(32), "bank-conflict-load");
  loop("S05_float4_stride_1", 16, strided(16), "");
  loop("S05_float4_stride_3", 16, strided(48), "");
  loop("S17_scalar_of_four", 4, strided(16), "bank-conflict-load");
  loop("S17_vector_of_four", 16, strided(16), "");
  loop("S21_struct_of_12", 4, strided(12), "");
  loop("S21_struct_of_8_scalar", 4, strided(8), "bank-conflict-load");
  loop("S21_struct_of_8_vector", 8, strided(8), "");
  loop("broadcast", 4, strided(0), "");
  loop(
      "pairs_of_16_bytes_merge", 16, [](std::uint32_t lane) { return (lane & ~2u) * 16u; }, "");
  const auto xored = [&](const char* name, std::uint32_t mask, const char* verdict) {
    loop(
        name, 4, [mask](std::uint32_t lane) { return lane * 128u + (lane & mask) * 4u; }, verdict);
  };
  xored("S15_swizzle_of_5_bits", 31, "");
  xored("S15_swizzle_of_3_bits", 7, "bank-conflict-load");
  xored("S15_swizzle_of_2_bits", 3, "bank-conflict-load");
  cases.push_back({"S27_pitch_of_65",
                   looping()
                       .access_at(5, kSharedStore, 4, kLoops,
                                  [](std::uint32_t lane) { return lane / 16 * 260u + lane % 16 * 16u; })
                       .build(),
                   "bank-conflict-store",
                   {}});
  cases.push_back({"S07_tile_of_16x17",
                   looping()
                       .access_at(5, kSharedStore, 4, kLoops,
                                  [](std::uint32_t lane) { return lane / 16 * 4u + lane % 16 * 68u; })
                       .access_at(6, kSharedLoad, 4, kLoops,
                                  [](std::uint32_t lane) { return lane / 16 * 68u + lane % 16 * 4u; })
                       .build(),
                   "bank-conflict-load",
                   {"bank-conflict-store"}});
  // The same 32-way conflict once a block in a kernel that streams 256 MB: true, and nothing would be gained.
  cases.push_back({"rare_conflict_in_a_stream",
                   streaming()
                       .access_at(5, kLoad, 4, kWarps, strided(4))
                       .access_at(6, kStore, 4, kWarps, strided(4))
                       .access_at(7, kSharedLoad, 4, 65536, strided(4))
                       .access_at(8, kSharedLoad, 4, 512, strided(128))
                       .unique(kWarps * 128, kWarps * 128)
                       .build(),
                   "",
                   {}});
  return cases;
}

class PlantedCases : public testing::TestWithParam<Case> {};

TEST_P(PlantedCases, GetTheirAnswer) {
  const Case& planted = GetParam();
  const Diagnosis diagnosis = diagnose(planted.run);
  if (planted.verdict[0] != '\0') {
    EXPECT_EQ(diagnosis.verdict.kind, planted.verdict) << diagnosis.verdict.text;
  } else {
    EXPECT_FALSE(finding_kind_from_string(diagnosis.verdict.kind)) << diagnosis.verdict.text;
    EXPECT_NE(diagnosis.verdict.kind, "inconclusive") << diagnosis.verdict.text;
  }
  for (const Finding& finding : diagnosis.findings) {
    const std::string kind(to_string(finding.kind));
    if (finding.severity == Severity::kNegligible || kind == planted.verdict) continue;
    EXPECT_THAT(planted.also, testing::Contains(kind))
        << finding.text << " gain " << finding.gain->low << ".." << finding.gain->high << " "
        << finding.gain->reasoning;
  }
}

const auto name_of_case = [](const auto& parameter) { return std::string(parameter.param.name); };
INSTANTIATE_TEST_SUITE_P(Global, PlantedCases, testing::ValuesIn(global_cases()), name_of_case);
INSTANTIATE_TEST_SUITE_P(Shared, PlantedCases, testing::ValuesIn(shared_cases()), name_of_case);

}  // namespace
}  // namespace gpuprobe::diagnose
