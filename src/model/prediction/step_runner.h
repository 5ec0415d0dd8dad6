// Executes one launch on the machine: all of its blocks, or a few of each kind scaled up to the whole grid.
//
//   StepRunner runner(program, memory, setup);
//   Result<StepCounts> counts = runner.run(limits);
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/run.h"
#include "model/prediction/access_counter.h"
#include "model/prediction/block_classes.h"
#include "model/prediction/worker.h"
#include "model/simt/machine.h"

namespace gpuprobe::prediction {

struct StepLimits {
  bool all_blocks = false;              ///< no sampling
  bool on_data = false;                 ///< blocks may differ by their data: take more of them
  std::uint64_t lane_instructions = 0;  ///< a launch estimated to need at most so many is executed whole
  int threads = 0;                      ///< 0 = all cores
  double timeout_s = 60;
};

/// Counts of one instruction, scaled to the whole grid.
struct ScaledRecord {
  int instruction = 0;
  AccessRecord record;  ///< kind, width and worst access; its totals are those of the executed blocks
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
  std::uint64_t executed_lane_instructions = 0;
  std::vector<double> loaded_sectors;  ///< per allocation: touched for the first time in this run
  std::vector<double> stored_sectors;
  Sampling sampling;
  bool classes_agree = true;  ///< sampled blocks at like positions had equal counts
  std::vector<Hazard> hazards;
  std::vector<hazards::ConflictRecord> conflicts;
  bool faulted = false;
  bool timed_out = false;
  bool waited = false;          ///< a block waited for another one
  bool shares_buffers = false;  ///< a buffer was both loaded from and stored to
};

/// How the set of touched sectors grows with the blocks of a class, per allocation: by the first blocks,
/// whose sectors are new to the run, and by later ones, which stand for all that are left.
struct SectorGrowth {
  std::vector<double> first;
  std::vector<double> later;
  std::uint64_t first_blocks = 0;
  std::uint64_t later_blocks = 0;

  void add(const std::vector<double>& fresh, std::uint64_t blocks);
  /// Sectors that all `size` blocks of the class touch first.
  std::vector<double> scaled(std::uint64_t size) const;
};

class StepRunner {
 public:
  StepRunner(const simt::Program& program, simt::DeviceMemory& memory, const Launch& launch,
             std::vector<std::uint8_t> parameters, const std::vector<InstructionPlan>& plan,
             TouchedSectors& loads, TouchedSectors& stores);

  /// Errors as of simt::execute.
  Result<StepCounts> run(const StepLimits& limits);

 private:
  struct ClassState {
    BlockClass blocks;
    std::uint64_t executed = 0;
    std::uint64_t warp_instructions = 0;
    std::uint64_t lane_instructions = 0;
    std::uint64_t digest = 0;
    bool has_digest = false;
    bool agree = true;
    std::vector<std::vector<AccessRecord>> records;  ///< per instruction
    SectorGrowth loaded;
    SectorGrowth stored;

    double scale() const { return static_cast<double>(blocks.size()) / static_cast<double>(executed); }
  };

  Status sample(const StepLimits& limits);
  /// Executes `count` more blocks of a class (fewer if it has no more).
  Status execute_more(ClassState& state, std::uint64_t count);
  Status execute(const std::vector<std::uint64_t>& blocks, ClassState& state);
  void collect(ClassState& state, std::uint64_t blocks);
  bool stopped() const { return counts_.faulted || counts_.timed_out || counts_.waited; }
  double estimated_lane_instructions() const;
  void add_scaled(const ClassState& state);

  const simt::Program& program_;
  simt::DeviceMemory& memory_;
  simt::Execution execution_;
  TouchedSectors& loads_;
  TouchedSectors& stores_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<simt::Observer*> observers_;
  const std::vector<InstructionPlan>& plan_;
  std::vector<ClassState> classes_;
  std::uint64_t loaded_allocations_ = 0;
  std::uint64_t stored_allocations_ = 0;
  StepCounts counts_;
};

/// Adds hazards to a list that holds each (kind, places) once, summing their counts.
void merge_hazards(std::vector<Hazard>& all, const std::vector<Hazard>& more);

}  // namespace gpuprobe::prediction
