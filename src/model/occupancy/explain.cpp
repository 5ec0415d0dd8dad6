#include "model/occupancy/explain.h"

#include <fmt/core.h>

#include "model/occupancy/limits.h"

namespace gpuprobe::occupancy {
namespace {

std::string counted(std::int64_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// "8 KiB" for whole KiB, "8320 bytes" otherwise.
std::string bytes(std::uint64_t value) {
  if (value >= 1024 && value % 1024 == 0) return fmt::format("{} KiB", value / 1024);
  return counted(static_cast<std::int64_t>(value), "byte");
}

void explain_warps(const DeviceSpec& device, const Usage& usage, Explanation& out) {
  const int warps = warps_per_block(usage);
  if (usage.threads_per_block <= 0) {
    out.arithmetic = "a block needs at least one thread";
    return;
  }
  if (usage.threads_per_block > device.max_threads_per_block) {
    out.arithmetic = fmt::format("{} threads a block, but {} are the most that can be launched",
                                 usage.threads_per_block, device.max_threads_per_block);
    return;
  }
  out.arithmetic =
      fmt::format("{} = {} a block; {} warps / {} = {}", counted(usage.threads_per_block, "thread"),
                  counted(warps, "warp"), device.max_warps_per_sm, warps, counted(out.blocks, "block"));
  const int naive = device.max_warps_per_sm * 32 / usage.threads_per_block;
  if (naive != out.blocks)
    out.naive = fmt::format(
        "{} threads / {} = {} forgets that a block takes whole warps ({} x 32 = {} thread slots): {}",
        device.max_warps_per_sm * 32, usage.threads_per_block, naive, warps, warps * 32, out.blocks);
}

void explain_registers(const DeviceSpec& device, const Usage& usage, Explanation& out) {
  if (usage.registers_per_thread <= 0) {
    out.arithmetic = "no registers, so no limit";
    return;
  }
  if (usage.registers_per_thread > device.max_registers_per_thread) {
    out.arithmetic = fmt::format("{} registers a thread, but a thread can have at most {}",
                                 usage.registers_per_thread, device.max_registers_per_thread);
    return;
  }
  const RegisterUse use = register_use(device, usage);
  const int warps = warps_per_block(usage);
  const int plain = usage.registers_per_thread * 32;
  std::string text =
      fmt::format("{} x 32 lanes = {} a warp", counted(usage.registers_per_thread, "register"), plain);
  text += use.per_warp == plain
              ? fmt::format(" (a multiple of {})", device.register_unit_per_warp)
              : fmt::format(", rounded up to {} (unit {})", use.per_warp, device.register_unit_per_warp);
  if (warps == 0) {
    out.arithmetic = text;
    return;
  }
  if (use.checked_per_block > device.registers_per_block) {
    out.arithmetic = fmt::format(
        "{}; {}, counted as whole rounds over {} schedulers, take {} registers, but a block "
        "can have at most {}",
        text, counted(warps, "warp"), device.sub_partitions, use.checked_per_block,
        device.registers_per_block);
    return;
  }
  out.arithmetic = fmt::format(
      "{}; {} registers a scheduler / {} = {}; {} schedulers x {} = {}; / {} a block = {}", text,
      use.per_scheduler, use.per_warp, counted(use.warps_per_scheduler, "warp"), device.sub_partitions,
      use.warps_per_scheduler, counted(std::int64_t{use.warps_per_scheduler} * device.sub_partitions, "warp"),
      counted(warps, "warp"), counted(out.blocks, "block"));
  const std::int64_t threads = usage.threads_per_block;
  const std::int64_t naive = device.registers_per_sm / (usage.registers_per_thread * threads);
  if (naive != out.blocks)
    out.naive = fmt::format(
        "{} / ({} x {}) = {} forgets that registers are given to whole warps in units of {}, within one of "
        "{} "
        "schedulers: {}",
        device.registers_per_sm, usage.registers_per_thread, threads, naive, device.register_unit_per_warp,
        device.sub_partitions, out.blocks);
}

void explain_shared(const DeviceSpec& device, const Usage& usage, Explanation& out) {
  const SharedUse use = shared_use(device, usage);
  if (use.per_block == 0) {
    out.arithmetic = "no shared memory, so no limit";
    return;
  }
  std::string text = fmt::format("{} requested", bytes(use.requested));
  if (device.shared_reserved_per_block > 0)
    text += fmt::format(" + {} reserved for each block", bytes(device.shared_reserved_per_block));
  const std::uint64_t plain = use.requested + device.shared_reserved_per_block;
  if (use.per_block != plain) text += fmt::format(", rounded up to a multiple of {}", device.shared_unit);
  text += fmt::format(" = {}", bytes(use.per_block));
  if (use.per_block > use.limit_per_block) {
    out.arithmetic = fmt::format("{}, but a block can have at most {} of its own", text,
                                 bytes(static_cast<std::uint64_t>(device.shared_per_block_optin)));
    return;
  }
  out.arithmetic =
      fmt::format("{}; {} / {} = {}", text, bytes(static_cast<std::uint64_t>(device.shared_per_sm)),
                  bytes(use.per_block), counted(out.blocks, "block"));
  if (use.requested == 0) return;
  const std::uint64_t naive = static_cast<std::uint64_t>(device.shared_per_sm) / use.requested;
  if (naive != static_cast<std::uint64_t>(out.blocks))
    out.naive =
        fmt::format("{} / {} = {} forgets {}: {}", bytes(static_cast<std::uint64_t>(device.shared_per_sm)),
                    bytes(use.requested), naive,
                    device.shared_reserved_per_block > 0
                        ? fmt::format("the {} bytes that the system takes for each block",
                                      device.shared_reserved_per_block)
                        : fmt::format("that blocks take multiples of {} bytes", device.shared_unit),
                    out.blocks);
}

}  // namespace

std::vector<Explanation> explain(const DeviceSpec& device, const Usage& usage) {
  std::vector<Explanation> all;
  for (const ResourceLimit& limit : table(device, usage, 0).limits) {
    Explanation& out = all.emplace_back();
    out.resource = limit.resource;
    out.blocks = limit.blocks;
    switch (limit.resource) {
      case Resource::kWarps:
        explain_warps(device, usage, out);
        break;
      case Resource::kBlocks:
        out.arithmetic = fmt::format("an SM holds at most {}", counted(device.max_blocks_per_sm, "block"));
        break;
      case Resource::kRegisters:
        explain_registers(device, usage, out);
        break;
      case Resource::kShared:
        explain_shared(device, usage, out);
        break;
      case Resource::kBarriers:
        out.arithmetic = usage.barriers <= 0 ? std::string("no barriers, so no limit")
                                             : fmt::format("{} an SM / {} = {}",
                                                           counted(device.max_barriers_per_sm, "barrier"),
                                                           usage.barriers, counted(out.blocks, "block"));
        break;
    }
  }
  return all;
}

}  // namespace gpuprobe::occupancy
