#include "model/prediction/worker.h"

namespace gpuprobe::prediction {

Worker::Watch* Worker::find(std::uint64_t block) {
  if (last_ < watches_.size() && watches_[last_].open && watches_[last_].block == block)
    return &watches_[last_];
  for (std::size_t i = 0; i < watches_.size(); ++i)
    if (watches_[i].open && watches_[i].block == block) {
      last_ = i;
      return &watches_[i];
    }
  return nullptr;
}

void Worker::begin_block(std::uint64_t block, std::uint32_t shared_bytes) {
  counter_.begin_block(block);
  if (shared_bytes == 0) return;
  std::size_t free = 0;
  while (free < watches_.size() && watches_[free].open) ++free;
  if (free == watches_.size())
    watches_.push_back({false, 0, std::make_unique<hazards::RaceDetector>(warps_)});
  last_ = free;
  Watch& watch = watches_[free];
  watch.open = true;
  watch.block = block;
  watch.races->begin_block(block, shared_bytes);
}

void Worker::access(const simt::MemoryAccess& access) {
  counter_.access(access);
  if (access.space != simt::MemorySpace::kShared && access.op != simt::AccessOp::kAsyncCopy &&
      !access.order.strong)
    return;
  if (Watch* watch = find(access.block)) watch->races->access(access);
}

void Worker::barrier(std::uint64_t block, int barrier_id, const std::vector<bool>& warps) {
  if (Watch* watch = find(block)) watch->races->barrier(block, barrier_id, warps);
}

void Worker::fence(std::uint64_t block, int warp, simt::MemoryOrder order) {
  if (Watch* watch = find(block)) watch->races->fence(block, warp, order);
}

void Worker::end_block(std::uint64_t block) {
  counter_.end_block(block);
  if (Watch* watch = find(block)) watch->open = false;
}

void Worker::append_conflicts(std::vector<hazards::ConflictRecord>& all) const {
  for (const Watch& watch : watches_)
    all.insert(all.end(), watch.races->records().begin(), watch.races->records().end());
}

}  // namespace gpuprobe::prediction
