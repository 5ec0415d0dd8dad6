// Everything measured on the H200, through the whole road: kernels compiled by NVRTC, executed by the model,
// sampled as by default.
#include <gtest/gtest.h>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "unit/kernels/truth.h"
#include "unit/model/predict.h"
#include "unit/model/tsv.h"

namespace gpuprobe {
namespace {

class PredictedTruth : public ::testing::TestWithParam<TruthCase> {};

TEST_P(PredictedTruth, CountsAreTheMeasuredOnes) {
  const auto run = testing::predict(GetParam().family, GetParam().options);
  ASSERT_TRUE(run.has_value()) << run.error().what;
  auto row = truth_row(GetParam().name);
  const auto truth = [&](const char* column) { return std::stod(row[column]); };
  const auto got = [&](const std::string& metric) { return run->counters.number(metric).value_or(-1); };
  EXPECT_EQ(got("global.load.requests"), truth("ld_requests"));
  EXPECT_EQ(got("global.load.sectors"), truth("ld_sectors"));
  EXPECT_EQ(got("global.store.requests"), truth("st_requests"));
  EXPECT_EQ(got("global.store.sectors"), truth("st_sectors"));
  EXPECT_EQ(got("shared.load.wavefronts") + got("shared.store.wavefronts"),
            truth("shared_wavefronts_theoretical"));
  double global = 0;
  double ideal = 0;
  for (const Site& site : run->sites)
    if (!is_shared(site.access)) {
      global += site.actual;
      ideal += site.ideal;
    }
  if (row["case"] == "reduce_global") {
    // The family finishes with one atomic a block, the measured kernel did not.
    global -= got("global.atomic.sectors");
    ideal -= got("global.atomic.sectors");
  }
  EXPECT_EQ(global, truth("global_sectors_theoretical"));
  EXPECT_EQ(ideal, truth("global_sectors_ideal"));
  // The reductions' loads and stores run predicated off in warps without an active lane, which the PTX
  // branches around.
  if (!row["case"].starts_with("reduce_")) {
    EXPECT_EQ(got("shared.load.requests"), truth("shared_ld_inst"));
    EXPECT_EQ(got("shared.store.requests"), truth("shared_st_inst"));
  }
  EXPECT_TRUE(run->hazards.empty()) << run->hazards.front().text;
  for (const std::string& note : run->notes) EXPECT_EQ(note.find("estimate"), std::string::npos) << note;
  EXPECT_NE(run->check.state, CheckOutcome::State::kFailed) << run->check.text;
}

INSTANTIATE_TEST_SUITE_P(H200, PredictedTruth, ::testing::ValuesIn(truth_cases()),
                         [](const auto& instance) { return std::string(instance.param.name); });

/// The instruction of a row as inline PTX; `s` is its shared address, `p` its global one.
std::string instruction_of(const std::string& op, int width) {
  const bool narrow = width == 4;
  const std::string vector = width == 16 ? "v2.b64" : narrow ? "b32" : "b64";
  const std::string loaded = width == 16 ? "{%0, %1}" : "%0";
  const std::string outputs = width == 16 ? R"("=l"(a), "=l"(b))" : narrow ? R"("=r"(x))" : R"("=l"(a))";
  const std::string stored = width == 16 ? "{%1, %2}" : "%1";
  const std::string inputs = width == 16 ? R"("l"(a), "l"(b))" : narrow ? R"("r"(x))" : R"("l"(a))";
  const bool shared = op.starts_with("shared");
  const std::string space = shared ? "shared" : "global";
  const std::string address = shared ? R"("r"(s))" : R"("l"(p))";
  if (op.ends_with("_load"))
    return fmt::format("asm volatile(\"ld.{}.{} {}, [%{}];\" : {} : {} : \"memory\");", space, vector, loaded,
                       width == 16 ? 2 : 1, outputs, address);
  if (op.ends_with("_store"))
    return fmt::format("asm volatile(\"st.{}.{} [%0], {};\" :: {}, {} : \"memory\");", space, vector, stored,
                       address, inputs);
  if (op.ends_with("_red"))
    return fmt::format("asm volatile(\"red.{}.add.u32 [%0], %1;\" :: {}, \"r\"(x) : \"memory\");", space,
                       address);
  if (op == "ldmatrix_x4")
    return "asm volatile(\"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\" : \"=r\"(x), "
           "\"=r\"(y), \"=r\"(z), \"=r\"(v) : \"r\"(s) : \"memory\");";
  if (op == "cp_async_cg_16")
    return "asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16;\" :: \"r\"(s), \"l\"(q) : \"memory\");";
  return "";
}

TEST(PredictedTruth, EveryMeasuredAccessAsAKernelOfOneWarp) {
  const auto rows = testing::read_tsv(GPUPROBE_TESTS_DIR "/data/truth/access_h200.tsv");
  ASSERT_GE(rows.size(), 130u);
  std::string text;
  int line = 0;
  const auto add_line = [&](const std::string& code) {
    text += code + "\n";
    return ++line;
  };
  Kernel kernel;
  std::map<int, std::size_t> row_at;  // line of the access -> row
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const int width = std::stoi(rows[i].at("width"));
    std::string formula = rows[i].at("lane_byte_offset");
    std::string guard;
    if (const auto comma = formula.find(", "); comma != std::string::npos) {
      guard = formula.substr(comma).starts_with(", lanes 0..15") ? "if (i < 16) " : "if (i % 2 == 0) ";
      formula = formula.substr(0, comma);
    }
    add_line(fmt::format("extern \"C\" __global__ void row_{}(char* g) {{", i));
    add_line("__shared__ __align__(256) unsigned tile[2048]; const int i = threadIdx.x;");
    add_line("for (int k = i; k < 2048; k += 32) tile[k] = k;");
    add_line("__syncthreads();");
    add_line("unsigned x = i, y = 0, z = 0, v = 0; unsigned long long a = i, b = i;");
    add_line(fmt::format("const int w = {}; const int offset = {};", width, formula));
    add_line("const unsigned s = (unsigned)__cvta_generic_to_shared(tile) + offset; char* p = g + offset;");
    add_line("const char* q = g + 16 * i;");
    const std::string instruction = instruction_of(rows[i].at("op"), width);
    ASSERT_FALSE(instruction.empty()) << rows[i].at("op");
    row_at[add_line(guard + instruction)] = i;
    add_line("}");
    kernel.steps.push_back({fmt::format("row_{}", i), {{1, 1, 1}, {32, 1, 1}, 0, {}}, {BufferRef{0}}});
  }
  kernel.name = "rows";
  kernel.source = {"rows.cu", text};
  kernel.buffers = {testing::words("g", 16384)};

