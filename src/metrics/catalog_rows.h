// The rows of the catalog by group; each file part of the table in metrics/catalog.cpp.
#pragma once

#include <vector>

#include "metrics/catalog.h"

namespace gpuprobe::catalog {

/// global.*, shared.*, local.*: what accesses did and cost.
std::vector<MetricRow> access_rows();
/// occupancy.*, launch.*, time.*: residency, the launch itself, duration.
std::vector<MetricRow> residency_rows();
/// dram.*, l2.*, l1.*, lsu.*, issue.*, warps.*, stall.*: how busy the units were.
std::vector<MetricRow> utilization_rows();

/// Chips from Ampere on, from Hopper on, before Blackwell, with DRAM of their own, ... (lower case).
const std::vector<std::string>& chips_from_ampere();
const std::vector<std::string>& chips_from_hopper();
const std::vector<std::string>& chips_before_blackwell();

/// A row with one counter; `chips` empty = every chip.
MetricRow counter_row(std::string name, Unit unit, std::string help, std::string counter,
                      std::vector<std::string> chips = {});
MetricRow ratio_row(std::string name, Unit unit, std::string help, std::string numerator,
                    std::string denominator, double scale = 1.0);
MetricRow largest_row(std::string name, Unit unit, std::string help, std::vector<std::string> parts);
MetricRow static_row(std::string name, Unit unit, std::string help, bool needs_gpu = false);
MetricRow site_row(std::string name, Unit unit, std::string help);
/// The same row, marked as one that only a GPU can give.
MetricRow gpu_only(MetricRow row);

}  // namespace gpuprobe::catalog
