#include "kernels/user/launch_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <limits>

#include "kernels/user/argument.h"
#include "kernels/user/result_check.h"

namespace gpuprobe::user {
namespace {

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": the same from CC 7.5
// to 12.0.
constexpr std::array<std::int64_t, 3> kMaxGrid{2147483647, 65535, 65535};
constexpr std::array<std::int64_t, 3> kMaxBlock{1024, 1024, 64};
constexpr std::uint64_t kMaxThreads = 1024;
constexpr std::int64_t kMaxCluster = 16;
constexpr std::int64_t kMaxShared = 228 * 1024;
constexpr std::array<std::string_view, 3> kAxes{"x", "y", "z"};

/// Puts where the entry was written in front of an error's message.
tl::unexpected<Error> at(const LaunchEntry& entry, Error error) {
  error.what = entry.origin + ": " + error.what;
  return tl::unexpected<Error>(std::move(error));
}

Result<Dim3> dimensions(const std::vector<std::string>& expressions, std::string_view what,
                        const Variables& variables, const std::array<std::int64_t, 3>& maximum) {
  if (expressions.size() > 3)
    return fail(ErrorCode::kUsage, fmt::format("{} has {} values", what, expressions.size()),
                "Give one to three values: x, y, z.");
  std::array<std::uint32_t, 3> values{1, 1, 1};
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    const auto value =
        evaluate_integer(expressions[i], variables, fmt::format("{}.{}", what, kAxes[i]), 1, maximum[i]);
    if (!value) return tl::unexpected<Error>(value.error());
    values[i] = static_cast<std::uint32_t>(*value);
  }
  return Dim3{values[0], values[1], values[2]};
}

Result<Launch> make_launch(const LaunchEntry& entry, const Variables& variables) {
  if (entry.grid.empty() || entry.block.empty())
    return fail(ErrorCode::kUsage,
                fmt::format("'{}' has no {}", entry.name, entry.grid.empty() ? "grid" : "block"),
                "Add grid = [...] and block = [...], or give --grid and --block.");
  const auto grid = dimensions(entry.grid, "grid", variables, kMaxGrid);
  if (!grid) return tl::unexpected<Error>(grid.error());
  const auto block = dimensions(entry.block, "block", variables, kMaxBlock);
  if (!block) return tl::unexpected<Error>(block.error());
  const auto cluster =
      dimensions(entry.cluster, "cluster", variables, {kMaxCluster, kMaxCluster, kMaxCluster});
  if (!cluster) return tl::unexpected<Error>(cluster.error());
  const auto shared = evaluate_integer(entry.shared, variables, "shared", 0, kMaxShared);
  if (!shared) return tl::unexpected<Error>(shared.error());
  if (block->count() > kMaxThreads)
    return fail(
        ErrorCode::kUsage,
        fmt::format("block {} x {} x {} has {} threads", block->x, block->y, block->z, block->count()),
        "A block has at most 1024 threads.");
  if (grid->x % cluster->x != 0 || grid->y % cluster->y != 0 || grid->z % cluster->z != 0)
    return fail(ErrorCode::kUsage, "the grid is not a whole number of clusters",
                "Each grid dimension must be a multiple of the cluster dimension.");
  return Launch{*grid, *block, static_cast<std::uint32_t>(*shared), *cluster};
}

Status add_arguments(const LaunchEntry& entry, const Variables& variables, std::string_view base_directory,
                     Kernel& kernel, Step& step, std::vector<std::string>& names) {
  for (const std::string& text : entry.args) {
    auto parsed = parse_argument(text, variables, base_directory);
    if (!parsed) return tl::unexpected<Error>(parsed.error());
    std::string name;
    if (auto* scalar = std::get_if<NamedScalar>(&*parsed)) {
      name = scalar->name;
      step.args.emplace_back(std::move(scalar->scalar));
    } else {
      auto& buffer = std::get<Buffer>(*parsed);
      name = buffer.name;
      step.args.emplace_back(BufferRef{kernel.buffers.size(), 0});
      kernel.buffers.push_back(std::move(buffer));
    }
    if (std::find(names.begin(), names.end(), name) != names.end())
      return fail(ErrorCode::kUsage, fmt::format("there are two arguments named '{}'", name),
                  "Give every argument its own name.");
    names.push_back(std::move(name));
  }
  return {};
}

Result<LaunchCase> bind_variables(const LaunchEntry& entry, const Source& source,
                                  std::string_view base_directory, const Variables& variables) {
  LaunchCase bound{Kernel{}, entry, {}};
  Kernel& kernel = bound.kernel;
  kernel.name = entry.name;
  kernel.source = source;
  kernel.compile_options = entry.options;
  for (const auto& [name, values] : entry.vars)
    kernel.options.emplace_back(name, to_string(variables.find(name)->second));
  for (const auto& [macro, expression] : entry.defines) {
    const auto value = evaluate(expression, variables);
    if (!value) return tl::unexpected<Error>(value.error());
    kernel.defines.emplace_back(macro, to_string(*value));
  }
  const auto launch = make_launch(entry, variables);
  if (!launch) return tl::unexpected<Error>(launch.error());
  Step step{entry.name, *launch, {}};
  if (const Status status =
          add_arguments(entry, variables, base_directory, kernel, step, bound.argument_names);
      !status)
    return tl::unexpected<Error>(status.error());
  kernel.steps.push_back(std::move(step));
  if (!entry.check.empty()) {
    if (const Status status = add_result_check(entry.check, base_directory, kernel); !status)
      return tl::unexpected<Error>(status.error());
  }
  return bound;
}

}  // namespace

Result<std::vector<LaunchCase>> expand(const LaunchEntry& entry, const Source& source,
                                       std::string_view base_directory) {
  std::size_t total = 1;
  for (const auto& [name, values] : entry.vars) {
    total *= values.size();
    if (total > kMaxCases)
      return at(entry,
                Error{ErrorCode::kUsage, fmt::format("the variables make more than {} runs", kMaxCases),
                      "Give fewer values, or split the entry."});
  }
  std::vector<LaunchCase> cases;
  cases.reserve(total);
  for (std::size_t index = 0; index < total; ++index) {
    Variables variables;
    std::size_t rest = index;
    for (auto var = entry.vars.rbegin(); var != entry.vars.rend(); ++var) {
      variables.insert_or_assign(var->first, var->second[rest % var->second.size()]);
      rest /= var->second.size();
    }
    auto bound = bind_variables(entry, source, base_directory, variables);
    if (!bound) return at(entry, bound.error());
    cases.push_back(std::move(*bound));
  }
  return cases;
}

}  // namespace gpuprobe::user
