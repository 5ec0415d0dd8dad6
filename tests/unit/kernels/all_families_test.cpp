// What every family must hold: its planted variants build and compile, their answers are in the terms of the
// report, and their cures can be typed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cli/gates.h"
#include "core/buffers.h"
#include "core/finding.h"
#include "unit/kernels/families.h"

namespace gpuprobe {
namespace {

std::string label(const KernelFamily& family, const PlantedVariant& variant) {
  return family.name + " " + variant.options;
}

TEST(AllFamilies, AreSortedDescribedAndPlanted) {
  ASSERT_FALSE(kernel_families().empty());
  std::vector<std::string> names;
  for (const KernelFamily& family : kernel_families()) {
    names.push_back(family.name);
    EXPECT_EQ(find_kernel_family(family.name), &family);
    EXPECT_FALSE(family.summary.empty());
    EXPECT_FALSE(family.description.empty());
    EXPECT_FALSE(family.planted.empty());
    EXPECT_EQ(family.source.file, family.name + "/kernel.cu");
    EXPECT_NE(family.source.text.find("__global__"), std::string::npos);
    for (const Parameter& parameter : family.parameters)
      EXPECT_FALSE(parameter.help.empty()) << parameter.name;
  }
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
}

TEST(AllFamilies, PlantedAnswersAreInTheTermsOfTheReport) {
  for (const KernelFamily& family : kernel_families()) {
    std::set<std::string> seen;
    for (const PlantedVariant& variant : family.planted) {
      SCOPED_TRACE(label(family, variant));
      EXPECT_TRUE(seen.insert(variant.options).second) << "twice";
      EXPECT_TRUE(variant.finding == "none" || finding_kind_from_string(variant.finding).has_value());
      for (const std::string& kind : variant.also)
        EXPECT_TRUE(finding_kind_from_string(kind).has_value()) << kind;
      for (const std::string& text : variant.expect) {
        const auto expectation = cli::parse_expectation(text);
        EXPECT_TRUE(expectation.has_value()) << text << ": " << expectation.error().what;
      }
    }
  }
}

TEST(AllFamilies, EveryFindingThatOneOptionCuresHasItsCure) {
  for (const KernelFamily& family : kernel_families()) {
    for (const PlantedVariant& variant : family.planted) {
      SCOPED_TRACE(label(family, variant));
      const auto kernel = built(family.name, variant.options);
      ASSERT_TRUE(kernel.has_value()) << kernel.error().what;
      for (const KernelCure& cure : kernel->cures) {
        EXPECT_TRUE(finding_kind_from_string(cure.finding).has_value()) << cure.finding;
        EXPECT_FALSE(cure.text.empty());
        // Typed after the variant's own options, a cure's replace them.
        auto values = typed(variant.options);
        for (const auto& [name, value] : typed(cure.options)) values.insert_or_assign(name, value);
        const auto valid = validate(family, values);
        ASSERT_TRUE(valid.has_value()) << cure.options << ": " << valid.error().what;
        const auto cured = family.build(*valid);
        EXPECT_TRUE(cured.has_value()) << cure.options << ": " << cured.error().what;
      }
    }
  }
}

TEST(AllFamilies, StepsAndChecksReferToWhatIsThere) {
  for (const KernelFamily& family : kernel_families()) {
    for (const PlantedVariant& variant : family.planted) {
      SCOPED_TRACE(label(family, variant));
      const auto kernel = built(family.name, variant.options);
      ASSERT_TRUE(kernel.has_value()) << kernel.error().what;
      EXPECT_EQ(kernel->name, family.name);
      ASSERT_FALSE(kernel->steps.empty());
      for (const Step& step : kernel->steps) {
        EXPECT_GT(step.launch.grid.count(), 0u);
        EXPECT_GT(step.launch.block.count(), 0u);
        EXPECT_LE(step.launch.block.count(), 1024u);
        for (const Argument& argument : step.args)
          if (const auto* reference = std::get_if<BufferRef>(&argument)) {
            ASSERT_LT(reference->buffer, kernel->buffers.size());
            EXPECT_LE(reference->byte_offset, kernel->buffers[reference->buffer].bytes());
          }
      }
      EXPECT_FALSE(kernel->checks.empty());
      for (const ResultCheck& check : kernel->checks) {
        ASSERT_LT(check.buffer, kernel->buffers.size());
        EXPECT_FALSE(check.reference.empty());
        EXPECT_LE(check.first + check.count, kernel->buffers[check.buffer].count);
      }
      EXPECT_GT(kernel->useful_bytes, 0.0);
    }
  }
}

class AllFamiliesCompile : public testing::TestWithParam<const char*> {};

TEST_P(AllFamiliesCompile, EveryPlantedVariant) {
  for (const KernelFamily& family : kernel_families()) {
    for (const PlantedVariant& variant : family.planted) {
      SCOPED_TRACE(label(family, variant));
      const auto kernel = built(family.name, variant.options);
      ASSERT_TRUE(kernel.has_value()) << kernel.error().what;
      const auto compiled = compile::compile(*kernel, GetParam());
      ASSERT_TRUE(compiled.has_value()) << compiled.error().what;
      ASSERT_EQ(compiled->functions.size(), kernel->entries().size());
      for (const Step& step : kernel->steps) {
        const FunctionResources* function = compiled->find(step.entry);
        ASSERT_NE(function, nullptr);
        ASSERT_EQ(function->parameter_bytes.size(), step.args.size()) << step.entry;
        for (std::size_t i = 0; i < step.args.size(); ++i) {
          const auto* scalar = std::get_if<Scalar>(&step.args[i]);
          EXPECT_EQ(function->parameter_bytes[i], scalar == nullptr ? 8u : scalar->type.bytes)
              << step.entry << " " << i;
        }
        EXPECT_TRUE(function->max_threads == 0 ||
                    step.launch.block.count() <= static_cast<std::uint64_t>(function->max_threads));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, AllFamiliesCompile, testing::Values("sm_75", "sm_90", "sm_120"),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace gpuprobe
