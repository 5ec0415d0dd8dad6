// Counter trust: identities that hold on every run of every kernel. Where one is violated, what depends on it
// is inconclusive, with the reason.
//
//   Trust trust = Trust::check(run, traffic);
//   if (!trust.holds(Trust::Area::kSharedLoad)) ...
#pragma once

#include <string>
#include <vector>

#include "core/run.h"
#include "diagnose/access/traffic.h"

namespace gpuprobe::diagnose {

class Trust {
 public:
  enum class Area { kGlobalLoad, kGlobalStore, kSharedLoad, kSharedStore, kOccupancy, kUtilization };
  struct Violation {
    Area area = Area::kGlobalLoad;
    std::string reason;  ///< one clause: "shared loads: 10 wavefronts are fewer than 20 requests"
  };

  static Trust check(const Run& run, const Traffic& traffic);

  bool holds(Area area) const;
  const std::vector<Violation>& violations() const { return violations_; }

 private:
  std::vector<Violation> violations_;
};

}  // namespace gpuprobe::diagnose
