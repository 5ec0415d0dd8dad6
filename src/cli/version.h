// The version of this build.
#pragma once

namespace gpuprobe::cli {

/// "0.1.0", from the project() line of CMake.
inline constexpr const char* kVersion = GPUPROBE_VERSION;

}  // namespace gpuprobe::cli
