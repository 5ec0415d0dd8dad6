// Executes one launch on the machine: all of its blocks, or a few of each kind scaled up to the whole grid.
//
//   StepRunner runner(program, memory, launch, parameters, {plan, issue_plan}, loads, stores);
//   Result<StepCounts> counts = runner.run(limits);
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "core/result.h"
#include "core/run.h"
#include "model/prediction/access_counter.h"
#include "model/prediction/block_box.h"
#include "model/prediction/worker.h"
#include "model/simt/machine.h"

namespace gpuprobe::prediction {

struct StepLimits {
  bool all_blocks = false;  ///< no sampling
  bool on_data = false;     ///< blocks may differ by their data: no few of them stand for the others
  std::uint64_t lane_instructions = 0;  ///< a launch estimated to need at most so many is executed whole
  int threads = 0;                      ///< 0 = all cores
  double timeout_s = 60;
  std::uint64_t step_limit = 0;  ///< as in simt::Execution
};

/// What is known of the instructions of a program before it runs; both outlive the runner.
struct StepPlans {
  const std::vector<InstructionPlan>& access;
  const IssuePlan& issue;
};

/// Counts of one instruction, scaled to the whole grid.
struct ScaledRecord {
  int instruction = 0;
  AccessKind kind = AccessKind::kGlobalLoad;
  std::uint32_t width = 0;
  WorstAccess worst;
  double requests = 0;
  double actual = 0;
  double ideal = 0;
  double lines = 0;
  double lanes = 0;
  double misaligned = 0;
  double same_word = 0;
};

struct StepCounts {
  std::vector<ScaledRecord> records;
  double warp_instructions = 0;
  double lane_instructions = 0;
  /// Cycles from one instruction of a warp to the next with no other warp in the way, without waits for
  /// memory; 0 if the block that it is taken from did not run.
  double cycles_per_instruction = 0;
  std::uint64_t executed_lane_instructions = 0;
  std::vector<double> loaded_sectors;  ///< per allocation: touched for the first time in this run
  std::vector<double> stored_sectors;
  Sampling sampling;
  bool blocks_agree = true;  ///< wherever a few blocks stand for others, they had equal counts
  std::vector<Hazard> hazards;
  std::vector<hazards::ConflictRecord> conflicts;
  bool faulted = false;
  bool timed_out = false;
  bool waited = false;          ///< a block waited for another one
  bool shares_buffers = false;  ///< a buffer was both loaded from and stored to
};

class StepRunner {
 public:
  StepRunner(const simt::Program& program, simt::DeviceMemory& memory, const Launch& launch,
             std::vector<std::uint8_t> parameters, const StepPlans& plans, TouchedSectors& loads,
             TouchedSectors& stores);

  /// Errors as of simt::execute.
  Result<StepCounts> run(const StepLimits& limits);

 private:
  /// What one batch of blocks touched for the first time, per allocation.
  struct Fresh {
    std::vector<double> loaded;
    std::vector<double> stored;
    std::uint64_t blocks = 0;
  };

  Status sample(const StepLimits& limits);
  /// Splits boxes whose blocks differ until they agree or the budget is spent.
  Status refine(std::uint64_t budget);
  /// Executes blocks that have not been executed, keeping their records apart, or adding them all to `rest_`.
  Status execute(std::vector<std::uint64_t> blocks, bool apart);
  Status execute_positions(const std::vector<BlockPosition>& positions);
  Status execute_rest();
  std::vector<const AccessRecords*> executed_in(const BlockBox& box) const;
  bool agrees(const BlockBox& box) const;
  std::size_t dimension_to_split(const BlockBox& box) const;
  double estimated_lane_instructions() const;
  bool stopped() const { return counts_.faulted || counts_.timed_out || counts_.waited; }
  void add_boxes();
  /// Adds what `executed` blocks did together, scaled to `represented` blocks.
  void add_scaled(const AccessRecords& records, std::uint64_t represented, std::uint64_t executed);
  void add_sectors();
  void add_pace();

  const simt::Program& program_;
  simt::DeviceMemory& memory_;
  simt::Execution execution_;
  StepPlans plans_;
  TouchedSectors& loads_;
  TouchedSectors& stores_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<simt::Observer*> observers_;
  std::vector<BlockBox> boxes_;
  std::map<std::uint64_t, AccessRecords> executed_;  ///< by block
  AccessRecords rest_;
  bool all_executed_ = false;
  std::vector<Fresh> fresh_;
  std::map<std::tuple<int, AccessKind, std::uint32_t>, ScaledRecord> scaled_;
  StepCounts counts_;
};

/// Adds hazards to a list that holds each (kind, places) once, summing their counts.
void merge_hazards(std::vector<Hazard>& all, const std::vector<Hazard>& more);

}  // namespace gpuprobe::prediction
