// Every planted variant of every built-in kernel, predicted and judged as `check` judges a case: the planted
// answer is named, and nothing else is limiting or present but what is planted beside it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cctype>
#include <map>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "cli/judge.h"
#include "cli/options.h"
#include "cli/profile.h"
#include "cli/sources.h"
#include "kernels/family.h"

namespace gpuprobe::diagnose {
namespace {

struct Planted {
  const KernelFamily* family;
  const PlantedVariant* variant;
};
void PrintTo(const Planted& planted, std::ostream* out) {
  *out << planted.family->name << ' ' << planted.variant->options;
}

std::vector<Planted> all_planted() {
  std::vector<Planted> all;
  for (const KernelFamily& family : kernel_families())
    for (const PlantedVariant& variant : family.planted) all.push_back({&family, &variant});
  return all;
}

/// "--tile 32 --pad -n 64" -> {tile: "32", pad: "", n: "64"}.
std::map<std::string, std::string, std::less<>> typed(const std::string& options) {
  std::map<std::string, std::string, std::less<>> values;
  std::istringstream words(options);
  std::string name;
  for (std::string word; words >> word;) {
    if (word[0] == '-') {
      name = word.substr(word.find_first_not_of('-'));
      values[name] = "";
    } else {
      values[name] = word;
    }
  }
  return values;
}

const cli::Sources& model() {
  static const Result<cli::Sources> kSources = [] {
    cli::SourceOptions options;
    options.source = "model";
    return cli::Sources::open(options);
  }();
  return *kSources;
}

/// The finding of a fault that makes the run itself fail: the verdict may then say that the result is wrong.
bool fails_the_run(const std::string& kind) {
  return kind == "shared-race" || kind == "block-order" || kind == "block-wait";
}

class PlantedFamilies : public testing::TestWithParam<Planted> {};

TEST_P(PlantedFamilies, PredictedVerdictIsThePlantedAnswer) {
  const Planted& planted = GetParam();
  const auto given = typed(planted.variant->options);
  const auto values = validate(*planted.family, given);
  ASSERT_TRUE(values) << values.error().what;
  const auto kernel = planted.family->build(*values);
  ASSERT_TRUE(kernel) << kernel.error().what;
  const auto runs = cli::profile(*kernel, model(), CollectOptions());
  ASSERT_TRUE(runs) << runs.error().what << ' ' << runs.error().hint;
  ASSERT_EQ(runs->size(), 1u);

  const PlantedVariant& variant = *planted.variant;
  if (fails_the_run(variant.finding)) {
    const Diagnosis& diagnosis = runs->front().diagnosis;
    EXPECT_THAT(diagnosis.verdict.kind, testing::AnyOf(variant.finding, "wrong-result"));
    EXPECT_THAT(diagnosis.findings, testing::Contains(testing::Field(
                                        &Finding::kind, *finding_kind_from_string(variant.finding))));
    return;
  }
  user::LaunchEntry entry;
  entry.origin = planted.family->name + ' ' + variant.options;
  entry.finding = {variant.finding};
  entry.also = variant.also;
  entry.expect = variant.expect;
  const auto outcome = cli::judge(entry, *runs);
  ASSERT_TRUE(outcome) << outcome.error().what;
  EXPECT_EQ(outcome->state, cli::CaseOutcome::State::kPassed)
      << runs->front().diagnosis.verdict.text << '\n'
      << fmt::format("{}", fmt::join(outcome->reasons, "\n"));
}

std::string test_name(const testing::TestParamInfo<Planted>& parameter) {
  std::string name = parameter.param.family->name + parameter.param.variant->options;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Model, PlantedFamilies, testing::ValuesIn(all_planted()), test_name);

}  // namespace
}  // namespace gpuprobe::diagnose
