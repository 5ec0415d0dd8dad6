#include "metrics/cupti/inject/module_lines.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "metrics/cupti/line_table.h"

namespace gpuprobe::cupti {
namespace {

/// The section that -lineinfo makes; its name is in the string table at the end of the file or at its start.
constexpr std::string_view kLineSection = ".debug_line";

}  // namespace

bool ModuleLines::add(const char* cubin, std::size_t bytes) {
  if (!cubin || bytes == 0) return false;
  if (std::string_view(cubin, bytes).find(kLineSection) == std::string_view::npos) return false;
  auto module = std::make_unique<CompiledKernel>();
  module->cubin.assign(cubin, cubin + bytes);
  const std::lock_guard lock(mutex_);
  modules_.push_back(std::move(module));
  return true;
}

LineLookup ModuleLines::lookup(const CuptiApi& api) const {
  std::vector<LineLookup> lookups;
  const std::lock_guard lock(mutex_);
  for (auto module = modules_.rbegin(); module != modules_.rend(); ++module)
    lookups.push_back(line_lookup(api, **module, ""));
  return [lookups = std::move(lookups)](const std::string& function, std::uint64_t offset) -> Location {
    for (const LineLookup& one : lookups)
      if (Location place = one(function, offset); place.line > 0) return place;
    return {};
  };
}

}  // namespace gpuprobe::cupti
