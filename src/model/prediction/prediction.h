// The course of one prediction: decides how much of each launch to execute, executes it, and fills a Run.
#pragma once

#include "core/counter_source.h"
#include "model/prediction/kernel_execution.h"
#include "model/prediction/site_table.h"

namespace gpuprobe::prediction {

class Prediction {
 public:
  Prediction(const DeviceSpec& device, const Kernel& kernel, const CompiledKernel& compiled,
             const CollectOptions& options)
      : device_(device), kernel_(kernel), compiled_(compiled), options_(options) {}

  Result<Run> run();
  /// Executes every block and returns the buffers. Errors: kKernel if the kernel faults or does not end in
  /// time.
  Result<HostBuffers> results();

 private:
  /// Executes all launches; `whole` runs every block of each.
  Status execute(const KernelAnalysis& analysis, const HostBuffers& initial, bool whole);
  StepLimits limits_of(std::size_t step, const KernelAnalysis& analysis, bool whole) const;
  void take(std::size_t step, StepCounts counts);
  Status look_at_block_order(const KernelAnalysis& analysis, const HostBuffers& initial);
  void check(const HostBuffers& initial);
  void fill_counters();
  void fill_local_memory();
  void write_notes(const KernelAnalysis& analysis);

  const DeviceSpec& device_;
  const Kernel& kernel_;
  const CompiledKernel& compiled_;
  const CollectOptions& options_;

  std::unique_ptr<KernelExecution> execution_;
  std::vector<double> loaded_sectors_;
  std::vector<double> stored_sectors_;
  double warp_instructions_ = 0;
  double lane_instructions_ = 0;
  double issue_cycles_ = 0;  ///< of all warps, each as if it were alone
  std::uint64_t executed_lane_instructions_ = 0;
  Sampling sampling_;
  bool blocks_agree_ = true;
  bool waited_ = false;
  bool faulted_ = false;
  bool timed_out_ = false;
  bool shares_buffers_ = false;
  double seconds_left_ = 0;
  Run run_;
};

}  // namespace gpuprobe::prediction
