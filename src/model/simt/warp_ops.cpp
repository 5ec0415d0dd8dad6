#include "model/simt/warp_ops.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gpuprobe::simt {
namespace {

bool collects(const Warp& warp) {
  return warp.phase != SyncPhase::kFinish;
}
bool finishes(const Warp& warp) {
  return warp.phase != SyncPhase::kCollect;
}

template <class F>
void each_lane(std::uint32_t mask, F f) {
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) f(std::countr_zero(rest));
}

void give_words(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  if (!collects(warp)) return;
  const std::uint32_t* a = warp.words(op.a);
  each_lane(mask, [&](int i) { warp.exchange[static_cast<std::size_t>(i)] = a[i]; });
}

void set_predicate(Warp& warp, std::uint32_t slot, std::uint32_t mask, std::uint32_t value) {
  if (slot == kNoSlot) return;
  std::uint32_t& predicate = warp.predicate(slot);
  predicate = (predicate & ~mask) | (value & mask);
}

void set_words(Warp& warp, std::uint32_t slot, std::uint32_t mask, std::uint32_t value) {
  if (slot == kNoSlot) return;
  std::uint32_t* dst = warp.words(slot);
  each_lane(mask, [&](int i) { dst[i] = value; });
}

template <class F>
void reduce(Warp& warp, const MicroOp& op, std::uint32_t mask, F combine) {
  give_words(warp, op, mask);
  if (!finishes(warp)) return;
  auto result =
      static_cast<std::uint32_t>(warp.exchange[static_cast<std::size_t>(std::countr_zero(warp.sync_lanes))]);
  each_lane(warp.sync_lanes & (warp.sync_lanes - 1), [&](int i) {
    result = combine(result, static_cast<std::uint32_t>(warp.exchange[static_cast<std::size_t>(i)]));
  });
  set_words(warp, op.dst, mask, result);
}

}  // namespace

void shuffle(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  give_words(warp, op, mask);
  if (!finishes(warp)) return;
  const std::uint32_t* a = warp.words(op.a);
  const std::uint32_t* b = warp.words(op.b);
  const std::uint32_t* c = warp.words(op.c);
  std::uint32_t result[kLanes];
  std::uint32_t in_range = 0;
  each_lane(mask, [&](int lane) {
    const auto own = static_cast<int>(lane);
    const int segment = static_cast<int>(c[lane] >> 8 & 31), clamp = static_cast<int>(c[lane] & 31);
    const int offset = static_cast<int>(b[lane] & 31);
    const int highest = (own & segment) | (clamp & ~segment), lowest = own & segment;
    int from = own;
    bool valid = false;
    switch (static_cast<ShuffleMode>(op.mode)) {
      case ShuffleMode::kUp:
        from = own - offset;
        valid = from >= highest;
        break;
      case ShuffleMode::kDown:
        from = own + offset;
        valid = from <= highest;
        break;
      case ShuffleMode::kButterfly:
        from = own ^ offset;
        valid = from <= highest;
        break;
      case ShuffleMode::kIndex:
        from = lowest | (offset & ~segment);
        valid = from <= highest;
        break;
    }
    if (!valid) from = own;
    if (valid) in_range |= 1u << lane;
    // A lane that takes no part gives what its register holds, as on the GPU.
    const bool takes_part = (warp.sync_lanes >> from & 1) != 0;
    result[lane] =
        takes_part ? static_cast<std::uint32_t>(warp.exchange[static_cast<std::size_t>(from)]) : a[from];
  });
  if (op.dst != kNoSlot) {
    std::uint32_t* dst = warp.words(op.dst);
    each_lane(mask, [&](int i) { dst[i] = result[i]; });
  }
  set_predicate(warp, op.extra, mask, in_range);
}

void vote(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  if (collects(warp)) {
    const std::uint32_t a = warp.predicate(op.a) ^ ((op.flags & kFlagNegateA) != 0 ? kAllLanes : 0u);
    each_lane(mask, [&](int i) { warp.exchange[static_cast<std::size_t>(i)] = a >> i & 1; });
  }
  if (!finishes(warp)) return;
  std::uint32_t ballot = 0;
  each_lane(warp.sync_lanes, [&](int i) {
    ballot |= static_cast<std::uint32_t>(warp.exchange[static_cast<std::size_t>(i)]) << i;
  });
  bool holds = false;
  switch (static_cast<VoteMode>(op.mode)) {
    case VoteMode::kAll:
      holds = ballot == warp.sync_lanes;
      break;
    case VoteMode::kAny:
      holds = ballot != 0;
      break;
    case VoteMode::kUniform:
      holds = ballot == 0 || ballot == warp.sync_lanes;
      break;
    case VoteMode::kBallot:
      set_words(warp, op.dst, mask, ballot);
      return;
  }
  set_predicate(warp, op.dst, mask, holds ? kAllLanes : 0);
}

