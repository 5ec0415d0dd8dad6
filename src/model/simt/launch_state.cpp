#include "model/simt/launch_state.h"

#include <algorithm>

#include <fmt/format.h>

namespace gpuprobe::simt {
namespace {

bool same_places(const Hazard& a, const Hazard& b) {
  if (a.kind != b.kind || a.locations.size() != b.locations.size()) return false;
  for (std::size_t i = 0; i < a.locations.size(); ++i)
    if (a.locations[i].file != b.locations[i].file || a.locations[i].line != b.locations[i].line)
      return false;
  return true;
}

}  // namespace

void LaunchState::add_hazard(Hazard hazard) {
  const std::lock_guard lock(mutex);
  const auto known = std::find_if(hazards.begin(), hazards.end(),
                                  [&](const Hazard& other) { return same_places(other, hazard); });
  if (known != hazards.end())
    ++known->count;
  else
    hazards.push_back(std::move(hazard));
}

void LaunchState::set_error(Error first) {
  const std::lock_guard lock(mutex);
  if (!error) error = std::move(first);
  cancelled = true;
}

bool LaunchState::expired() {
  if (cancelled || timed_out) return true;
  if (std::chrono::steady_clock::now() < deadline) return false;
  timed_out = true;
  return true;
}

std::string place(const InstructionInfo& info) {
  if (info.location.line > 0) return fmt::format("{}:{}", info.location.file, info.location.line);
  return fmt::format("PTX line {} of {}", info.ptx_line, info.function);
}

std::string to_text(const Dim3& dim) {
  return fmt::format("({},{},{})", dim.x, dim.y, dim.z);
}

}  // namespace gpuprobe::simt
