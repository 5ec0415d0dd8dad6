// The host image of a kernel's buffers: initial contents on the way in, results on the way out.
//
//   auto host = HostBuffers::initial(kernel);        // deterministic in kernel.seed
//   double x = host->element(0, 17);                 // element 17 of buffer 0, converted to double
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/kernel.h"
#include "core/result.h"

namespace gpuprobe {

class HostBuffers {
 public:
  /// Allocates and initialises all buffers of `kernel` (in parallel for large ones).
  /// Errors: kUsage if an init file cannot be read or has the wrong size; kMachine if memory is short.
  static Result<HostBuffers> initial(const Kernel& kernel);

  std::size_t size() const { return contents_.size(); }
  std::span<std::byte> bytes(std::size_t buffer) { return contents_[buffer]; }
  std::span<const std::byte> bytes(std::size_t buffer) const { return contents_[buffer]; }
  /// Element `index` of `buffer` as double (f16 and bf16 are widened; a struct reads its first byte).
  double element(std::size_t buffer, std::uint64_t index) const;

 private:
  std::vector<ElementType> types_;
  std::vector<std::vector<std::byte>> contents_;
};

/// What a result check found.
struct CheckOutcome {
  enum class State { kPassed, kFailed, kNotChecked };
  State state = State::kNotChecked;
  std::string text;                  ///< "4096 of 16777216 elements compared, all equal" or where it is wrong
  std::uint64_t compared = 0;
  std::uint64_t wrong = 0;
  double worst_error = 0.0;          ///< largest |got - expected|
};

/// Compares results with all checks of `kernel`. `is_written(buffer, byte_offset)` tells whether a sampled
/// prediction wrote the element; pass nullptr when the whole grid ran.
CheckOutcome check_result(const Kernel& kernel, const HostBuffers& initial, const HostBuffers& result,
                          const std::function<bool(std::size_t, std::uint64_t)>& is_written);

}  // namespace gpuprobe
