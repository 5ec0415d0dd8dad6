// Any bytes as a .cu file with a block of launch facts, and as a gpuprobe.toml: entries that are read expand
// to kernels that could be launched, or to an error that names the place.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "kernels/user/launch_case.h"
#include "kernels/user/launch_entry.h"
#include "kernels/user/scan.h"

namespace {

using namespace gpuprobe;

constexpr std::size_t kMaxExpanded = 64;  // runs of an entry: more costs time and shows nothing new

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

void require_explained(const Error& error) {
  require(error.code == ErrorCode::kUsage, "the user can correct it");
  require(!error.what.empty() && !error.hint.empty(), "an error says what and what to do");
}

void expand(const user::LaunchEntry& entry, const Source& source) {
  std::size_t runs = 1;
  for (const auto& [name, values] : entry.vars) {
    runs *= values.size();
    if (runs > kMaxExpanded) return;
  }
  const auto cases = user::expand(entry, source, "/nowhere");
  if (!cases) {
    require_explained(cases.error());
    return;
  }
  for (const user::LaunchCase& one : *cases)
    for (const Step& step : one.kernel.steps) {
      require(step.launch.grid.count() > 0 && step.launch.block.count() > 0, "a launch has threads");
      require(step.launch.block.count() <= 1024, "and not too many");
      for (const Argument& argument : step.args)
        if (const auto* reference = std::get_if<BufferRef>(&argument))
          require(reference->buffer < one.kernel.buffers.size(), "an argument is there");
    }
}

void parse(std::string_view toml, const Source& source, int first_line) {
  const auto entries = user::parse_entries(toml, source.file, first_line);
  if (!entries) {
    require_explained(entries.error());
    return;
  }
  for (const user::LaunchEntry& entry : *entries) expand(entry, source);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Source source{"fuzz.cu", std::string(reinterpret_cast<const char*>(data), size)};
  if (const auto block = user::find_launch_block(source.text)) parse(block->text, source, block->first_line);
  parse(source.text, source, 1);
  for (const user::FoundKernel& kernel : user::find_kernels(source.text))
    require(!kernel.name.empty() && !user::first_entry(kernel, source.file).empty(), "a kernel has an entry");
  return 0;
}
