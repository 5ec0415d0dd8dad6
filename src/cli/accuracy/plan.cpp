#include "cli/accuracy/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "cli/kernel_commands.h"
#include "cli/suite.h"
#include "diagnose/ranking.h"

namespace gpuprobe::cli {
namespace {

bool about_correctness(const std::vector<std::string>& kinds) {
  return std::any_of(kinds.begin(), kinds.end(), [](const std::string& name) {
    const auto kind = finding_kind_from_string(name);
    return kind && diagnose::is_correctness(*kind);
  });
}

std::string label_of(const Kernel& kernel, const std::string& options) {
  return options.empty() ? kernel.name : kernel.name + " " + options;
}

/// "--block 8,32 --pad" cured by "--block 32,8" is "--pad --block 32,8".
std::string cured_options(const std::string& options, const std::string& cure) {
  const auto groups = [](const std::string& text) {
    std::vector<std::pair<std::string, std::string>> all;  // the option's name, as typed with its value
    std::istringstream words(text);
    for (std::string word; words >> word;) {
      const bool is_value = word.size() < 2 || word[0] != '-' || (word[1] >= '0' && word[1] <= '9');
      if (is_value && !all.empty())
        all.back().second += " " + word;
      else
        all.emplace_back(word, word);
    }
    return all;
  };
  const auto new_ones = groups(cure);
  std::string typed;
  const auto add = [&](const std::string& group) { typed += (typed.empty() ? "" : " ") + group; };
  for (const auto& [name, group] : groups(options)) {
    const auto same = [&, &option = name](const auto& one) { return one.first == option; };
    if (std::none_of(new_ones.begin(), new_ones.end(), same)) add(group);
  }
  for (const auto& [name, group] : new_ones) add(group);
  return typed;
}

/// The launch with the most threads, as Run::main_launch() chooses it.
const Launch& main_launch(const std::vector<Step>& steps) {
  static const Launch kNone;
  const Launch* main = &kNone;
  std::uint64_t most = 0;
  for (const Step& step : steps)
    if (const std::uint64_t threads = step.launch.grid.count() * step.launch.block.count(); threads > most) {
      most = threads;
      main = &step.launch;
    }
  return *main;
}

class Planner {
 public:
  Status add_family(const KernelFamily& family) {
    struct Planted {
      Kernel kernel;
      TypedValues values;
      std::string options;
    };
    std::vector<Planted> planted;
    for (const PlantedVariant& variant : family.planted) {
      if (about_correctness({variant.finding})) continue;
      const TypedValues values = with_options({}, variant.options);
      auto kernel = build_kernel(family, values);
      if (!kernel) return tl::unexpected(kernel.error());
      AccuracyLaunch launch;
      launch.label = label_of(*kernel, variant.options);
      launch.one.entry.origin = launch.label;
      launch.one.entry.finding = {variant.finding};
      launch.one.entry.also = variant.also;
      launch.one.kernel = *kernel;
      launch.built_in = true;
      add(std::move(launch));
      planted.push_back({std::move(*kernel), values, variant.options});
    }
    for (const auto& [kernel, values, options] : planted)
      for (const KernelCure& cure : kernel.cures) {
        auto cured = build_kernel(family, with_options(values, cure.options));
        if (!cured) continue;  // a cure that does not go with the variant's other options
        AccuracyLaunch launch;
        launch.label = label_of(*cured, cured_options(options, cure.options));
        launch.one.kernel = std::move(*cured);
        launch.built_in = true;
        add(std::move(launch));
      }
    return {};
  }

  Status add_cases(const std::vector<std::string>& paths) {
    if (paths.empty()) return {};
    auto cases = load_suite(paths);
    if (!cases) return tl::unexpected(cases.error());
    for (user::LaunchCase& one : *cases) {
      if (one.entry.finding.empty() || about_correctness(one.entry.finding)) continue;
      AccuracyLaunch launch;
      launch.label = one.entry.origin;
      for (const auto& [name, value] : one.kernel.options) launch.label += fmt::format(" {}={}", name, value);
      launch.one = std::move(one);
      plan_.push_back(std::move(launch));
    }
    return {};
  }

  std::vector<AccuracyLaunch> take() { return std::move(plan_); }

 private:
  void add(AccuracyLaunch launch) {
    if (known_.insert(key_of(launch.one.kernel)).second) plan_.push_back(std::move(launch));
  }

  std::vector<AccuracyLaunch> plan_;
  std::set<std::string> known_;
};

}  // namespace

std::string key_of(const std::string& kernel, const std::vector<std::pair<std::string, std::string>>& options,
                   const Launch& launch) {
  std::string key = kernel;
  for (const auto& [name, value] : options) key += fmt::format(" {}={}", name, value);
  for (const Dim3& dim : {launch.grid, launch.block}) key += fmt::format(" {}x{}x{}", dim.x, dim.y, dim.z);
  return key + fmt::format(" {}", launch.dynamic_shared);
}

std::string key_of(const Kernel& kernel) {
  return key_of(kernel.name, kernel.options, main_launch(kernel.steps));
}

std::string key_of(const Run& run) {
  return key_of(run.kernel, run.options, run.main_launch());
}

Result<std::vector<AccuracyLaunch>> accuracy_plan(const std::vector<std::string>& paths,
                                                  const std::vector<std::string>& families) {
  Planner planner;
  for (const KernelFamily& family : kernel_families()) {
    const bool wanted =
        families.empty() || std::find(families.begin(), families.end(), family.name) != families.end();
    if (!wanted) continue;
    if (Status added = planner.add_family(family); !added) return tl::unexpected(added.error());
  }
  if (Status added = planner.add_cases(paths); !added) return tl::unexpected(added.error());
  return planner.take();
}

}  // namespace gpuprobe::cli
