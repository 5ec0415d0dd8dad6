#include "core/unit.h"

#include <array>
#include <utility>

namespace gpuprobe {
namespace {

constexpr std::array<std::pair<Unit, std::string_view>, 19> kNames{{
    {Unit::kNone, ""},
    {Unit::kRequest, "request"},
    {Unit::kSector, "sector"},
    {Unit::kWavefront, "wavefront"},
    {Unit::kSectorsPerRequest, "sector/request"},
    {Unit::kWavefrontsPerRequest, "wavefront/request"},
    {Unit::kRatio, "ratio"},
    {Unit::kPercent, "%"},
    {Unit::kByte, "byte"},
    {Unit::kBytesPerSecond, "byte/s"},
    {Unit::kSecond, "s"},
    {Unit::kCycle, "cycle"},
    {Unit::kHertz, "Hz"},
    {Unit::kInstruction, "instruction"},
    {Unit::kWarp, "warp"},
    {Unit::kBlock, "block"},
    {Unit::kThread, "thread"},
    {Unit::kRegister, "register/thread"},
    {Unit::kFlopsPerSecond, "flop/s"},
}};

}  // namespace

std::string_view to_string(Unit unit) {
  for (const auto& [value, name] : kNames)
    if (value == unit) return name;
  return "";
}

std::optional<Unit> unit_from_string(std::string_view name) {
  for (const auto& [value, text] : kNames)
    if (text == name) return value;
  return std::nullopt;
}

}  // namespace gpuprobe
