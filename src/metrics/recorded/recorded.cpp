#include "metrics/recorded/recorded.h"

#include <fmt/core.h>

#include "metrics/recorded/gpuprobe_json.h"
#include "metrics/recorded/nsight_csv.h"

namespace gpuprobe::recorded {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string_view without_mark(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

}  // namespace

Format detect(std::string_view text) {
  text = without_mark(text);
  if (text.starts_with("NVR")) return Format::kNsightBinary;  // the magic of a report file: "NVR" and a NUL
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return Format::kUnknown;
  if (text[first] == '{') return Format::kGpuprobeJson;
  switch (nsight_layout(text)) {
    case NsightLayout::kRaw:
      return Format::kNsightRawCsv;
    case NsightLayout::kLong:
      return Format::kNsightLongCsv;
    case NsightLayout::kNone:
      break;
  }
  return Format::kUnknown;
}

Result<std::vector<Run>> read_runs(std::string_view text, std::string_view name) {
  switch (detect(text)) {
    case Format::kGpuprobeJson:
      return read_gpuprobe_json(without_mark(text), name);
    case Format::kNsightRawCsv:
    case Format::kNsightLongCsv:
      return read_nsight_csv(without_mark(text), name);
    case Format::kNsightBinary:
      return fail(
          ErrorCode::kUsage, fmt::format("{} is a binary Nsight Compute report.", name),
          fmt::format("Export it with: ncu --import {} --csv --page raw --print-units base > report.csv",
                      name));
    case Format::kUnknown:
      break;
  }
  return fail(ErrorCode::kUsage,
              fmt::format("{} is neither a gpuprobe JSON report nor a CSV export of Nsight Compute.", name),
              "Give a file written with --format json, or by ncu --csv --page raw.");
}

}  // namespace gpuprobe::recorded
