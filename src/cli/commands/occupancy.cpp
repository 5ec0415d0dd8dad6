// `gpuprobe occupancy`: the limiter table of a launch on any architecture, and what buys the next block.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/occupancy_plot.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/table.h"
#include "model/devices/devices.h"
#include "model/occupancy/calculator.h"
#include "model/occupancy/explain.h"

namespace gpuprobe::cli {
namespace {

struct OccupancyOptions {
  occupancy::Usage usage{256, 32, 0, 0, 1};
  std::uint64_t grid = 0;
  std::string arch = "sm_90";
  bool plot = false;
  bool explain = false;
};

constexpr std::size_t kWidth = 80;
/// The largest grid of any GPU: CUDA C++ Programming Guide, compute capabilities (x, y and z of a grid).
constexpr std::uint64_t kMostBlocks = 2147483647ULL * 65535 * 65535;

std::string percent(double value) {
  return fmt::format("{:.4g} %", value);
}

bool is_limiter(const OccupancyTable& table, Resource resource) {
  for (Resource limiter : table.limiters)
    if (limiter == resource) return true;
  return false;
}

std::string heading(const DeviceSpec& device, const occupancy::Usage& usage) {
  return fmt::format(
      "{} ({}): {} threads, {} registers a thread, {} + {} bytes of shared memory (static + dynamic)\n\n",
      device.name, device.arch, usage.threads_per_block, usage.registers_per_thread, usage.shared_static,
      usage.shared_dynamic);
}

std::string limiter_table(const OccupancyTable& table) {
  Table rows({"resource", "blocks per SM", ""});
  for (const ResourceLimit& limit : table.limits) {
    const std::string blocks = limit.blocks == kUnlimitedBlocks ? "-" : std::to_string(limit.blocks);
    rows.add({std::string(to_string(limit.resource)), blocks,
              is_limiter(table, limit.resource) ? "<- limits" : ""});
  }
  return render(rows, TableFormat::kText) + "\n";
}

std::string result_lines(const OccupancyTable& table, const DeviceSpec& device, std::uint64_t grid) {
  if (table.blocks_per_sm == 0) return "Such a block cannot run on this device.\n";
  std::string out =
      fmt::format("{} blocks of {} warps per SM: {} of {} warps, occupancy {}\n", table.blocks_per_sm,
                  table.warps_per_block, table.blocks_per_sm * table.warps_per_block, device.max_warps_per_sm,
                  percent(table.theoretical_percent));
  if (grid > 0)
    out += fmt::format("grid of {} blocks: {:.4g} waves on {} SMs\n", grid, table.waves, device.sm_count);
  return out;
}

std::string carveout_lines(const OccupancyTable& table) {
  if (table.at_carveouts.empty()) return {};
  std::string list;
  for (const auto& at : table.at_carveouts)
    list += fmt::format("{}{} KiB: {}", list.empty() ? "" : ", ", at.carveout_kib,
                        at.blocks_per_sm == kUnlimitedBlocks ? "any" : std::to_string(at.blocks_per_sm));
  return wrap("blocks that shared memory allows, by carve-out: " + list, kWidth, 0);
}

std::string next_step_lines(const DeviceSpec& device, const occupancy::Usage& usage) {
  std::string out;
  for (const occupancy::NextStep& step : occupancy::next_steps(device, usage))
    out += (out.empty() ? "\nWhat buys more resident warps:\n" : "") + wrap("- " + step.text, kWidth, 2);
  return out;
}

std::string explanation(const DeviceSpec& device, const occupancy::Usage& usage) {
  std::string out = "\nHow each limit comes about:\n";
  for (const occupancy::Explanation& one : occupancy::explain(device, usage)) {
    out += wrap(std::string(to_string(one.resource)) + ": " + one.arithmetic, kWidth, 2);
    if (!one.naive.empty()) out += wrap(one.naive, kWidth, 4);
  }
  return out;
}

Result<int> calculate(const OccupancyOptions& options) {
  const DeviceSpec* device = device_for_arch(options.arch);
  if (!device)
    return fail(ErrorCode::kUsage, "there is no device file for " + options.arch, "see gpuprobe devices");
  const OccupancyTable table = occupancy::table(*device, options.usage, options.grid);
  std::string out = wrap(heading(*device, options.usage), kWidth, 0);
  out += limiter_table(table) + result_lines(table, *device, options.grid) + carveout_lines(table);
  out += next_step_lines(*device, options.usage);
  if (options.explain) out += explanation(*device, options.usage);
  if (options.plot) out += "\n" + occupancy_plot(*device, options.usage);
  return write_stdout(out).map([] { return 0; });
}

void define(CLI::App& app, Actions& actions) {
  auto options = std::make_shared<OccupancyOptions>();
  add_option(app, "--block", options->usage.threads_per_block, "threads of a block (default 256)")
      ->type_name("THREADS")
      ->check(whole_number(1, 1024, "threads"));
  add_option(app, "--regs", options->usage.registers_per_thread, "registers of a thread (default 32)")
      ->type_name("N")
      ->check(whole_number(1, 255, "registers"));
  add_option(app, "--shared-static", options->usage.shared_static,
             "static shared memory of a block (default 0)")
      ->type_name("BYTES")
      ->check(whole_number(0, 1 << 20, "bytes"));
  add_option(app, "--shared-dynamic", options->usage.shared_dynamic,
             "dynamic shared memory of a block (default 0)")
      ->type_name("BYTES")
      ->check(whole_number(0, 1 << 20, "bytes"));
  add_option(app, "--barriers", options->usage.barriers, "named barriers that the block uses (default 1)")
      ->type_name("N")
      ->check(whole_number(0, 16, "barriers"));
  add_option(app, "--grid", options->grid, "blocks of the grid, to count waves")
      ->type_name("BLOCKS")
      ->check(whole_number(1, kMostBlocks, "blocks"));
  add_option(app, "--arch", options->arch,
             "architecture: " + fmt::format("{}", fmt::join(known_archs(), ", ")) + " (default sm_90)")
      ->type_name("ARCH")
      ->check(one_of("architecture", known_archs()));
  add_flag(app, "--explain", options->explain,
           "show the arithmetic of each limit, and where a plain division errs");
  add_flag(app, "--plot", options->plot, "draw occupancy over block size, registers and shared memory");
  actions[&app] = [options] { return calculate(*options); };
}

}  // namespace

Command occupancy_command() {
  return {"occupancy", "blocks per SM for a block size, registers and shared memory", kAskGroup, define};
}

}  // namespace gpuprobe::cli
