// Any bytes as a JSON report.
#include <cstdint>
#include <string_view>

#include "recorded.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto runs = gpuprobe::recorded::read_gpuprobe_json(text, "fuzz.json");
  if (runs)
    gpuprobe::fuzz::use(*runs);
  else
    gpuprobe::fuzz::require_explained(runs.error());
  return 0;
}
