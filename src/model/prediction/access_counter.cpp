#include "model/prediction/access_counter.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "model/memory/cost.h"

namespace gpuprobe::prediction {
namespace {

using simt::AccessOp;
using simt::MemorySpace;

std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 31;
  x *= 0x9E3779B97F4A7C15ull;
  x ^= x >> 29;
  x *= 0xBF58476D1CE4E5B9ull;
  return x ^ x >> 32;
}

AccessTotals totals_of(const memory::GlobalCost& cost) {
  AccessTotals one;
  one.actual = static_cast<std::uint64_t>(cost.sectors);
  one.ideal = static_cast<std::uint64_t>(cost.ideal);
  one.lines = static_cast<std::uint64_t>(cost.lines);
  if (cost.sectors > cost.aligned_sectors)
    one.misaligned =
        static_cast<std::uint64_t>(std::min(cost.sectors - cost.aligned_sectors, cost.sectors - cost.ideal));
  one.same_word = static_cast<std::uint64_t>(cost.same_word_lanes);
  return one;
}

AccessTotals totals_of(const memory::SharedCost& cost) {
  AccessTotals one;
  one.actual = static_cast<std::uint64_t>(cost.wavefronts);
  one.ideal = static_cast<std::uint64_t>(cost.ideal);
  one.same_word = static_cast<std::uint64_t>(cost.same_word_lanes);
  return one;
}

}  // namespace

void AccessTotals::add(const AccessTotals& other) {
  requests += other.requests;
  actual += other.actual;
  ideal += other.ideal;
  lines += other.lines;
  lanes += other.lanes;
  misaligned += other.misaligned;
  same_word += other.same_word;
}

AccessRecord& AccessRecords::at(int instruction, AccessKind kind, std::uint32_t width) {
  const auto index = static_cast<std::size_t>(instruction);
  if (index >= slot_.size()) slot_.resize(index + 1, -1);
  if (slot_[index] >= 0) {
    AccessRecord& latest = records_[static_cast<std::size_t>(slot_[index])];
    if (latest.kind == kind && latest.width == width) return latest;
    for (std::size_t i = 0; i < records_.size(); ++i) {
      AccessRecord& known = records_[i];
      if (known.instruction != instruction || known.kind != kind || known.width != width) continue;
      slot_[index] = static_cast<int>(i);
      return known;
    }
  }
  slot_[index] = static_cast<int>(records_.size());
  AccessRecord& added = records_.emplace_back();
  added.instruction = instruction;
  added.kind = kind;
  added.width = width;
  return added;
}

void AccessRecords::add(const AccessRecords& other) {
  for (const AccessRecord& record : other.records_) {
    AccessRecord& known = at(record.instruction, record.kind, record.width);
    known.totals.add(record.totals);
    if (known.worst.loses_to(record.worst)) known.worst = record.worst;
  }
  digest += other.digest;
  warp_instructions += other.warp_instructions;
  lane_instructions += other.lane_instructions;
}

void AccessCounter::select(std::uint64_t block) {
  block_ = block;
  current_ = apart_ ? &open_[block] : &finished_[0];
}

void AccessCounter::block_work(std::uint64_t block, std::uint64_t warp_instructions,
                               std::uint64_t lane_instructions) {
  select(block);
  current_->warp_instructions += warp_instructions;
  current_->lane_instructions += lane_instructions;
}

void AccessCounter::end_block(std::uint64_t block) {
  if (!apart_) return;
  if (auto finished = open_.extract(block)) finished_.insert(std::move(finished));
  current_ = nullptr;
}

std::map<std::uint64_t, AccessRecords> AccessCounter::take() {
  open_.clear();
  current_ = nullptr;
  return std::exchange(finished_, {});
}

void AccessCounter::fill(const std::uint64_t* addresses, std::uint32_t active, std::uint32_t width) {
  std::memcpy(pattern_.address.data(), addresses, sizeof pattern_.address);
  pattern_.active = active;
  pattern_.width = width;
}

void AccessCounter::access(const simt::MemoryAccess& access) {
  if (access.active == 0) return;
  if (!current_ || access.block != block_) select(access.block);
  switch (access.space) {
    case MemorySpace::kGlobal:
      global_access(access);
      break;
    case MemorySpace::kShared: {
      const InstructionPlan& plan = plan_[static_cast<std::size_t>(access.instruction)];
      if (!plan.skipped) shared_access(access, plan);
      break;
    }
    case MemorySpace::kLocal:
      local_access(access);
      break;
    case MemorySpace::kConst:
    case MemorySpace::kParam:
      break;  // the constant caches have counters of their own, which no metric of the catalog covers
  }
}

