// PTX type names: "b32", "f16x2", "pred" ...
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gpuprobe::ptx {

/// Bytes of a value of the type (PTX ISA, "Fundamental Types" and "Packed Data Types"); 8 for a texture,
/// sampler or surface reference, which is a handle; 0 for pred, which has no place in memory. Nothing if it
/// is no type.
std::optional<std::uint32_t> type_bytes(std::string_view type);

/// True for the special registers of the PTX ISA: "%tid", "%laneid", "%clock64", "%envreg3" ...
bool is_special_register(std::string_view name);

}  // namespace gpuprobe::ptx
