#include "cli/reference.h"

#include <fmt/format.h>

#include <cstring>
#include <memory>

#include "cli/argument_check.h"
#include "compile/compiler.h"

namespace gpuprobe::cli {
namespace {

bool differs(const HostBuffers& a, const HostBuffers& b, std::size_t buffer) {
  const auto left = a.bytes(buffer);
  return std::memcmp(left.data(), b.bytes(buffer).data(), left.size()) != 0;
}

}  // namespace

Status add_reference(user::LaunchCase& one, const Sources& sources, const CollectOptions& options) {
  if (one.entry.check_kernel.empty()) return {};
  Kernel reference = one.kernel;
  reference.checks.clear();
  for (Step& step : reference.steps) step.entry = one.entry.check_kernel;
  const auto compiled = compile::compile(reference, sources.arch());
  if (!compiled) return tl::unexpected(compiled.error());
  if (Status fits = check_arguments(reference, *compiled, one.argument_names); !fits) return fits;
  CounterSource& source = sources.measuring() ? *sources.measuring() : sources.model();
  auto result = source.execute(reference, *compiled, options);
  if (!result) return tl::unexpected(result.error());
  const auto initial = HostBuffers::initial(reference);
  if (!initial) return tl::unexpected(initial.error());

  const auto expected = std::make_shared<const HostBuffers>(std::move(*result));
  const double within = one.entry.within.value_or(0.0);
  std::size_t changed = 0;
  for (std::size_t buffer = 0; buffer < one.kernel.buffers.size(); ++buffer) {
    if (!differs(*initial, *expected, buffer)) continue;
    ++changed;
    ResultCheck check;
    check.buffer = buffer;
    check.absolute_bound = within;
    check.relative_bound = within;
    check.reference = fmt::format("compared with the kernel {}", one.entry.check_kernel);
    check.expected = [expected, buffer](const HostBuffers&, std::uint64_t index) {
      return expected->element(buffer, index);
    };
    one.kernel.checks.push_back(std::move(check));
  }
  if (changed == 0)
    return fail(ErrorCode::kUsage,
                fmt::format("the check kernel '{}' changes no buffer", one.entry.check_kernel),
                "It must write the same buffers as the kernel that it checks.");
  return {};
}

}  // namespace gpuprobe::cli
