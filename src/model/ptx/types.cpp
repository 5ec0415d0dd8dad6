#include "model/ptx/types.h"

#include <algorithm>
#include <array>
#include <utility>

namespace gpuprobe::ptx {
namespace {

constexpr std::array<std::pair<std::string_view, std::uint32_t>, 28> kTypes = {{
    {"b8", 1},    {"u8", 1},     {"s8", 1},         {"b16", 2},     {"u16", 2},    {"s16", 2},
    {"f16", 2},   {"bf16", 2},   {"b32", 4},        {"u32", 4},     {"s32", 4},    {"f32", 4},
    {"f16x2", 4}, {"bf16x2", 4}, {"tf32", 4},       {"b64", 8},     {"u64", 8},    {"s64", 8},
    {"f64", 8},   {"f32x2", 8},  {"b128", 16},      {"e4m3x2", 2},  {"e5m2x2", 2}, {"u16x2", 4},
    {"s16x2", 4}, {"texref", 8}, {"samplerref", 8}, {"surfref", 8},
}};

constexpr std::array<std::string_view, 37> kSpecialRegisters = {
    "%tid",
    "%ntid",
    "%laneid",
    "%warpid",
    "%nwarpid",
    "%ctaid",
    "%nctaid",
    "%smid",
    "%nsmid",
    "%gridid",
    "%is_explicit_cluster",
    "%clusterid",
    "%nclusterid",
    "%cluster_ctaid",
    "%cluster_nctaid",
    "%cluster_ctarank",
    "%cluster_nctarank",
    "%lanemask_eq",
    "%lanemask_le",
    "%lanemask_lt",
    "%lanemask_ge",
    "%lanemask_gt",
    "%clock",
    "%clock_hi",
    "%clock64",
    "%globaltimer",
    "%globaltimer_lo",
    "%globaltimer_hi",
    "%total_smem_size",
    "%aggr_smem_size",
    "%dynamic_smem_size",
    "%current_graph_exec",
    "%reserved_smem_offset_begin",
    "%reserved_smem_offset_end",
    "%reserved_smem_offset_cap",
    "%reserved_smem_offset_0",
    "%reserved_smem_offset_1",
};

bool is_numbered(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix) || name.size() == prefix.size()) return false;
  const auto tail = name.substr(prefix.size());
  return tail.size() <= 2 &&
         std::all_of(tail.begin(), tail.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::optional<std::uint32_t> type_bytes(std::string_view type) {
  if (type == "pred") return 0;
  for (const auto& [name, bytes] : kTypes)
    if (name == type) return bytes;
  return std::nullopt;
}

bool is_special_register(std::string_view name) {
  if (std::find(kSpecialRegisters.begin(), kSpecialRegisters.end(), name) != kSpecialRegisters.end())
    return true;
  std::string_view counter = name;
  if (counter.ends_with("_64")) counter.remove_suffix(3);
  return is_numbered(name, "%envreg") || is_numbered(counter, "%pm");
}

}  // namespace gpuprobe::ptx
