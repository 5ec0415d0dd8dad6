// The units that a number can carry. A number never leaves a function without one.
#pragma once

#include <optional>
#include <string_view>

namespace gpuprobe {

enum class Unit {
  kNone,  ///< a text or a bare number without dimension
  kRequest,
  kSector,
  kWavefront,
  kSectorsPerRequest,
  kWavefrontsPerRequest,
  kRatio,    ///< dimensionless ratio, 1.0 = equal
  kPercent,  ///< 0..100
  kByte,
  kBytesPerSecond,
  kSecond,
  kCycle,
  kHertz,
  kInstruction,
  kWarp,
  kBlock,
  kThread,
  kRegister,  ///< 32-bit registers per thread
  kFlopsPerSecond,
};

/// Name used in JSON ("request", "sector/request", "%", "byte", ...).
std::string_view to_string(Unit unit);
/// Inverse of to_string; nullopt for an unknown name.
std::optional<Unit> unit_from_string(std::string_view name);

}  // namespace gpuprobe
