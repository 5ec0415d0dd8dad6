#include "cli/gates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace gpuprobe::cli {
namespace {

using State = GateOutcome::State;
using testing::HasSubstr;

DiagnosedRun run_with(double sectors_per_request) {
  DiagnosedRun one;
  one.run.source = Origin::kPredicted;
  one.run.counters.set("global.load.sectors_per_request",
                       {sectors_per_request, Unit::kSectorsPerRequest, Origin::kPredicted, {}});
  one.run.counters.set("occupancy.limiter",
                       {std::string("registers+shared"), Unit::kNone, Origin::kPredicted, {}});
  one.run.counters.set_missing("time.duration", "needs a GPU");
  one.diagnosis.verdict = {"none", "nothing holds it back"};
  return one;
}

State judged(const std::string& expectation, const DiagnosedRun& one) {
  const auto gates = parse_gates({}, {expectation});
  EXPECT_TRUE(gates.has_value()) << expectation;
  return evaluate_gates(*gates, std::vector<DiagnosedRun>{one}).front().state;
}

TEST(Expect, EveryOperatorAboveBelowAndAtTheBound) {
  const std::string metric = "global.load.sectors_per_request ";
  struct Row {
    const char* op;
    bool below, at, above;  // does the gate hold for 3, 4, 5 against a bound of 4
  };
  for (const Row& row :
       {Row{"==", false, true, false}, Row{"!=", true, false, true}, Row{"<", true, false, false},
        Row{"<=", true, true, false}, Row{">", false, false, true}, Row{">=", false, true, true}}) {
    const std::string gate = metric + row.op + " 4";
    EXPECT_EQ(judged(gate, run_with(3)) == State::kHeld, row.below) << gate;
    EXPECT_EQ(judged(gate, run_with(4)) == State::kHeld, row.at) << gate;
    EXPECT_EQ(judged(gate, run_with(5)) == State::kHeld, row.above) << gate;
  }
}

TEST(Expect, ToleratesTheRoundingOfADivisionAndNoMore) {
  EXPECT_EQ(judged("global.load.sectors_per_request == 0.3", run_with(0.1 + 0.2)), State::kHeld);
  EXPECT_EQ(judged("global.load.sectors_per_request <= 4", run_with(4.0000001)), State::kFailed);
}

TEST(Expect, MissingNumberNeverHolds) {
  EXPECT_EQ(judged("time.duration < 1", run_with(1)), State::kMissing);
  EXPECT_EQ(judged("time.duration != 1", run_with(1)), State::kMissing);
  EXPECT_EQ(judged("dram.read_bytes >= 0", run_with(1)), State::kMissing);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(judged("global.load.sectors_per_request != 4", run_with(nan)), State::kMissing);
  const auto gates = parse_gates({}, {"time.duration < 1"});
  EXPECT_THAT(evaluate_gates(*gates, std::vector<DiagnosedRun>{run_with(1)}).front().text,
              HasSubstr("needs a GPU"));
  EXPECT_EQ(evaluate_gates(*gates, {}).front().state, State::kMissing);
}

TEST(Expect, TextMetricIsComparedAsText) {
  EXPECT_EQ(judged("occupancy.limiter == registers+shared", run_with(1)), State::kHeld);
  EXPECT_EQ(judged("occupancy.limiter != warps", run_with(1)), State::kHeld);
  EXPECT_EQ(judged("occupancy.limiter == shared", run_with(1)), State::kFailed);
  EXPECT_FALSE(parse_expectation("occupancy.limiter < shared"));
  EXPECT_FALSE(parse_expectation("occupancy.limiter =="));
}

TEST(Expect, UnitSuffixesReachTheBaseUnit) {
  EXPECT_DOUBLE_EQ(std::get<double>(parse_expectation("time.duration < 250us")->value), 250e-6);
  EXPECT_DOUBLE_EQ(std::get<double>(parse_expectation("time.duration<1.5 ms")->value), 1.5e-3);
  EXPECT_DOUBLE_EQ(std::get<double>(parse_expectation("occupancy.theoretical >= 50%")->value), 50);
  EXPECT_DOUBLE_EQ(std::get<double>(parse_expectation("launch.shared_static <= 8 KiB")->value), 8192);
  EXPECT_FALSE(parse_expectation("launch.shared_static <= 8 ms"));
}

TEST(Expect, GarbageIsAUsageErrorThatQuotesIt) {
  for (const char* text :
       {"", "   ", "global.load.sectors", "global.load.sectors =", "global.load.sectors = 4",
        "global.load.sectors ==", "global.load.sectors == x", "global.load.sectors == 4 4",
        "global.load.sectors == nan", "global.load.sectors == inf", "== 4", "<", "!4",
        "global.load.sectors == 1e999", "global.load.sectors =! 4"}) {
    const auto parsed = parse_expectation(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::kUsage);
    EXPECT_THAT(parsed.error().what, HasSubstr(text));
    EXPECT_FALSE(parsed.error().hint.empty());
  }
}

TEST(Expect, UnknownMetricIsSuggested) {
  const auto parsed = parse_expectation("global.lod.sectors == 4");
  ASSERT_FALSE(parsed);
  EXPECT_THAT(parsed.error().what, HasSubstr("did you mean 'global.load.sectors'"));
}

RC_GTEST_PROP(Expect, NeverThrowsAndNeverAcceptsWithoutAMetric, (const std::string& text)) {
  const auto parsed = parse_expectation(text);
  if (parsed) RC_ASSERT(text.find(parsed->metric) != std::string::npos);
}

Finding finding_of(FindingKind kind, Severity severity) {
  Finding finding;
  finding.kind = kind;
  finding.severity = severity;
  finding.text = "planted";
  return finding;
}

State fail_on(const std::string& kind, const std::vector<DiagnosedRun>& runs) {
  return evaluate_gates(*parse_gates({kind}, {}), runs).front().state;
}

TEST(FailOn, LimitingAndPresentFailNegligibleDoesNot) {
  for (Severity severity : {Severity::kLimiting, Severity::kPresent, Severity::kNegligible}) {
    DiagnosedRun one = run_with(4);
    one.run.counters.set("global.store.sectors", {8.0, Unit::kSector, Origin::kPredicted, {}});
    one.diagnosis.findings = {finding_of(FindingKind::kUncoalescedStore, severity)};
    const State expected = severity == Severity::kNegligible ? State::kHeld : State::kFailed;
    EXPECT_EQ(fail_on("uncoalesced-store", {one}), expected) << to_string(severity);
    EXPECT_EQ(fail_on("any", {one}), expected) << to_string(severity);
  }
}

TEST(FailOn, OtherKindDoesNotFailANamedGate) {
  DiagnosedRun one = run_with(4);
  one.run.counters.set("global.load.sectors", {8.0, Unit::kSector, Origin::kPredicted, {}});
  one.diagnosis.findings = {finding_of(FindingKind::kUncoalescedStore, Severity::kLimiting)};
  EXPECT_EQ(fail_on("uncoalesced-load", {one}), State::kHeld);
}

TEST(FailOn, KindThatTheRunCannotShowNeverHolds) {
  DiagnosedRun measured = run_with(4);
  measured.run.source = Origin::kMeasured;
  EXPECT_EQ(fail_on("shared-race", {measured}), State::kMissing);
  EXPECT_EQ(fail_on("bank-conflict-load", {measured}), State::kMissing);
  EXPECT_EQ(fail_on("shared-race", {measured, run_with(4)}),
            State::kHeld);  // the prediction saw every access
  EXPECT_EQ(fail_on("shared-race", {run_with(4), measured}), State::kHeld);
}

TEST(FailOn, EveryKindIsEitherJudgedOrSaysWhyNot) {
  gpuprobe::Run bare;
  bare.source = Origin::kMeasured;
  for (FindingKind kind : all_finding_kinds())
    EXPECT_FALSE(why_not_judged(kind, bare).empty()) << to_string(kind);
}

TEST(FailOn, InconclusiveVerdictNeverPassesAny) {
  DiagnosedRun one = run_with(4);
  one.diagnosis.verdict = {"inconclusive", "no counters"};
  EXPECT_EQ(fail_on("any", {one}), State::kMissing);
}

TEST(FailOn, UnknownKindIsSuggested) {
  const auto gates = parse_gates({"bank-conflict-laod"}, {});
  ASSERT_FALSE(gates);
  EXPECT_EQ(gates.error().code, ErrorCode::kUsage);
  EXPECT_THAT(gates.error().what, HasSubstr("did you mean 'bank-conflict-load'"));
}

TEST(GateExitCode, FailureOutranksMissingOutranksHeld) {
  const GateOutcome held{State::kHeld, ""};
  const GateOutcome failed{State::kFailed, ""};
  const GateOutcome missing{State::kMissing, ""};
  EXPECT_EQ(gate_exit_code({}), 0);
  EXPECT_EQ(gate_exit_code({held, held}), 0);
  EXPECT_EQ(gate_exit_code({held, missing}), 3);
  EXPECT_EQ(gate_exit_code({missing, failed, held}), 1);
}

}  // namespace
}  // namespace gpuprobe::cli
