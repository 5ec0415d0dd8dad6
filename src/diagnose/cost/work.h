// The work of a run on each unit of the GPU, as the seconds that the unit needs for it at its full rate.
// Measured utilisation is preferred; otherwise work is counted (bytes, sectors, lines, wavefronts,
// instructions).
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "core/run.h"
#include "diagnose/access/traffic.h"
#include "diagnose/cost/rates.h"

namespace gpuprobe::diagnose {

enum class CostUnit {
  kDram,
  kL2,
  kL1Tags,   ///< one 128-byte line a cycle and SM
  kLsuData,  ///< one shared-memory wavefront a cycle and SM
  kIssue,    ///< one instruction a cycle and scheduler
};
inline constexpr std::array kCostUnits{CostUnit::kDram, CostUnit::kL2, CostUnit::kL1Tags, CostUnit::kLsuData,
                                       CostUnit::kIssue};
/// "DRAM", "L2", "the L1 tag stage", "the shared-memory data stage", "the issue slots".
std::string_view name_of(CostUnit unit);
/// True for units that each SM has for itself.
bool is_in_sm(CostUnit unit);

/// DRAM moves some bytes above the useful ones without any fault: sectors come in pairs, lines are written
/// back whole (recorded rowsum_bad: 1.4 times). From this factor on the rest of the sectors is not used
/// (strided_2: 2.1 times).
inline constexpr double kOrdinaryOverfetch = 1.5;

struct UnitLoad {
  double busy_s = 0;      ///< seconds, or parts of the duration if that is not known
  bool known = false;     ///< false: neither measured nor countable
  bool measured = false;  ///< from a utilisation counter, not from counted work
};

struct Work {
  std::array<UnitLoad, kCostUnits.size()> loads{};
  double active_sms = 1;  ///< part of the SMs that have at least one block
  double dram_bytes = 0;  ///< both directions; 0 = not known
  double dram_read_bytes = 0;
  double seconds_per_tag_line = 0;  ///< one line, spread over the SMs that have work
  double seconds_per_wavefront = 0;
  /// Busy part (0..1) of the L1 data stages while their SMs ran, with global accesses too; 0 = not measured.
  double data_stage = 0;
  double load_lines = 0;  ///< L1 tag look-ups of global loads, counted or estimated
  double store_lines = 0;
  bool has_measured_units = false;

  UnitLoad& at(CostUnit unit) { return loads[static_cast<std::size_t>(unit)]; }
  const UnitLoad& at(CostUnit unit) const { return loads[static_cast<std::size_t>(unit)]; }
};

/// `duration_s`: measured duration. Without it, measured utilisations are taken as parts of a duration of 1.
Work count_work(const Run& run, const Traffic& traffic, const Rates& rates, std::optional<double> duration_s);

/// Lines that `totals` would touch with contiguous lanes.
double ideal_lines(const AccessTotals& totals);

}  // namespace gpuprobe::diagnose
