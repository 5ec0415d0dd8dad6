// Errors as values. Every fallible function of gpuprobe returns Result<T>; nothing throws across folders.
//
//   Result<Device> open(int ordinal);
//   auto device = open(0);
//   if (!device) return tl::unexpected(device.error());
//
// The code of an Error is the exit code of the process (design: "The command line is the contract").
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace gpuprobe {

/// Why an operation failed; the value is the process exit code.
enum class ErrorCode {
  kGate = 1,   ///< a gate of the user did not hold
  kUsage = 2,  ///< wrong command line or unreadable input
  kMachine =
      3,  ///< this machine cannot do what was asked (no GPU, no permission, a number that could not be had)
  kKernel = 4,   ///< the kernel under test failed (compile error, launch failure, wrong result, time-out)
  kDefect = 70,  ///< a defect of gpuprobe itself
};

/// What happened and why (`what`), and what to do next (`hint`). Both are whole sentences without a final
/// newline.
struct Error {
  ErrorCode code = ErrorCode::kDefect;
  std::string what;
  std::string hint;
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

/// Shorthand for returning an error: `return fail(ErrorCode::kUsage, "...", "...");`
inline tl::unexpected<Error> fail(ErrorCode code, std::string what, std::string hint) {
  return tl::unexpected<Error>(Error{code, std::move(what), std::move(hint)});
}

}  // namespace gpuprobe
