// The host image of a kernel's buffers: initial contents on the way in, results on the way out.
//
//   auto host = HostBuffers::initial(kernel);        // deterministic in kernel.seed
//   double x = host->element(0, 17);                 // element 17 of buffer 0, converted to double
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/kernel.h"
#include "core/result.h"

namespace gpuprobe {

/// Bytes whose allocation does not clear them first unless asked to: the contents are written right after.
class HostBlock {
 public:
  HostBlock() = default;
  HostBlock(const HostBlock& other);
  HostBlock(HostBlock&&) noexcept = default;
  HostBlock& operator=(const HostBlock& other);
  HostBlock& operator=(HostBlock&&) noexcept = default;
  ~HostBlock() = default;

  /// `zeroed` blocks come from the system's zero pages, so an untouched part costs nothing.
  /// Returns false if memory is short.
  bool allocate(std::size_t bytes, bool zeroed);
  std::span<std::byte> bytes() {
    pristine_ = false;
    return {data_.get(), size_};
  }
  std::span<const std::byte> bytes() const { return {data_.get(), size_}; }

 private:
  struct Free {
    void operator()(std::byte* data) const { std::free(data); }
  };
  std::unique_ptr<std::byte[], Free> data_;
  std::size_t size_ = 0;
  bool pristine_ = false;  ///< zeroed and never handed out for writing: a copy needs no copying
};

/// Copies share their contents until one of them is asked for bytes to write.
class HostBuffers {
 public:
  /// Allocates and initialises all buffers of `kernel` (in parallel for large ones).
  /// Random values: floats are uniform in [0, 1) on the grid that the type holds exactly (2^-24 for f32),
  /// integers uniform over the type; random(lo, hi) is uniform in [lo, hi). For a struct, random sets every
  /// byte, and ones/iota/shuffle/mod/fill set its first (up to 8) bytes to that integer and clear the rest.
  /// Errors: kUsage if an init file cannot be read or has the wrong size, or a value or range does not fit
  /// the element type; kMachine if memory is short.
  static Result<HostBuffers> initial(const Kernel& kernel);

  std::size_t size() const { return contents_.size(); }
  /// The bytes of a buffer to write. Not to be called from several threads on copies of one another.
  std::span<std::byte> bytes(std::size_t buffer);
  std::span<const std::byte> bytes(std::size_t buffer) const {
    return std::as_const(*contents_[buffer]).bytes();
  }
  /// Element `index` of `buffer` as double (f16 and bf16 are widened; a struct reads its first byte).
  double element(std::size_t buffer, std::uint64_t index) const;

 private:
  std::vector<ElementType> types_;
  std::vector<std::shared_ptr<HostBlock>> contents_;
};

/// What a result check found.
struct CheckOutcome {
  enum class State { kPassed, kFailed, kNotChecked };
  State state = State::kNotChecked;
  std::string text;  ///< "4096 of 16777216 elements compared, all equal" or where it is wrong
  std::uint64_t compared = 0;
  std::uint64_t wrong = 0;
  double worst_error = 0.0;  ///< largest |got - expected|
};

/// Compares results with all checks of `kernel`: every element of a small output, a fixed pseudo-random
/// sample of a large one (the text says how many). `is_written(buffer, byte_offset)` tells whether a sampled
/// prediction wrote the element; pass nullptr when the whole grid ran.
CheckOutcome check_result(const Kernel& kernel, const HostBuffers& initial, const HostBuffers& result,
                          const std::function<bool(std::size_t, std::uint64_t)>& is_written);

}  // namespace gpuprobe
