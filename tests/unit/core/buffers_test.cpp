#include "core/buffers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include <rapidcheck/gtest.h>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "core/random.h"

namespace gpuprobe {
namespace {

using testing::HasSubstr;

Kernel with_buffer(std::string_view type, std::uint64_t count, BufferInit init) {
  Kernel kernel;
  kernel.buffers.push_back({"data", *element_type_from_string(type), count, std::move(init)});
  return kernel;
}

HostBuffers made(const Kernel& kernel) {
  auto host = HostBuffers::initial(kernel);
  EXPECT_TRUE(host.has_value()) << host.error().what;
  return std::move(*host);
}

BufferInit init(BufferInit::Kind kind) {
  BufferInit result;
  result.kind = kind;
  return result;
}

BufferInit random_between(double low, double high) {
  BufferInit result = init(BufferInit::Kind::kRandom);
  result.low = low;
  result.high = high;
  return result;
}

TEST(Buffers, SimpleContentsOfEveryType) {
  for (const char* type :
       {"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "bf16", "f32", "f64"}) {
    SCOPED_TRACE(type);
    BufferInit filled = init(BufferInit::Kind::kFill);
    filled.value = 7;
    BufferInit mod = init(BufferInit::Kind::kMod);
    mod.modulo = 3;
    for (std::uint64_t i : {0, 1, 4, 99}) {
      EXPECT_EQ(made(with_buffer(type, 100, init(BufferInit::Kind::kZeros))).element(0, i), 0.0);
      EXPECT_EQ(made(with_buffer(type, 100, init(BufferInit::Kind::kOnes))).element(0, i), 1.0);
      EXPECT_EQ(made(with_buffer(type, 100, init(BufferInit::Kind::kIota))).element(0, i),
                static_cast<double>(i));
      EXPECT_EQ(made(with_buffer(type, 100, filled)).element(0, i), 7.0);
      EXPECT_EQ(made(with_buffer(type, 100, mod)).element(0, i), static_cast<double>(i % 3));
    }
  }
}

TEST(Buffers, RandomIsTheSameForTheSameSeedOnly) {
  Kernel kernel = with_buffer("f32", 3u << 20, init(BufferInit::Kind::kRandom));  // large enough for threads
  const HostBuffers first = made(kernel);
  const HostBuffers again = made(kernel);
  EXPECT_EQ(std::memcmp(first.bytes(0).data(), again.bytes(0).data(), first.bytes(0).size()), 0);
  // An element does not depend on how many there are, so neither on how they were split among threads.
  const HostBuffers fewer = made(with_buffer("f32", 1000, init(BufferInit::Kind::kRandom)));
  EXPECT_EQ(std::memcmp(first.bytes(0).data(), fewer.bytes(0).data(), fewer.bytes(0).size()), 0);
  kernel.seed = 2;
  const HostBuffers other = made(kernel);
  EXPECT_NE(std::memcmp(first.bytes(0).data(), other.bytes(0).data(), first.bytes(0).size()), 0);
}

TEST(Buffers, TwoBuffersOfOneKernelDiffer) {
  Kernel kernel = with_buffer("u64", 64, init(BufferInit::Kind::kRandom));
  kernel.buffers.push_back(kernel.buffers[0]);
  const HostBuffers host = made(kernel);
  EXPECT_NE(std::memcmp(host.bytes(0).data(), host.bytes(1).data(), 512), 0);
}

TEST(Buffers, RandomFloatsAreInTheUnitIntervalAndEven) {
  for (const char* type : {"f16", "bf16", "f32", "f64"}) {
    const HostBuffers host = made(with_buffer(type, 40000, init(BufferInit::Kind::kRandom)));
    double sum = 0;
    for (std::uint64_t i = 0; i < 40000; ++i) {
      const double x = host.element(0, i);
      ASSERT_GE(x, 0.0);
      ASSERT_LT(x, 1.0);
      sum += x;
    }
    // Mean 1/2, standard deviation sqrt(1/12/40000) = 0.0014; bf16 has 256 steps, which lowers the mean by
    // 0.002.
    EXPECT_NEAR(sum / 40000, 0.5, 0.01) << type;
  }
}

TEST(Buffers, RandomIntegersCoverTheType) {
  const HostBuffers host = made(with_buffer("i8", 20000, init(BufferInit::Kind::kRandom)));
  std::set<double> seen;
  for (std::uint64_t i = 0; i < 20000; ++i) seen.insert(host.element(0, i));
  EXPECT_EQ(seen.size(), 256u);  // the chance that any value is left out is below 1e-30
  EXPECT_EQ(*seen.begin(), -128.0);
}

RC_GTEST_PROP(Buffers, RandomStaysInItsRange, ()) {
  const double low = *rc::gen::inRange(-1000, 1000) / 8.0;
  const double high = low + *rc::gen::inRange(16, 500) / 8.0;
  const char* type = *rc::gen::element("f16", "bf16", "f32", "f64", "i16", "i32", "i64");
  const HostBuffers host = made(with_buffer(type, 200, random_between(low, high)));
  for (std::uint64_t i = 0; i < 200; ++i) {
    RC_ASSERT(host.element(0, i) < high);
    // bf16 holds 8 bits: a low end that it cannot represent may round down by half a step.
    RC_ASSERT(host.element(0, i) >= low - std::abs(low) * 0x1p-8);
  }
}

RC_GTEST_PROP(Buffers, ShuffleIsAPermutation, ()) {
  const std::uint64_t count = *rc::gen::inRange<std::uint64_t>(1, 5000);
  const Permutation permutation(RandomStream(*rc::gen::arbitrary<std::uint64_t>(), 3), count);
  std::vector<bool> seen(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t image = permutation(i);
    RC_ASSERT(image < count);
    RC_ASSERT(!seen[image]);
    seen[image] = true;
  }
}

TEST(Buffers, ShuffleScatters) {
  constexpr std::uint64_t kCount = 1u << 20;
  const HostBuffers host = made(with_buffer("u32", kCount, init(BufferInit::Kind::kShuffle)));
  int neighbours = 0;
  for (std::uint64_t i = 1; i < kCount; ++i)
    if (std::abs(host.element(0, i) - host.element(0, i - 1)) < 8) ++neighbours;
  EXPECT_LT(neighbours, 200);  // expected about 14 in a random permutation
}

TEST(Buffers, EmptyBufferIsFine) {
  EXPECT_EQ(made(with_buffer("f32", 0, init(BufferInit::Kind::kRandom))).bytes(0).size(), 0u);
  EXPECT_EQ(made(with_buffer("u8", 0, init(BufferInit::Kind::kShuffle))).bytes(0).size(), 0u);
}

TEST(Buffers, StructsHoldTheNumberInTheirFirstBytes) {
  const HostBuffers host = made(with_buffer("b12", 5, init(BufferInit::Kind::kIota)));
  ASSERT_EQ(host.bytes(0).size(), 60u);
  EXPECT_EQ(host.element(0, 4), 4.0);
  EXPECT_EQ(std::to_integer<int>(host.bytes(0)[49]), 0);
}

TEST(Buffers, ReadsAFileOfTheRightSizeOnly) {
  const auto path = std::filesystem::temp_directory_path() / "gpuprobe_buffers_test.bin";
  const float values[3] = {1.5f, -2.0f, 8.0f};
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(values), sizeof values);
  BufferInit file = init(BufferInit::Kind::kFile);
  file.path = path;
  EXPECT_EQ(made(with_buffer("f32", 3, file)).element(0, 1), -2.0);
  const auto wrong = HostBuffers::initial(with_buffer("f32", 4, file));
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().code, ErrorCode::kUsage);
  EXPECT_THAT(wrong.error().what, HasSubstr("has 12 bytes, but 4 elements of f32 are 16 bytes"));
  std::filesystem::remove(path);
  const auto gone = HostBuffers::initial(with_buffer("f32", 3, file));
  ASSERT_FALSE(gone.has_value());
  EXPECT_EQ(gone.error().code, ErrorCode::kUsage);
}

TEST(Buffers, RefusesWhatTheTypeCannotHold) {
  BufferInit filled = init(BufferInit::Kind::kFill);
  filled.value = 256;
  for (const auto& kernel :
       {with_buffer("u8", 4, filled), with_buffer("i32", 4, random_between(2.25, 2.75)),
        with_buffer("f32", 4, random_between(3, -3)), with_buffer("u8", 4, random_between(-1, 3)),
        with_buffer("b12", 4, random_between(0, 3)), with_buffer("i32", 4, init(BufferInit::Kind::kMod))}) {
    const auto host = HostBuffers::initial(kernel);
    ASSERT_FALSE(host.has_value());
    EXPECT_EQ(host.error().code, ErrorCode::kUsage);
  }
}

TEST(Buffers, RefusesMoreThanTheMachineHas) {
  for (const std::uint64_t count : {std::uint64_t{1} << 50, ~std::uint64_t{0}}) {
    const auto host = HostBuffers::initial(with_buffer("f64", count, init(BufferInit::Kind::kZeros)));
    ASSERT_FALSE(host.has_value());
    EXPECT_EQ(host.error().code, ErrorCode::kMachine);
  }
}

TEST(HostBuffers, CopiesShareUntilOneIsWritten) {
  Kernel kernel;
  kernel.buffers = {{"in", {ScalarType::kF32, 4}, 64, {.kind = BufferInit::Kind::kOnes}},
                    {"out", {ScalarType::kF32, 4}, 64, {}}};
  const HostBuffers initial = HostBuffers::initial(kernel).value();
  HostBuffers result = initial;
  EXPECT_EQ(std::as_const(result).bytes(0).data(), initial.bytes(0).data());
  const float seven = 7;
  std::memcpy(result.bytes(1).data() + 8, &seven, sizeof seven);
  std::memcpy(result.bytes(0).data(), &seven, sizeof seven);
  EXPECT_EQ(result.element(1, 2), 7.0);
  EXPECT_EQ(result.element(1, 3), 0.0);
  EXPECT_EQ(result.element(0, 0), 7.0);
  EXPECT_EQ(result.element(0, 1), 1.0);
  EXPECT_EQ(initial.element(0, 0), 1.0);
  EXPECT_EQ(initial.element(1, 2), 0.0);
  HostBuffers third = result;  // a copy of what was written
  third.bytes(1)[0] = std::byte{1};
  EXPECT_EQ(third.element(1, 2), 7.0);
  EXPECT_EQ(result.element(1, 0), 0.0);
}

}  // namespace
}  // namespace gpuprobe
