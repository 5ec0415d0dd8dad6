// Any bytes as an export of Nsight Compute, and as a report of whatever format it looks like.
#include <cstdint>
#include <string_view>

#include "metrics/recorded/nsight_csv.h"
#include "metrics/recorded/recorded.h"
#include "recorded.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  for (const auto& runs :
       {gpuprobe::recorded::read_nsight_csv(text, "fuzz.csv"), gpuprobe::recorded::read_runs(text, "fuzz")}) {
    if (runs)
      gpuprobe::fuzz::use(*runs);
    else
      gpuprobe::fuzz::require_explained(runs.error());
  }
  return 0;
}