void AccessCounter::count(int instruction, AccessKind kind, const AccessTotals& one) {
  AccessRecord& record = current_->at(instruction, kind, pattern_.width);
  record.totals.add(one);
  record.totals.requests += 1;
  record.totals.lanes += static_cast<std::uint64_t>(std::popcount(pattern_.active));
  current_->digest += mix(static_cast<std::uint64_t>(instruction) << 40 ^
                          static_cast<std::uint64_t>(kind) << 32 ^ one.actual << 16 ^ one.ideal);
  const int excess = static_cast<int>(one.actual - one.ideal);
  if (excess > record.worst.excess || (excess == record.worst.excess && block_ < record.worst.block))
    record.worst = {excess, block_, pattern_};
}

void AccessCounter::global_access(const simt::MemoryAccess& access) {
  fill(access.addresses, access.active, access.width);
  const int allocation = loads_.allocation_of(pattern_.address[std::countr_zero(access.active)]);
  const std::uint64_t bit = allocation < 0 ? 0 : std::uint64_t{1} << std::min(allocation, 63);
  switch (access.op) {
    case AccessOp::kStore:
      stored_ |= bit;
      stores_.touch(pattern_);
      count(access.instruction, AccessKind::kGlobalStore, totals_of(memory::global_cost(pattern_)));
      break;
    case AccessOp::kAtomic:
    case AccessOp::kReduction:
      loaded_ |= bit;
      stored_ |= bit;
      loads_.touch(pattern_);
      stores_.touch(pattern_);
      count(access.instruction, AccessKind::kGlobalAtomic, totals_of(memory::global_atomic_cost(pattern_)));
      break;
    case AccessOp::kAsyncCopy: {
      loaded_ |= bit;
      loads_.touch(pattern_);
      LanePattern destination = pattern_;
      std::memcpy(destination.address.data(), access.shared_destination, sizeof destination.address);
      count(access.instruction, AccessKind::kGlobalLoad,
            totals_of(memory::async_copy_global_cost(pattern_, destination)));
      pattern_ = destination;
      count(access.instruction, AccessKind::kAsyncCopyShared,
            totals_of(memory::async_copy_shared_cost(pattern_)));
      break;
    }
    default:
      loaded_ |= bit;
      loads_.touch(pattern_);
      count(access.instruction, AccessKind::kGlobalLoad, totals_of(memory::global_cost(pattern_)));
      break;
  }
}

void AccessCounter::shared_access(const simt::MemoryAccess& access, const InstructionPlan& plan) {
  fill(access.addresses, access.active, plan.merged ? plan.merged_width : access.width);
  if (plan.merged)
    for (std::uint64_t& address : pattern_.address) address += static_cast<std::uint64_t>(plan.merged_offset);
  switch (access.op) {
    case AccessOp::kLoad:
      count(access.instruction, AccessKind::kSharedLoad, totals_of(memory::shared_load_cost(pattern_)));
      break;
    case AccessOp::kStore:
    case AccessOp::kAsyncCopy:
      count(access.instruction, AccessKind::kSharedStore, totals_of(memory::shared_store_cost(pattern_)));
      break;
    case AccessOp::kAtomic:
    case AccessOp::kReduction:
      count(access.instruction, AccessKind::kSharedAtomic,
            totals_of(plan.combines_lanes ? memory::shared_increment_cost(pattern_)
                                          : memory::shared_atomic_cost(pattern_)));
      break;
    case AccessOp::kMatrixLoad:
    case AccessOp::kMatrixStore:
      pattern_.width = 16;
      count(access.instruction,
            access.op == AccessOp::kMatrixLoad ? AccessKind::kMatrixLoad : AccessKind::kMatrixStore,
            totals_of(memory::matrix_cost(pattern_, access.matrices)));
      break;
  }
}

void AccessCounter::local_access(const simt::MemoryAccess& access) {
  fill(access.addresses, access.active, access.width);
  const bool store = access.op == AccessOp::kStore;
  count(access.instruction, store ? AccessKind::kLocalStore : AccessKind::kLocalLoad,
        totals_of(memory::global_cost(pattern_)));
}

}  // namespace gpuprobe::prediction