void match_any(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const bool wide = (op.flags & kFlagWide) != 0;
  if (collects(warp))
    each_lane(mask, [&](int i) {
      warp.exchange[static_cast<std::size_t>(i)] = wide ? warp.pairs(op.a)[i] : warp.words(op.a)[i];
    });
  if (!finishes(warp)) return;
  std::uint32_t same[kLanes];
  each_lane(mask, [&](int i) {
    same[i] = 0;
    each_lane(warp.sync_lanes, [&](int j) {
      if (warp.exchange[static_cast<std::size_t>(i)] == warp.exchange[static_cast<std::size_t>(j)])
        same[i] |= 1u << j;
    });
  });
  std::uint32_t* dst = warp.words(op.dst);
  each_lane(mask, [&](int i) { dst[i] = same[i]; });
}

void match_all(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const bool wide = (op.flags & kFlagWide) != 0;
  if (collects(warp))
    each_lane(mask, [&](int i) {
      warp.exchange[static_cast<std::size_t>(i)] = wide ? warp.pairs(op.a)[i] : warp.words(op.a)[i];
    });
  if (!finishes(warp)) return;
  const std::uint64_t first = warp.exchange[static_cast<std::size_t>(std::countr_zero(warp.sync_lanes))];
  bool all = true;
  each_lane(warp.sync_lanes, [&](int i) { all &= warp.exchange[static_cast<std::size_t>(i)] == first; });
  set_words(warp, op.dst, mask, all ? warp.sync_lanes : 0);
  set_predicate(warp, op.extra, mask, all ? kAllLanes : 0);
}

void elect(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  if (!finishes(warp)) return;
  const int leader = std::countr_zero(warp.sync_lanes);
  set_words(warp, op.dst, mask, static_cast<std::uint32_t>(leader));
  set_predicate(warp, op.extra, mask, 1u << leader);
}

void redux_unsigned(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  using u32 = std::uint32_t;
  switch (static_cast<ReduxOp>(op.mode)) {
    case ReduxOp::kAdd:
      reduce(warp, op, mask, [](u32 a, u32 b) { return a + b; });
      break;
    case ReduxOp::kMin:
      reduce(warp, op, mask, [](u32 a, u32 b) { return std::min(a, b); });
      break;
    case ReduxOp::kMax:
      reduce(warp, op, mask, [](u32 a, u32 b) { return std::max(a, b); });
      break;
    case ReduxOp::kAnd:
      reduce(warp, op, mask, [](u32 a, u32 b) { return a & b; });
      break;
    case ReduxOp::kOr:
      reduce(warp, op, mask, [](u32 a, u32 b) { return a | b; });
      break;
    case ReduxOp::kXor:
      reduce(warp, op, mask, [](u32 a, u32 b) { return a ^ b; });
      break;
  }
}

void redux_signed(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  using u32 = std::uint32_t;
  using s32 = std::int32_t;
  switch (static_cast<ReduxOp>(op.mode)) {
    case ReduxOp::kMin:
      reduce(warp, op, mask, [](u32 a, u32 b) { return u32(std::min(s32(a), s32(b))); });
      break;
    case ReduxOp::kMax:
      reduce(warp, op, mask, [](u32 a, u32 b) { return u32(std::max(s32(a), s32(b))); });
      break;
    default:
      reduce(warp, op, mask, [](u32 a, u32 b) { return a + b; });
      break;
  }
}

void redux_float(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const bool absolute = (op.flags & kFlagWide) != 0, keeps_nan = (op.flags & kFlagNan) != 0;
  const bool is_max = static_cast<ReduxOp>(op.mode) == ReduxOp::kMax;
  const auto value = [&](std::uint32_t bits) {
    return std::bit_cast<float>(absolute ? bits & 0x7FFFFFFFu : bits);
  };
  reduce(warp, op, mask, [&](std::uint32_t a, std::uint32_t b) {
    const float x = value(a), y = value(b);
    if (std::isnan(x) || std::isnan(y)) {
      if (keeps_nan || (std::isnan(x) && std::isnan(y))) return 0x7FFFFFFFu;
      return std::bit_cast<std::uint32_t>(std::isnan(x) ? y : x);
    }
    return std::bit_cast<std::uint32_t>(is_max ? std::max(x, y) : std::min(x, y));
  });
}

void warp_barrier(Warp&, const MicroOp&, std::uint32_t) {}  // the waiting is all

void active_mask(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  set_words(warp, op.dst, mask, mask);
}

}  // namespace gpuprobe::simt
