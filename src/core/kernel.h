// A kernel is data: CUDA C++ source, the macros that specialise it, the buffers it works on, the launches
// that make up one run of it, and how to tell that its result is right. Built-in kernels and user files alike
// become one of these, so there is one way to compile, measure and predict.
//
//   Kernel k;
//   k.name = "transpose";  k.source = {"transpose/kernel.cu", "..."};  k.defines = {{"TILE", "32"}};
//   k.buffers = {{"in", f32, n * n, {BufferInit::Kind::kRandom}}, {"out", f32, n * n, {}}};
//   k.steps = {{"transpose_tile", launch, {BufferRef{0}, BufferRef{1}, Scalar::i32(n)}}};
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/launch.h"
#include "core/result.h"

namespace gpuprobe {

/// Type of a scalar argument or of the elements of a buffer.
enum class ScalarType { kI8, kU8, kI16, kU16, kI32, kU32, kI64, kU64, kF16, kBf16, kF32, kF64, kBytes };

/// An element type: a scalar, or a plain struct of `bytes` bytes (`b12`).
struct ElementType {
  ScalarType scalar = ScalarType::kF32;
  std::uint32_t bytes = 4;  ///< size of one element

  bool operator==(const ElementType&) const = default;
};

/// "f32", "u8", "b12" ...
std::string to_string(ElementType type);
/// Inverse of to_string; nullopt for an unknown name.
std::optional<ElementType> element_type_from_string(std::string_view name);

/// How the elements of a buffer are set before every run. Random values depend only on (seed, buffer index,
/// element index), so every source and every reference sees the same data.
struct BufferInit {
  enum class Kind { kZeros, kOnes, kIota, kShuffle, kRandom, kFill, kMod, kFile };
  Kind kind = Kind::kZeros;
  double low = 0.0;    ///< kRandom: inclusive lower bound
  double high = 0.0;   ///< kRandom: upper bound, exclusive; low == high means the default range of the type
  double value = 0.0;  ///< kFill
  std::uint64_t modulo = 0;  ///< kMod: element i is i % modulo
  std::string path;          ///< kFile: raw little-endian elements
};

struct Buffer {
  std::string name;
  ElementType type;
  std::uint64_t count = 0;  ///< elements
  BufferInit init;

  std::uint64_t bytes() const { return count * type.bytes; }
};

/// An argument that is the address of a buffer (plus an offset into it).
struct BufferRef {
  std::size_t buffer = 0;  ///< index into Kernel::buffers
  std::uint64_t byte_offset = 0;
};

/// An argument passed by value; `bits` holds its little-endian object representation.
struct Scalar {
  ElementType type;
  std::vector<std::uint8_t> bits;  ///< type.bytes bytes

  static Scalar i32(std::int32_t value);
  static Scalar u32(std::uint32_t value);
  static Scalar i64(std::int64_t value);
  static Scalar u64(std::uint64_t value);
  static Scalar f32(float value);
  static Scalar f64(double value);
};

using Argument = std::variant<BufferRef, Scalar>;

/// One launch of one entry function, or one call of a library.
struct Step {
  enum class Kind {
    kKernel,   ///< launches `entry` of the kernel's source
    kLibrary,  ///< calls the function `entry` of a library, which launches kernels of its own
  };
  std::string entry;  ///< "transpose_tile", "transpose<float, 32>"; of a library: "cublasSgemm"
  Launch launch;      ///< of a library call nothing is known, and its grid and block are empty
  std::vector<Argument> args;
  Kind kind = Kind::kKernel;

  /// A library call with the empty launch that belongs to it.
  static Step library_call(std::string function, std::vector<Argument> args) {
    return {std::move(function), {{0, 0, 0}, {0, 0, 0}, 0, {}}, std::move(args), Kind::kLibrary};
  }
  bool is_library_call() const { return kind == Kind::kLibrary; }
};

class HostBuffers;  // core/buffers.h

/// How the result is checked: element `index` of `buffer` must be within the bound of what `expected`
/// returns. `expected` is called with the *initial* contents of all buffers; the caller chooses which
/// elements to compare (all of a small output; a fixed pseudo-random sample of a large one; only written ones
/// of a sampled prediction).
struct ResultCheck {
  std::size_t buffer = 0;
  std::function<double(const HostBuffers& initial, std::uint64_t index)> expected;
  double absolute_bound = 0.0;  ///< |got - expected| <= absolute_bound + relative_bound * |expected|
  double relative_bound = 0.0;
  std::string reference;    ///< what the bound and the reference are, for the report
  std::uint64_t first = 0;  ///< elements [first, first + count) are results
  std::uint64_t count = 0;  ///< 0 = to the end of the buffer
  bool needs_whole_grid =
      false;  ///< an element depends on every block (a reduction), so a sample cannot be checked
};

/// CUDA source text under the name that diagnostics show.
struct Source {
  std::string file;  ///< "transpose/kernel.cu", or the user's path
  std::string text;
};

/// One alternative that cures a planted or found problem: the options to type, and what they change.
struct KernelCure {
  std::string finding;  ///< finding kind that it cures
  std::string options;  ///< "--pad"
  std::string text;     ///< "pad each tile row by one element"
};

struct Kernel {
  std::string name;                                          ///< "transpose"
  std::vector<std::pair<std::string, std::string>> options;  ///< as shown in the report: {"tile", "32"}
  Source source;
  std::vector<std::pair<std::string, std::string>> defines;  ///< macros, in order
  std::vector<std::string> compile_options;                  ///< further NVRTC options
  std::vector<Buffer> buffers;
  std::vector<Step> steps;          ///< at least one; run in order
  std::vector<ResultCheck> checks;  ///< empty: the result is not checked, and the report says so
  std::vector<KernelCure> cures;
  double useful_bytes = 0.0;  ///< bytes that any implementation must move (for bandwidth); 0 = not defined
  double useful_flops = 0.0;  ///< floating-point operations of the problem; 0 = not defined
  std::uint64_t seed = 1;

  /// The distinct entry names of all steps that launch one, in first-use order.
  std::vector<std::string> entries() const;
  /// The first step that calls a library; nullptr if there is none.
  const Step* library_call() const;
};

}  // namespace gpuprobe
