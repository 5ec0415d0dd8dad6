// The 37 kernels recorded on an H200 (tests/data/truth/kernels_h200.tsv): each must get the right verdict,
// and none a finding that is not true.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "build_run.h"
#include "diagnose/access/traffic.h"
#include "diagnose/cost/model.h"
#include "diagnose/diagnose.h"

namespace gpuprobe::diagnose {
namespace {

using Row = std::map<std::string, std::string>;

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells;
  std::stringstream stream(line);
  for (std::string cell; std::getline(stream, cell, '\t');) cells.push_back(cell);
  return cells;
}

const std::map<std::string, Row>& rows() {
  static const std::map<std::string, Row> kRows = [] {
    std::map<std::string, Row> rows;
    std::ifstream file(GPUPROBE_TESTS_DIR "/data/truth/kernels_h200.tsv");
    std::string line;
    std::getline(file, line);
    const std::vector<std::string> names = split(line);
    while (std::getline(file, line)) {
      const std::vector<std::string> cells = split(line);
      Row row;
      for (std::size_t i = 0; i < cells.size() && i < names.size(); ++i) row[names[i]] = cells[i];
      rows[row["case"]] = row;
    }
    return rows;
  }();
  return kRows;
}

double number(const Row& row, const std::string& name) {
  return std::stod(row.at(name));
}

void dimensions(const std::string& text, std::uint32_t out[2]) {
  std::sscanf(text.c_str(), "(%u, %u", &out[0], &out[1]);
}

/// The table has the ideal and the exact wavefronts of loads and stores together. They are told apart by what
/// the kernel is known to do: stores of 4 bytes a lane (1 in `invert`), and the stores' exact wavefronts
/// where they conflict.
double exact_store_wavefronts(const std::string& name, const Row& row) {
  const double instructions = number(row, "shared_st_inst");
  // Half of the stores stage B transposed, 32 wavefronts each; the other half stage A, one each.
  if (name == "mm_tiledT_32") return instructions / 2 * 32 + instructions / 2;
  // 55 wavefronts a block of 256 threads: 8 for staging and 8 x 2, 4 x 2 ... for the strided tree.
  if (name == "reduce_interleaved") return 65536.0 * 55;
  return std::min(instructions, number(row, "shared_st_wavefronts_hw"));
}

double ideal_store_wavefronts(const std::string& name, const Row& row) {
  // 20 requests a block that have an active lane.
  if (name == "reduce_interleaved") return 65536.0 * 20;
  return std::min(number(row, "shared_st_inst"), number(row, "shared_st_wavefronts_hw"));
}

Run run_of(const std::string& name) {
  const Row& row = rows().at(name);
  std::uint32_t grid[2] = {1, 1};
  std::uint32_t block[2] = {1, 1};
  dimensions(row.at("grid"), grid);
  dimensions(row.at("block"), block);
  const double width = name.rfind("invert", 0) == 0 ? 1 : 4;
  const double store_ideal = std::min(number(row, "st_sectors"), width * number(row, "st_requests"));
  const double load_ideal =
      std::min(number(row, "ld_sectors"), number(row, "global_sectors_ideal") - store_ideal);
  const double store_wavefronts = exact_store_wavefronts(name, row);
  const double store_ideal_wavefronts = ideal_store_wavefronts(name, row);
  return RunBuilder()
      .grid(grid[0], grid[1])
      .block(block[0], block[1])
      .registers(std::stoi(row.at("regs")))
      .shared_bytes(static_cast<std::uint32_t>(number(row, "smem_static") + number(row, "smem_dynamic")))
      .load(number(row, "ld_requests"), number(row, "ld_sectors"), load_ideal)
      .store(number(row, "st_requests"), number(row, "st_sectors"), store_ideal)
      .shared_load(number(row, "shared_ld_inst"),
                   number(row, "shared_wavefronts_theoretical") - store_wavefronts,
                   number(row, "shared_wavefronts_ideal") - store_ideal_wavefronts)
      .shared_store(number(row, "shared_st_inst"), store_wavefronts, store_ideal_wavefronts)
      .number("shared.conflicts_hw.load", number(row, "shared_ld_conflicts_hw"))
      .number("shared.conflicts_hw.store", number(row, "shared_st_conflicts_hw"))
      .number("occupancy.achieved", number(row, "occupancy_achieved_pct"))
      .time_us(number(row, "time_us_median"))
      .busy(number(row, "dram_pct"), number(row, "l2_pct"), number(row, "l1_pct"),
            number(row, "issue_active_pct"))
      .build();
}

constexpr double kRightOrder = 2.5;

/// What a prediction of the same launch would count; nothing that needs a clock. Facts of the kernel that the
/// table does not have: distinct bytes (whole sectors) and 128-byte lines a request.
struct Counted {
  double load_megabytes;
  double store_megabytes;
  double load_lines;
  double store_lines;
};

Counted counted_of(const std::string& name) {
  static const std::map<std::string, Counted> kFacts = {
      {"saxpy", {134.2, 67.1, 1, 1}},
      {"strided_1", {268.4, 1.1, 1, 1}},
      {"strided_2", {268.4, 1.1, 2, 1}},
      {"strided_4", {268.4, 1.1, 4, 1}},
      {"strided_8", {268.4, 1.1, 8, 1}},
      {"strided_16", {134.2, 1.1, 16, 1}},
      {"strided_32", {67.1, 1.1, 32, 1}},
      {"strided_64", {33.6, 1.1, 32, 1}},
      {"strided_128", {16.8, 1.1, 32, 1}},
      {"rowsum_bad", {67.1, 0.1, 32, 1}},
      {"rowsum_good", {67.1, 0.1, 1, 1}},
      {"mm_naive_16", {8.4, 4.2, 1.5, 2}},
      {"mm_naive_swapped", {8.4, 4.2, 16.5, 32}},
      {"mm_tiled_16", {8.4, 4.2, 2, 2}},
      {"tr_naive_w", {67.1, 67.1, 1, 32}},
      {"tr_naive_r", {67.1, 67.1, 32, 1}},
      {"tr_tiled", {67.1, 67.1, 1, 1}},
      {"tr_tiled_pad", {67.1, 67.1, 1, 1}},
      {"tr_swz", {67.1, 67.1, 1, 1}},
      {"reduce_global", {134.2, 67.1, 1, 1}},
      {"reduce_shared", {134.2, 0.5, 1, 1}},
      {"reduce_interleaved", {67.1, 2.1, 1, 1}},
      {"invert", {67.1, 67.1, 2, 2}},
      {"invert_32x8", {67.1, 67.1, 1, 1}},
  };
  if (const auto found = kFacts.find(name); found != kFacts.end()) return found->second;
  if (name.rfind("mm_", 0) == 0) return {8.4, 4.2, 1, 1};
  return {1.1, 0.1, 1, 1};  // bank_*: a staging pass and one store a thread
}

Site site_of(AccessKind access, double requests, double actual, double ideal, double lines,
             std::uint32_t width) {
  Site site;
  site.file = "kernel.cu";
  site.line = 10 + static_cast<int>(access);
  site.access = access;
  site.requests = requests;
  site.actual = actual;
  site.ideal = ideal;
  site.lines = lines;
  site.width = width;
  return site;
}

Run predicted_run_of(const std::string& name) {
  const Run measured = run_of(name);
  const Row& row = rows().at(name);
  const Counted facts = counted_of(name);
  Run run = measured;
  run.source = Origin::kPredicted;
  run.counters = Counters();
  const auto take = [&](const char* metric) { return *measured.counters.number(metric); };
  const std::uint32_t width = name.rfind("invert", 0) == 0 ? 1 : 4;
  run.sites = {
      site_of(AccessKind::kGlobalLoad, take("global.load.requests"), take("global.load.sectors"),
              take("global.load.ideal_sectors"), facts.load_lines * take("global.load.requests"), width),
      site_of(AccessKind::kGlobalStore, take("global.store.requests"), take("global.store.sectors"),
              take("global.store.ideal_sectors"), facts.store_lines * take("global.store.requests"), width),
      site_of(AccessKind::kSharedLoad, take("shared.load.ideal_wavefronts"), take("shared.load.wavefronts"),
              take("shared.load.ideal_wavefronts"), 0, 4),
      site_of(AccessKind::kSharedStore, take("shared.store.ideal_wavefronts"),
              take("shared.store.wavefronts"), take("shared.store.ideal_wavefronts"), 0, 4),
  };
  if (name == "invert") {
    LanePattern rows16;  // 16 lanes side by side, the other 16 one image row further
    rows16.width = 1;
    rows16.active = 0xffffffffu;
    for (std::uint32_t lane = 0; lane < 32; ++lane) rows16.address[lane] = lane % 16 + lane / 16 * 8192u;
    run.sites[0].worst = run.sites[1].worst = rows16;
  }
  const auto set = [&](const char* metric, double value) {
    run.counters.set(metric, {value, Unit::kNone, Origin::kPredicted, {}});
  };
  for (const char* metric :
       {"global.load.requests", "global.load.sectors", "global.load.ideal_sectors", "global.store.requests",
        "global.store.sectors", "global.store.ideal_sectors", "shared.load.wavefronts",
        "shared.load.ideal_wavefronts", "shared.store.wavefronts", "shared.store.ideal_wavefronts"})
    set(metric, take(metric));
  set("shared.load.requests", take("shared.load.ideal_wavefronts"));
  set("shared.store.requests", take("shared.store.ideal_wavefronts"));
  set("global.load.unique_bytes", facts.load_megabytes * 1e6);
  set("global.store.unique_bytes", facts.store_megabytes * 1e6);
  // Instructions: issue slots used, four a cycle and SM at 1.98 GHz.
  set("issue.warp_instructions",
      number(row, "issue_active_pct") / 100 * 4 * 132 * 1.98e9 * number(row, "time_us_median") * 1e-6);
  run.counters.set_missing("time.duration", "needs a GPU");
  return run;
}

struct Answer {
  const char* kernel;
  const char* verdict;            ///< "healthy": what bounds it, and nothing to cure
  std::vector<std::string> also;  ///< further true findings that may be limiting or present
};

const std::vector<Answer>& answers() {
  static const std::vector<Answer> kAnswers = {
      {"saxpy", "dram-bound", {}},
      {"strided_1", "healthy", {}},
      {"strided_2", "uncoalesced-load", {}},
      {"strided_4", "uncoalesced-load", {}},
      {"strided_8", "uncoalesced-load", {}},
      {"strided_16", "uncoalesced-load", {}},
      {"strided_32", "uncoalesced-load", {}},
      {"strided_64", "uncoalesced-load", {}},
      {"strided_128", "uncoalesced-load", {}},
      {"rowsum_bad", "uncoalesced-load", {"grid-too-small"}},
      {"rowsum_good", "healthy", {}},
      {"mm_naive_16", "lsu-bound", {}},
      {"mm_naive_32", "lsu-bound", {}},
      {"mm_naive_swapped", "uncoalesced-load", {"uncoalesced-store"}},
      {"mm_tiled_16", "lsu-bound", {}},
      {"mm_tiled_32", "lsu-bound", {}},
      {"mm_tiledT_32", "bank-conflict-load", {"bank-conflict-store", "occupancy-registers"}},
      {"mm_tiledT_32_pad", "lsu-bound", {}},
      {"tr_naive_w", "uncoalesced-store", {}},
      {"tr_naive_r", "uncoalesced-load", {}},
      {"tr_tiled", "bank-conflict-load", {}},
      {"tr_tiled_pad", "latency-bound", {}},
      {"tr_swz", "latency-bound", {}},
      {"reduce_global", "healthy", {}},
      {"reduce_shared", "healthy", {}},
      {"reduce_interleaved", "bank-conflict-load", {"bank-conflict-store"}},
      {"bank_pitch32", "bank-conflict-load", {}},
      {"bank_pitch33", "latency-bound", {}},
      {"bank_pitch1", "latency-bound", {}},
      {"bank_pitch2", "bank-conflict-load", {}},
      {"bank_pitch4", "bank-conflict-load", {}},
      {"bank_pitch8", "bank-conflict-load", {}},
      {"bank_pitch16", "bank-conflict-load", {}},
      {"bank_pitch0", "latency-bound", {}},
      {"bank_pitch2_half", "latency-bound", {}},
      {"invert", "latency-bound", {"narrow-block"}},
      {"invert_32x8", "latency-bound", {}},
  };
  return kAnswers;
}

class RecordedKernels : public testing::TestWithParam<Answer> {};

TEST_P(RecordedKernels, GetTheirTrueCauseAndNoFalseOne) {
  const Answer& answer = GetParam();
  const Diagnosis diagnosis = diagnose(run_of(answer.kernel));
  if (answer.verdict == std::string("healthy"))
    EXPECT_FALSE(finding_kind_from_string(diagnosis.verdict.kind) || diagnosis.verdict.kind == "inconclusive")
        << diagnosis.verdict.kind << ": " << diagnosis.verdict.text;
  else
    EXPECT_EQ(diagnosis.verdict.kind, answer.verdict) << diagnosis.verdict.text;
  for (const Finding& finding : diagnosis.findings) {
    const std::string kind(to_string(finding.kind));
    if (finding.severity == Severity::kNegligible || kind == answer.verdict) continue;
    EXPECT_NE(std::find(answer.also.begin(), answer.also.end(), kind), answer.also.end())
        << kind << ' ' << to_string(finding.severity) << ": " << finding.text << " gain " << finding.gain->low
        << ".." << finding.gain->high;
  }
}

/// A prediction has no utilisation and no time, yet must name the same cause.
TEST_P(RecordedKernels, GetTheSameCauseFromAPrediction) {
  const Answer& answer = GetParam();
  const gpuprobe::Run run = predicted_run_of(answer.kernel);
  const Diagnosis diagnosis = diagnose(run);
  if (finding_kind_from_string(answer.verdict))
    EXPECT_EQ(diagnosis.verdict.kind, answer.verdict) << diagnosis.verdict.text;
  else
    EXPECT_FALSE(finding_kind_from_string(diagnosis.verdict.kind) || diagnosis.verdict.kind == "inconclusive")
        << diagnosis.verdict.kind << ": " << diagnosis.verdict.text;
  for (const Finding& finding : diagnosis.findings) {
    const std::string kind(to_string(finding.kind));
    if (finding.severity == Severity::kNegligible || kind == answer.verdict) continue;
    EXPECT_NE(std::find(answer.also.begin(), answer.also.end(), kind), answer.also.end())
        << kind << ' ' << to_string(finding.severity) << ": " << finding.text << " gain " << finding.gain->low
        << ".." << finding.gain->high;
  }
}

/// The estimated duration is only the base of ratios, but a base that is off by several times would mislead.
TEST_P(RecordedKernels, EstimatedTimeIsOfTheRightOrder) {
  const gpuprobe::Run run = predicted_run_of(GetParam().kernel);
  const Traffic traffic = Traffic::of(run);
  const CostModel cost = CostModel::of(run, traffic);
  const double measured = number(rows().at(GetParam().kernel), "time_us_median") * 1e-6;
  EXPECT_FALSE(cost.time_is_measured());
  EXPECT_GT(cost.time_s(), measured / kRightOrder) << cost.time_s() * 1e6;
  EXPECT_LT(cost.time_s(), measured * kRightOrder) << cost.time_s() * 1e6;
}

INSTANTIATE_TEST_SUITE_P(H200, RecordedKernels, testing::ValuesIn(answers()),
                         [](const auto& parameter) { return std::string(parameter.param.kernel); });

TEST(RecordedKernelsTable, IsCoveredCompletely) {
  EXPECT_EQ(rows().size(), answers().size());
  for (const Answer& answer : answers()) EXPECT_EQ(rows().count(answer.kernel), 1u) << answer.kernel;
}

/// A recorded kernel, its recorded cure, and the rule whose estimate must hold.
struct Pair {
  const char* before;
  const char* after;
  FindingKind kind;
};

class RecordedPairs : public testing::TestWithParam<Pair> {};

TEST_P(RecordedPairs, GainLiesInThePrintedInterval) {
  const Pair& pair = GetParam();
  const double actual =
      number(rows().at(pair.before), "time_us_median") / number(rows().at(pair.after), "time_us_median");
  const Diagnosis diagnosis = diagnose(run_of(pair.before));
  const auto finding = std::find_if(diagnosis.findings.begin(), diagnosis.findings.end(),
                                    [&](const Finding& f) { return f.kind == pair.kind; });
  ASSERT_NE(finding, diagnosis.findings.end());
  ASSERT_TRUE(finding->gain);
  std::printf("%s -> %s: actual %.2f, estimate %.2f to %.2f (%s)\n", pair.before, pair.after, actual,
              finding->gain->low, finding->gain->high, finding->gain->reasoning.c_str());
  EXPECT_LE(finding->gain->low, actual);
  EXPECT_GE(finding->gain->high, actual);
}

INSTANTIATE_TEST_SUITE_P(
    H200, RecordedPairs,
    testing::Values(Pair{"tr_naive_w", "tr_tiled_pad", FindingKind::kUncoalescedStore},
                    Pair{"tr_naive_r", "tr_tiled_pad", FindingKind::kUncoalescedLoad},
                    Pair{"tr_tiled", "tr_tiled_pad", FindingKind::kBankConflictLoad},
                    Pair{"tr_tiled", "tr_swz", FindingKind::kBankConflictLoad},
                    Pair{"mm_tiledT_32", "mm_tiledT_32_pad", FindingKind::kBankConflictLoad},
                    Pair{"mm_naive_swapped", "mm_naive_32", FindingKind::kUncoalescedLoad},
                    Pair{"rowsum_bad", "rowsum_good", FindingKind::kUncoalescedLoad},
                    Pair{"bank_pitch32", "bank_pitch33", FindingKind::kBankConflictLoad},
                    Pair{"bank_pitch16", "bank_pitch1", FindingKind::kBankConflictLoad},
                    Pair{"bank_pitch8", "bank_pitch1", FindingKind::kBankConflictLoad},
                    Pair{"bank_pitch4", "bank_pitch1", FindingKind::kBankConflictLoad},
                    Pair{"invert", "invert_32x8", FindingKind::kNarrowBlock}),
    [](const auto& parameter) {
      return std::string(parameter.param.before) + "_to_" + parameter.param.after;
    });

}  // namespace
}  // namespace gpuprobe::diagnose
