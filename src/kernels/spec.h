// What the spec.cpp of a kernel family is written with: short constructors of parameters, and a Kernel that
// already has its name, source and options.
//
//   std::vector<Parameter> parameters() { return {integer("n", 4096, 1, 1 << 20, "elements"), flag("swizzle",
//   "...")}; } Kernel kernel = start_kernel("transpose", embedded::transpose_kernel, parameters(), values);
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/buffers.h"
#include "core/kernel.h"
#include "kernels/family.h"

namespace gpuprobe::spec {

// Limits of a launch that every CUDA device has (CUDA C++ Programming Guide, "Compute Capabilities").
inline constexpr std::int64_t kMaxBlockThreads = 1024;
inline constexpr std::int64_t kMaxGridX = 2147483647;
inline constexpr std::int64_t kMaxGridY = 65535;
inline constexpr std::int64_t kMaxStaticShared = 49152;  ///< bytes per block without opting in

/// Unit round-off: the largest relative error of rounding once to nearest (2^-24 for f32).
inline constexpr double kUnitRoundoffF16 = 0x1p-11;
inline constexpr double kUnitRoundoffF32 = 0x1p-24;
inline constexpr double kUnitRoundoffF64 = 0x1p-53;

Parameter integer(std::string name, std::string default_value, std::int64_t minimum, std::int64_t maximum,
                  std::string help);
Parameter optional_integer(std::string name, std::int64_t minimum, std::int64_t maximum, std::string help);
Parameter number(std::string name, std::string default_value, std::string help);
/// `default_value` may be "" for none.
Parameter choice(std::string name, std::string default_value, std::vector<std::string> choices,
                 std::string help);
Parameter flag(std::string name, std::string help);
/// Two numbers X,Y, each from 1 to `maximum`.
Parameter pair(std::string name, std::string default_value, std::int64_t maximum, std::string help);

/// A kernel with its name, its source "<name>/kernel.cu" and the options shown in reports: the given and
/// default values, in parameter order, without switches that are off.
Kernel start_kernel(std::string_view name, const char* source, const std::vector<Parameter>& parameters,
                    const ParameterValues& values);

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

BufferInit random_init();
BufferInit fill_init(double value);

/// Bound on the relative error of a sum of `terms` rounded operations on non-negative values, whatever their
/// order: terms x u / (1 - terms x u) (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed.,
/// section 4.2).
double summation_bound(double terms, double unit_roundoff);

/// Errors: kUsage if the block has more than 1024 threads or the grid exceeds what a launch can have.
Result<Launch> make_launch(std::int64_t grid_x, std::int64_t grid_y, std::int64_t block_x,
                           std::int64_t block_y, std::int64_t dynamic_shared = 0);

/// kUsage for two options that exclude each other.
tl::unexpected<Error> conflict(std::string what, std::string hint);

/// The elements of a buffer as an array of T, for references that read many.
template <class T>
const T* as(const HostBuffers& host, std::size_t buffer) {
  return reinterpret_cast<const T*>(host.bytes(buffer).data());
}

}  // namespace gpuprobe::spec
