#include "core/site.h"

#include <array>
#include <utility>

namespace gpuprobe {
namespace {

constexpr std::array<std::pair<AccessKind, std::string_view>, 11> kNames{{
    {AccessKind::kGlobalLoad, "global.load"},
    {AccessKind::kGlobalStore, "global.store"},
    {AccessKind::kGlobalAtomic, "global.atomic"},
    {AccessKind::kSharedLoad, "shared.load"},
    {AccessKind::kSharedStore, "shared.store"},
    {AccessKind::kSharedAtomic, "shared.atomic"},
    {AccessKind::kAsyncCopyShared, "shared.async_copy"},
    {AccessKind::kMatrixLoad, "shared.matrix_load"},
    {AccessKind::kMatrixStore, "shared.matrix_store"},
    {AccessKind::kLocalLoad, "local.load"},
    {AccessKind::kLocalStore, "local.store"},
}};

}  // namespace

std::string_view to_string(AccessKind kind) {
  for (const auto& [value, name] : kNames)
    if (value == kind) return name;
  return "";
}

std::optional<AccessKind> access_kind_from_string(std::string_view name) {
  for (const auto& [value, text] : kNames)
    if (text == name) return value;
  return std::nullopt;
}

bool is_shared(AccessKind kind) {
  return to_string(kind).substr(0, 7) == "shared.";
}

}  // namespace gpuprobe
