#include "core/fill.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <system_error>
#include <thread>
#include <vector>

#include "core/element.h"

namespace gpuprobe {
namespace {

using namespace element;

constexpr std::size_t kBytesPerThread = 4u << 20;  ///< below this a thread costs more than it saves
constexpr unsigned kMostThreads = 8;               ///< beyond, the memory bus is the limit

/// Runs work(begin, end) over [0, count), split among threads if `bytes` are many.
template <class Work>
void for_ranges(std::uint64_t count, std::size_t bytes, const Work& work) {
  const std::size_t useful = bytes / kBytesPerThread;
  const auto threads = std::min<std::uint64_t>(
      {useful, kMostThreads, std::max(1u, std::thread::hardware_concurrency()), count});
  if (threads < 2) return work(std::uint64_t{0}, count);
  std::vector<std::thread> workers;
  std::uint64_t begin = 0;
  for (std::uint64_t t = 1; t < threads; ++t) {
    const std::uint64_t end = count / threads * t;
    try {
      workers.emplace_back([&work, begin, end] { work(begin, end); });
    } catch (const std::system_error&) {
      break;  // no more threads to be had: this one does the rest
    }
    begin = end;
  }
  work(begin, count);
  for (auto& worker : workers) worker.join();
}

/// Uniform over [0, 1) with as many bits as the significand holds, so that no value rounds up to 1;
/// integers uniform over the type.
template <class T>
T random_default(std::uint64_t hash) {
  if constexpr (std::is_same_v<T, float>) {
    return static_cast<float>(hash >> 40) * 0x1p-24f;
  } else if constexpr (std::is_same_v<T, double>) {
    return static_cast<double>(hash >> 11) * 0x1p-53;
  } else if constexpr (kIsFloat<T>) {
    constexpr int kBits = std::is_same_v<T, F16> ? 11 : 8;
    static const std::vector<T> kValues = [] {
      std::vector<T> values;
      for (int i = 0; i < (1 << kBits); ++i) values.push_back(from_double<T>(std::ldexp(i, -kBits)));
      return values;
    }();
    return kValues[hash >> (64 - kBits)];
  } else {
    return static_cast<T>(hash >> (64 - 8 * sizeof(T)));
  }
}

/// Uniform in [low, high); the caller has checked that the range is in the type.
template <class T>
T random_between(std::uint64_t hash, double low, double high) {
  const double unit = static_cast<double>(hash >> 11) * 0x1p-53;
  if constexpr (kIsFloat<T>) {
    const T value = from_double<T>(low + unit * (high - low));
    return widen(value) < high ? value : from_double<T>(low);  // rounding reached the open end
  } else {
    const double first = std::ceil(low);
    const double steps = std::ceil(high) - first;  // integers in [low, high)
    return static_cast<T>(first + std::min(std::floor(unit * steps), steps - 1));
  }
}

template <class T, class Value>
void generate(std::span<std::byte> bytes, const Value& value) {
  for_ranges(bytes.size() / sizeof(T), bytes.size(), [&](std::uint64_t begin, std::uint64_t end) {
    T* out = reinterpret_cast<T*>(bytes.data());
    for (std::uint64_t i = begin; i < end; ++i) out[i] = value(i);
  });
}

/// Fills the elements of `buffer`; its init is neither zeros nor file and has been validated.
template <class T>
void fill_scalars(const Buffer& buffer, RandomStream random, std::span<std::byte> bytes) {
  const BufferInit& init = buffer.init;
  switch (init.kind) {
    case BufferInit::Kind::kOnes:
      return generate<T>(bytes, [one = from_index<T>(1)](std::uint64_t) { return one; });
    case BufferInit::Kind::kFill:
      return generate<T>(bytes, [v = from_double<T>(init.value)](std::uint64_t) { return v; });
    case BufferInit::Kind::kIota:
      return generate<T>(bytes, [](std::uint64_t i) { return from_index<T>(i); });
    case BufferInit::Kind::kMod:
      return generate<T>(bytes, [m = init.modulo](std::uint64_t i) { return from_index<T>(i % m); });
    case BufferInit::Kind::kShuffle:
      return generate<T>(bytes, [permutation = Permutation(random, buffer.count)](std::uint64_t i) {
        return from_index<T>(permutation(i));
      });
    case BufferInit::Kind::kRandom:
      if (init.low == init.high)
        return generate<T>(bytes, [random](std::uint64_t i) { return random_default<T>(random(i)); });
      return generate<T>(bytes, [random, low = init.low, high = init.high](std::uint64_t i) {
        return random_between<T>(random(i), low, high);
      });
    case BufferInit::Kind::kZeros:
    case BufferInit::Kind::kFile:
      break;
  }
}

void fill_structs(const Buffer& buffer, RandomStream random, std::span<std::byte> bytes) {
  const BufferInit& init = buffer.init;
  const std::size_t size = buffer.type.bytes;
  if (init.kind == BufferInit::Kind::kRandom) {
    for (std::size_t at = 0; at < bytes.size(); at += 8) {
      const std::uint64_t word = random(at / 8);
      std::memcpy(bytes.data() + at, &word, std::min<std::size_t>(8, bytes.size() - at));
    }
    return;
  }
  const Permutation permutation(random, buffer.count);
  for (std::uint64_t i = 0; i < buffer.count; ++i) {
    std::uint64_t value = 1;
    if (init.kind == BufferInit::Kind::kFill) value = static_cast<std::uint64_t>(init.value);
    if (init.kind == BufferInit::Kind::kIota) value = i;
    if (init.kind == BufferInit::Kind::kMod) value = i % init.modulo;
    if (init.kind == BufferInit::Kind::kShuffle) value = permutation(i);
    std::byte* element = bytes.data() + i * size;
    std::memset(element, 0, size);
    std::memcpy(element, &value, std::min<std::size_t>(size, sizeof value));
  }
}

Status read_file(const Buffer& buffer, std::span<std::byte> bytes) {
  std::ifstream file(buffer.init.path, std::ios::binary | std::ios::ate);
  const auto size = file ? static_cast<std::int64_t>(file.tellg()) : -1;
  if (size < 0)
    return fail(ErrorCode::kUsage,
                fmt::format("Buffer '{}': cannot read '{}'.", buffer.name, buffer.init.path),
                "Give the path of a readable file of raw little-endian elements.");
  if (static_cast<std::uint64_t>(size) != bytes.size())
    return fail(
        ErrorCode::kUsage,
        fmt::format("Buffer '{}': '{}' has {} bytes, but {} elements of {} are {} bytes.", buffer.name,
                    buffer.init.path, size, buffer.count, to_string(buffer.type), bytes.size()),
        "Make the element count match the file.");
  file.seekg(0);
  if (!file.read(reinterpret_cast<char*>(bytes.data()), size))
    return fail(
        ErrorCode::kUsage,
        fmt::format("Buffer '{}': reading '{}' stopped before its end.", buffer.name, buffer.init.path),
        "Check the file and the disk it is on.");
  return {};
}

/// Largest range [lowest, highest + 1) of values that an element can be set to; floats take anything.
std::pair<double, double> value_range(ElementType type) {
  if (type.scalar == ScalarType::kBytes) return {0.0, std::ldexp(1.0, 8 * std::min(8, int(type.bytes)))};
  return with_type(type.scalar, []<class T>() -> std::pair<double, double> {
    if constexpr (kIsFloat<T>)
      return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    else
      return {static_cast<double>(std::numeric_limits<T>::lowest()),
              std::ldexp(1.0, std::numeric_limits<T>::digits)};
  });
}

}  // namespace

Status check_init(const Buffer& buffer) {
  const BufferInit& init = buffer.init;
  const std::string type = to_string(buffer.type);
  const auto [lowest, end] = value_range(buffer.type);
  if (init.kind == BufferInit::Kind::kMod && init.modulo == 0)
    return fail(ErrorCode::kUsage, fmt::format("Buffer '{}': mod(0) has no values.", buffer.name),
                "Give a modulus of at least 1.");
  if (init.kind == BufferInit::Kind::kFill && std::isfinite(end) &&
      !(init.value >= lowest && init.value < end))
    return fail(
        ErrorCode::kUsage,
        fmt::format("Buffer '{}': fill({}) does not fit the element type {}.", buffer.name, init.value, type),
        "Give a value that the element type holds.");
  if (init.kind != BufferInit::Kind::kRandom || init.low == init.high) return {};
  const std::string range = fmt::format("Buffer '{}': random({}, {})", buffer.name, init.low, init.high);
  if (buffer.type.scalar == ScalarType::kBytes)
    return fail(ErrorCode::kUsage, fmt::format("{} asks for a range of the struct type {}.", range, type),
                "Use random without a range, which sets every byte, or an array of a scalar type.");
  if (!std::isfinite(init.low) || !std::isfinite(init.high) || !(init.low < init.high) ||
      !std::isfinite(init.high - init.low))
    return fail(ErrorCode::kUsage, fmt::format("{} is an empty range.", range),
                "Give a finite lower bound below a finite upper bound.");
  if (std::isfinite(end) &&
      (init.low < lowest || init.high > end || std::ceil(init.high) <= std::ceil(init.low)))
    return fail(ErrorCode::kUsage, fmt::format("{} holds no value of the element type {}.", range, type),
                "Give a range inside that of the element type.");
  return {};
}

Status fill(const Buffer& buffer, RandomStream random, std::span<std::byte> bytes) {
  if (buffer.init.kind == BufferInit::Kind::kZeros || bytes.empty()) return {};
  if (buffer.init.kind == BufferInit::Kind::kFile) return read_file(buffer, bytes);
  if (buffer.type.scalar == ScalarType::kBytes)
    fill_structs(buffer, random, bytes);
  else
    with_type(buffer.type.scalar, [&]<class T>() { fill_scalars<T>(buffer, random, bytes); });
  return {};
}

}  // namespace gpuprobe
