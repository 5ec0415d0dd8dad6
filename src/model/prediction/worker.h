// What watches one worker thread of the machine: counts the accesses and looks for races, block by block.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "model/hazards/race_detector.h"
#include "model/prediction/access_counter.h"
#include "model/prediction/issue_pace.h"
#include "model/simt/machine.h"

namespace gpuprobe::prediction {

class Worker final : public simt::Observer {
 public:
  Worker(int warps_per_block, const std::vector<InstructionPlan>& plan, TouchedSectors& loads,
         TouchedSectors& stores)
      : warps_(warps_per_block), counter_(plan, loads, stores) {}

  void begin_block(std::uint64_t block, std::uint32_t shared_bytes) override;
  void access(const simt::MemoryAccess& access) override;
  void barrier(std::uint64_t block, int barrier_id, const std::vector<bool>& warps) override;
  void fence(std::uint64_t block, int warp, simt::MemoryOrder order) override;
  void warp_sync(std::uint64_t, int, std::uint32_t) override {}
  void block_work(std::uint64_t block, std::uint64_t warp_instructions,
                  std::uint64_t lane_instructions) override {
    counter_.block_work(block, warp_instructions, lane_instructions);
  }
  void end_block(std::uint64_t block) override;
  bool follows(std::uint64_t block) const override { return pace_ && block == paced_block_; }
  bool issue(int warp, int instruction) override { return pace_->issue(warp, instruction); }

  /// Has the pace of one block's warps taken, if this worker executes it; `plan` outlives the worker.
  void take_pace_of(std::uint64_t block, const IssuePlan& plan) {
    paced_block_ = block;
    pace_.emplace(plan, warps_);
  }
  /// Nothing before take_pace_of.
  const std::optional<IssuePace>& pace() const { return pace_; }
  AccessCounter& counter() { return counter_; }
  /// Appends the conflicts on shared memory found so far.
  void append_conflicts(std::vector<hazards::ConflictRecord>& all) const;

 private:
  /// A detector in use by an open block, or waiting for the next one (it keeps its memory and its findings).
  struct Watch {
    bool open = false;
    std::uint64_t block = 0;
    std::unique_ptr<hazards::RaceDetector> races;
  };
  Watch* find(std::uint64_t block);

  int warps_;
  AccessCounter counter_;
  std::vector<Watch> watches_;
  std::size_t last_ = 0;
  std::uint64_t paced_block_ = 0;
  std::optional<IssuePace> pace_;
};

}  // namespace gpuprobe::prediction
