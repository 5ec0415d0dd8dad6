#include "model/occupancy/calculator.h"

#include <algorithm>

#include "model/occupancy/limits.h"

namespace gpuprobe::occupancy {
namespace {

constexpr int kWarpLanes = 32;

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

int warp_blocks(const DeviceSpec& device, const Usage& usage) {
  if (usage.threads_per_block <= 0 || usage.threads_per_block > device.max_threads_per_block) return 0;
  return device.max_warps_per_sm / warps_per_block(usage);
}

}  // namespace

int warps_per_block(const Usage& usage) {
  return usage.threads_per_block <= 0 ? 0 : (usage.threads_per_block - 1) / kWarpLanes + 1;
}

RegisterUse register_use(const DeviceSpec& device, const Usage& usage) {
  RegisterUse use;
  const int warps = warps_per_block(usage);
  const int registers = std::max(usage.registers_per_thread, 0);
  use.per_scheduler = device.registers_per_sm / device.sub_partitions;
  if (registers == 0) {
    use.blocks = kUnlimitedBlocks;
    return use;
  }
  const std::int64_t per_warp = round_up(std::int64_t{registers} * kWarpLanes, device.register_unit_per_warp);
  const std::int64_t per_block = per_warp * warps;
  const std::int64_t checked = per_warp * round_up(warps, device.sub_partitions);
  if (registers > device.max_registers_per_thread || warps == 0 || checked > device.registers_per_block) {
    use.per_warp = static_cast<int>(std::min<std::int64_t>(per_warp, kUnlimitedBlocks));
    use.per_block = static_cast<int>(std::min<std::int64_t>(per_block, kUnlimitedBlocks));
    use.checked_per_block = static_cast<int>(std::min<std::int64_t>(checked, kUnlimitedBlocks));
    return use;
  }
  use.per_warp = static_cast<int>(per_warp);
  use.per_block = static_cast<int>(per_block);
  use.checked_per_block = static_cast<int>(checked);
  use.warps_per_scheduler = use.per_scheduler / use.per_warp;
  use.blocks = use.warps_per_scheduler * device.sub_partitions / warps;
  return use;
}

SharedUse shared_use(const DeviceSpec& device, const Usage& usage) {
  SharedUse use;
  use.requested = std::uint64_t{usage.shared_static} + usage.shared_dynamic;
  use.per_block = static_cast<std::uint64_t>(round_up(
      static_cast<std::int64_t>(use.requested) + device.shared_reserved_per_block, device.shared_unit));
  use.limit_per_block =
      static_cast<std::uint64_t>(device.shared_per_block_optin) + device.shared_reserved_per_block;
  use.blocks = shared_blocks(use, static_cast<std::uint64_t>(device.shared_per_sm));
  return use;
}

int shared_blocks(const SharedUse& use, std::uint64_t bytes) {
  if (use.per_block > use.limit_per_block) return 0;
  if (use.per_block == 0) return kUnlimitedBlocks;
  return static_cast<int>(bytes / use.per_block);
}

OccupancyTable table(const DeviceSpec& device, const Usage& usage, std::uint64_t grid_blocks) {
  OccupancyTable out;
  const RegisterUse registers = register_use(device, usage);
  const SharedUse shared = shared_use(device, usage);
  out.threads_per_block = usage.threads_per_block;
  out.warps_per_block = warps_per_block(usage);
  out.registers_per_thread = usage.registers_per_thread;
  out.shared_per_block = static_cast<std::uint32_t>(std::min<std::uint64_t>(shared.per_block, UINT32_MAX));
  out.carveout_kib = device.shared_per_sm / 1024;

  out.limits = {{Resource::kWarps, warp_blocks(device, usage)},
                {Resource::kBlocks, device.max_blocks_per_sm},
                {Resource::kRegisters, registers.blocks},
                {Resource::kShared, shared.blocks}};
  if (device.max_barriers_per_sm > 0)
    out.limits.push_back({Resource::kBarriers, usage.barriers > 0
                                                   ? device.max_barriers_per_sm / usage.barriers
                                                   : kUnlimitedBlocks});

  out.blocks_per_sm = kUnlimitedBlocks;
  for (const ResourceLimit& limit : out.limits) out.blocks_per_sm = std::min(out.blocks_per_sm, limit.blocks);
  for (const ResourceLimit& limit : out.limits)
    if (limit.blocks == out.blocks_per_sm) out.limiters.push_back(limit.resource);
  if (device.max_warps_per_sm > 0)
    out.theoretical_percent = 100.0 * out.blocks_per_sm * out.warps_per_block / device.max_warps_per_sm;
  if (out.blocks_per_sm > 0 && device.sm_count > 0)
    out.waves = static_cast<double>(grid_blocks) / (static_cast<double>(out.blocks_per_sm) * device.sm_count);
  for (int kib : device.carveouts_kib)
    if (kib < out.carveout_kib)
      out.at_carveouts.push_back({kib, shared_blocks(shared, std::uint64_t{1024} * kib)});
  return out;
}

}  // namespace gpuprobe::occupancy
