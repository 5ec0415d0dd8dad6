// The time that a run takes if nothing but latency is in its way: every warp goes through its chain of
// dependent operations, as many warps at a time as reside on the SMs.
#pragma once

#include "core/run.h"
#include "diagnose/access/traffic.h"
#include "diagnose/cost/range.h"
#include "diagnose/cost/rates.h"

namespace gpuprobe::diagnose {

/// Warps that reside on the GPU at once, of those that would if the grid were large enough (0..1).
double resident_part(const Run& run, const Rates& rates);

/// Seconds that the GPU needs to start all blocks one after the other on its SMs, whatever they do.
double block_launch_s(const Run& run, const Rates& rates);

/// Seconds. `low`: as many independent loads in flight as a warp usually has; `high`: hardly any.
/// `read_bytes_from_dram`: bytes that loads had to fetch from DRAM; the rest is assumed to hit L1.
Range latency_of(const Run& run, const Traffic& traffic, const Rates& rates, double read_bytes_from_dram);

}  // namespace gpuprobe::diagnose
