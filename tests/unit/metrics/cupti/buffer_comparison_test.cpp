// The digest kernel itself, executed by the model: what the GPU would add up is what its definition says.
#include "metrics/cupti/buffer_comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "unit/model/predict.h"

namespace gpuprobe::cupti {
namespace {

std::uint64_t mixed(std::uint64_t x) {
  for (int round = 0; round < 2; ++round) {
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93;
  }
  return x ^ (x >> 32);
}

/// The definition, byte by byte on one thread.
std::uint64_t digest_of(std::span<const std::byte> bytes) {
  std::uint64_t sum = 0;
  const std::size_t pairs = bytes.size() / 16;
  for (std::size_t i = 0; i < pairs; ++i) {
    std::uint64_t words[2];
    std::memcpy(words, bytes.data() + 16 * i, sizeof words);
    sum += mixed(words[1] ^ mixed(words[0] ^ ((i + 1) * 0x9e3779b97f4a7c15)));
  }
  for (std::size_t i = 16 * pairs; i < bytes.size(); ++i)
    sum += mixed(static_cast<std::uint64_t>(bytes[i]) ^ mixed((i + 1) * 0x9e3779b97f4a7c15));
  return sum;
}

std::uint64_t executed(std::span<const std::byte> contents) {
  const Kernel kernel = BufferDigests::kernel(contents.size());
  const auto compiled = compile::compile(kernel, "sm_90");
  EXPECT_TRUE(compiled) << compiled.error().what;
  auto buffers = PredictedSource(*device_for_arch("sm_90")).execute(kernel, *compiled, {});
  EXPECT_TRUE(buffers) << buffers.error().what;
  std::uint64_t sum = 0;
  std::memcpy(&sum, buffers->bytes(1).data(), sizeof sum);
  return sum;
}

TEST(BufferDigest, IsTheSumOfItsTermsAtEverySize) {
  for (const std::uint64_t size :
       {0, 1, 15, 16, 17, 31, 32, 4095, 4096, 4097, 16 * 256 * 1024 + 16 * 300 + 5}) {
    const auto initial = HostBuffers::initial(BufferDigests::kernel(size));
    ASSERT_TRUE(initial);
    EXPECT_EQ(executed(initial->bytes(0)), digest_of(initial->bytes(0))) << size;
  }
}

TEST(BufferDigest, TellsOneChangedBitAndTwoSwappedWords) {
  const auto initial = HostBuffers::initial(BufferDigests::kernel(67));
  ASSERT_TRUE(initial);
  const auto bytes = initial->bytes(0);
  const std::uint64_t digest = digest_of(bytes);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::vector<std::byte> other(bytes.begin(), bytes.end());
    other[bit / 8] ^= std::byte{1} << bit % 8;
    EXPECT_NE(digest_of(other), digest) << bit;
  }
  std::vector<std::byte> swapped(bytes.begin(), bytes.end());
  std::swap_ranges(swapped.begin(), swapped.begin() + 16, swapped.begin() + 16);
  EXPECT_NE(digest_of(swapped), digest);
}

TEST(Differing, GivesTheIndices) {
  EXPECT_EQ(differing({1, 2, 3}, {1, 5, 4}), (std::vector<std::size_t>{1, 2}));
  EXPECT_TRUE(differing({}, {}).empty());
}

}  // namespace
}  // namespace gpuprobe::cupti