  const auto run = testing::predict(kernel);
  ASSERT_TRUE(run.has_value()) << run.error().what;
  EXPECT_TRUE(run->hazards.empty()) << run->hazards.front().text;
  std::map<std::size_t, int> sites_of_row;
  for (const Site& site : run->sites) {
    const auto at = row_at.find(site.line);
    if (at == row_at.end()) continue;  // the staging loop
    const auto& row = rows[at->second];
    SCOPED_TRACE(row.at("op") + " " + row.at("width") + " " + row.at("lane_byte_offset"));
    ++sites_of_row[at->second];
    EXPECT_EQ(site.file, "rows.cu");
    EXPECT_EQ(site.requests, 1);
    if (is_shared(site.access)) {
      EXPECT_EQ(site.actual, std::stod(row.at("shared_wavefronts")));
      if (row.at("op") != "cp_async_cg_16") {
        EXPECT_EQ(site.excess(), std::stod(row.at("hw_conflicts")));
      }
      // The table has Nsight's ideal: the bytes of the active lanes over 128, at most the actual.
      const double bytes = site.active_lanes * site.width;
      EXPECT_EQ(std::min(site.actual, std::ceil(bytes / 128)), std::stod(row.at("shared_wavefronts_ideal")));
    } else {
      EXPECT_EQ(site.actual, std::stod(row.at("global_sectors")));
      EXPECT_EQ(site.ideal, std::stod(row.at("global_sectors_ideal")));
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i)
    EXPECT_EQ(sites_of_row[i], rows[i].at("op") == "cp_async_cg_16" ? 2 : 1) << rows[i].at("op");
}

}  // namespace
}  // namespace gpuprobe
