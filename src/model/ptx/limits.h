// Bounds that no compiler's output comes near, so that hostile text costs an error and not memory or time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpuprobe::ptx {

inline constexpr std::size_t kMaxText = std::size_t{256} << 20;  ///< bytes of a module
inline constexpr std::size_t kMaxNesting = 256;                  ///< `{` inside a function
inline constexpr std::size_t kMaxExpressionDepth = 64;           ///< parentheses and signs of a constant
inline constexpr std::size_t kMaxDimensions = 8;                 ///< of an array
inline constexpr std::size_t kMaxOperands = 64;                  ///< of an instruction
inline constexpr std::size_t kMaxElements = 1024;                ///< of a vector or of a call's list
inline constexpr std::uint64_t kMaxRegisterRange = std::uint64_t{1} << 24;  ///< N of `%r<N>`

// Sizes in bytes. Global: more than any GPU has. Local: 512 KiB a thread (CUDA C++ Programming Guide,
// "Technical Specifications per Compute Capability"). Constant: 64 KiB (same table). Shared: above the 228
// KiB of an SM (same table). Parameters: a kernel's block has at most 32,764 bytes (PTX ISA, "Kernel Function
// Parameters"), an argument of a device function lives in local memory.
inline constexpr std::uint64_t kMaxGlobalBytes = std::uint64_t{1} << 40;
inline constexpr std::uint64_t kMaxLocalBytes = std::uint64_t{512} << 10;
inline constexpr std::uint64_t kMaxConstBytes = std::uint64_t{64} << 10;
inline constexpr std::uint64_t kMaxSharedBytes = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kMaxAlign = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kMaxInitialBytes = std::uint64_t{64}
                                                  << 20;  ///< written initial values of a module

}  // namespace gpuprobe::ptx
