// Random numbers without a state: element i of a stream depends on the stream's key and i alone, so every
// thread, source and reference computes the same value, in any order.
//
//   RandomStream stream(seed, buffer);   std::uint64_t bits = stream(17);
//   Permutation shuffle(stream, 1000);   std::uint64_t j = shuffle(17);   // a permutation of 0..999
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace gpuprobe {

/// Mixes all bits of `x` into all bits of the result; a bijection (the finaliser of SplitMix64, Steele et al.
/// 2014).
constexpr std::uint64_t mix64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// SplitMix64 read at any position.
class RandomStream {
 public:
  constexpr RandomStream(std::uint64_t seed, std::uint64_t stream)
      : key_(mix64(mix64(seed + kStep) + stream * kStep)) {}
  /// 64 random bits of element `index`.
  constexpr std::uint64_t operator()(std::uint64_t index) const { return mix64(key_ + (index + 1) * kStep); }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15u;  // 2^64 / golden ratio, odd
  std::uint64_t key_;
};

/// A permutation of 0..count-1 that needs no table: bijections on the next power of two, repeated until the
/// value falls below `count` (cycle walking; fewer than two rounds on average).
class Permutation {
 public:
  constexpr Permutation(RandomStream random, std::uint64_t count)
      : count_(count),
        bits_(count > 1 ? static_cast<int>(std::bit_width(count - 1)) : 0),
        mask_(bits_ >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits_) - 1) {
    // Keys of their own, so that a shuffled buffer shares nothing with a random one of the same stream.
    for (std::size_t i = 0; i < keys_.size(); ++i) keys_[i] = mix64(random(i) ^ 0x5851f42d4c957f2du);
  }

  /// The image of `index`, which must be below count.
  constexpr std::uint64_t operator()(std::uint64_t index) const {
    do {
      index = step(index);
    } while (index >= count_);
    return index;
  }

 private:
  // On `bits_`-bit numbers: exclusive or, multiplication by an odd number and xor with an own right shift are
  // each bijections, hence their composition is one.
  constexpr std::uint64_t step(std::uint64_t x) const {
    if (bits_ == 0) return 0;
    const int shift = std::max(1, (bits_ + 1) / 2);
    for (const std::uint64_t key : keys_) {
      x = ((x ^ key) & mask_) * (key | 1u) & mask_;
      x ^= x >> shift;
    }
    return x;
  }

  std::uint64_t count_;
  int bits_;
  std::uint64_t mask_;
  std::array<std::uint64_t, 3> keys_{};
};

}  // namespace gpuprobe
