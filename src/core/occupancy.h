// How many blocks of a launch can reside on one SM, and which resource says so.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuprobe {

enum class Resource { kWarps, kBlocks, kRegisters, kShared, kBarriers };
/// "warps", "blocks", "registers", "shared", "barriers".
std::string_view to_string(Resource resource);
std::optional<Resource> resource_from_string(std::string_view name);

/// ResourceLimit::blocks of a resource that the launch does not use.
inline constexpr int kUnlimitedBlocks = std::numeric_limits<int>::max();

/// Blocks per SM that one resource allows.
struct ResourceLimit {
  Resource resource = Resource::kWarps;
  int blocks = 0;
};

struct OccupancyTable {
  std::string entry;  ///< name expression of the entry; empty for a mere calculation
  int threads_per_block = 0;
  int warps_per_block = 0;
  int registers_per_thread = 0;
  std::uint32_t shared_per_block = 0;  ///< static + dynamic + reserved, rounded up: what one block takes
  std::vector<ResourceLimit> limits;   ///< one for each resource, in enum order; barriers only if known
  int blocks_per_sm = 0;               ///< minimum over limits; 0 = the launch cannot run
  std::vector<Resource> limiters;      ///< all resources at the minimum (ties listed)
  double theoretical_percent = 0;      ///< resident warps / maximum warps x 100
  double waves = 0;                    ///< grid blocks / (blocks_per_sm x SMs)
  int carveout_kib = 0;                ///< shared-memory carve-out the table is for

  /// The shared limit at each smaller carve-out that the device offers.
  struct AtCarveout {
    int carveout_kib = 0;
    int blocks_per_sm = 0;
  };
  std::vector<AtCarveout> at_carveouts;
};

}  // namespace gpuprobe
