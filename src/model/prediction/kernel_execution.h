// A kernel set up on the machine: buffers mapped, entries decoded, arguments packed; then its launches run
// one after the other over one memory, as on a device.
//
//   KernelAnalysis analysis = analyse_kernel(kernel, compiled, module);
//   auto execution = KernelExecution::prepare(kernel, analysis, initial, track_writes);
//   for (std::size_t i = 0; i < kernel.steps.size(); ++i) (*execution)->run_step(i, limits);
//   (*execution)->result()
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/buffers.h"
#include "core/compiled_kernel.h"
#include "core/kernel.h"
#include "core/result.h"
#include "model/prediction/dependence.h"
#include "model/prediction/load_merging.h"
#include "model/prediction/step_runner.h"
#include "model/prediction/touched_sectors.h"
#include "model/ptx/ast.h"
#include "model/simt/machine.h"

namespace gpuprobe::prediction {

/// What is found out about the code before it runs.
struct KernelAnalysis {
  const ptx::Module* module = nullptr;
  std::map<std::string, std::string> lowered;    ///< name expression -> PTX symbol
  std::map<std::string, Dependence> dependence;  ///< by name expression
  std::vector<MergedLoad> merged;                ///< of all functions
  std::set<int> combined_increments;             ///< of all functions: PTX lines
  std::vector<bool> written;                     ///< per buffer: a launch may store to it
};

/// Errors: kDefect if the module lacks an entry of the kernel.
Result<KernelAnalysis> analyse_kernel(const Kernel& kernel, const CompiledKernel& compiled,
                                      const ptx::Module& module);

class KernelExecution {
 public:
  /// Errors: kUsage if the arguments do not fit the parameters; kMachine if an instruction is not supported.
  static Result<std::unique_ptr<KernelExecution>> prepare(const Kernel& kernel,
                                                          const KernelAnalysis& analysis,
                                                          const HostBuffers& initial, bool track_writes);

  Result<StepCounts> run_step(std::size_t step, const StepLimits& limits);
  /// Runs all blocks of a launch one at a time, the first or the last block first, without counting;
  /// `observer` (or nullptr) is told everything.
  Result<simt::Outcome> run_step_in_order(std::size_t step, double timeout_s, bool last_first,
                                          simt::Observer* observer);

  const simt::Program& program(std::size_t step) const { return *programs_.at(kernel_.steps[step].entry); }
  const std::vector<InstructionPlan>& plan(std::size_t step) const {
    return plans_.at(kernel_.steps[step].entry);
  }
  const HostBuffers& result() const { return result_; }
  /// True if a launch has stored to the bytes at `offset` of `buffer`: exact for elements of 4 bytes and
  /// more.
  bool is_written(std::size_t buffer, std::uint64_t offset) const {
    return memory_.is_written(buffer, offset);
  }
  const TouchedSectors& loads() const { return *loads_; }
  const TouchedSectors& stores() const { return *stores_; }

 private:
  KernelExecution(const Kernel& kernel, const HostBuffers& initial) : kernel_(kernel), result_(initial) {}
  Status load_program(const std::string& entry, const KernelAnalysis& analysis);
  Status pack_arguments(std::size_t step);

  const Kernel& kernel_;
  HostBuffers result_;
  simt::DeviceMemory memory_;
  std::vector<std::uint64_t> addresses_;  ///< per buffer
  std::map<std::string, std::shared_ptr<const simt::Program>> programs_;
  std::map<std::string, std::vector<InstructionPlan>> plans_;
  std::map<std::string, IssuePlan> issue_plans_;
  std::vector<std::vector<std::uint8_t>> arguments_;  ///< per step
  std::unique_ptr<TouchedSectors> loads_;
  std::unique_ptr<TouchedSectors> stores_;
};

}  // namespace gpuprobe::prediction
