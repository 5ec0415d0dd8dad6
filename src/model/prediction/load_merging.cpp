#include "model/prediction/load_merging.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "model/prediction/alignment.h"
#include "model/prediction/operands.h"
#include "model/ptx/flow.h"

namespace gpuprobe::prediction {
namespace {

using ptx::Instruction;
using ptx::Operand;

constexpr std::uint32_t kWidestLoad = 16;

/// Bytes of one element of a type such as "f32"; 0 for what is not a plain scalar.
std::uint32_t type_bytes(const Instruction& instruction) {
  constexpr std::pair<std::string_view, std::uint32_t> kTypes[] = {
      {"b32", 4}, {"u32", 4}, {"s32", 4}, {"f32", 4}, {"b64", 8}, {"u64", 8}, {"s64", 8}, {"f64", 8}};
  for (const auto& [name, bytes] : kTypes)
    if (!instruction.modifiers.empty() && instruction.modifiers.back() == name) return bytes;
  return 0;
}

/// A shared load that may be merged.
struct Candidate {
  int ptx_line = 0;
  std::int64_t offset = 0;
  std::uint32_t bytes = 0;
  int order = 0;
};

std::optional<Candidate> candidate(const Instruction& instruction, int order) {
  if (instruction.opcode != "ld" || !has_modifier(instruction, "shared") || instruction.guard >= 0)
    return std::nullopt;
  for (std::string_view special : {"volatile", "relaxed", "acquire", "v2", "v4"})
    if (has_modifier(instruction, special)) return std::nullopt;
  const Operand* address = address_operand(instruction);
  const std::uint32_t bytes = type_bytes(instruction);
  if (!address || address->reg < 0 || bytes == 0) return std::nullopt;
  return Candidate{instruction.text_line, address->offset, bytes, order};
}

/// True if shared memory may change or another thread may run on: loads do not move across.
bool is_fence(const Instruction& instruction) {
  const std::string_view op = instruction.opcode;
  if (op == "st") return !has_modifier(instruction, "global") && !has_modifier(instruction, "param");
  return op == "atom" || op == "red" || op == "bar" || op == "barrier" || op == "call" || op == "membar" ||
         op == "fence" || op == "cp" || op == "stmatrix" || op == "mbarrier";
}

/// Cuts the loads of one base register into aligned pieces of 16, then 8 bytes.
void merge_run(std::vector<Candidate> loads, int base_zeros, std::vector<MergedLoad>& merged) {
  std::stable_sort(loads.begin(), loads.end(),
                   [](const Candidate& a, const Candidate& b) { return a.offset < b.offset; });
  for (std::size_t i = 0; i < loads.size();) {
    std::size_t taken = 1;
    for (std::uint32_t width = kWidestLoad; width >= 8; width /= 2) {
      const std::uint32_t bytes = loads[i].bytes;
      const std::size_t count = width / bytes;
      const bool aligned = loads[i].offset % width == 0 && (1ll << base_zeros) >= width;
      if (count < 2 || !aligned || i + count > loads.size()) continue;
      bool contiguous = true;
      for (std::size_t k = 1; k < count; ++k)
        contiguous = contiguous && loads[i + k].bytes == bytes &&
                     loads[i + k].offset == loads[i].offset + static_cast<std::int64_t>(k * bytes);
      if (!contiguous) continue;
      const auto first = loads.begin() + static_cast<std::ptrdiff_t>(i);
      std::vector<Candidate> group(first, first + static_cast<std::ptrdiff_t>(count));
      std::sort(group.begin(), group.end(),
                [](const Candidate& a, const Candidate& b) { return a.order < b.order; });
      MergedLoad& load = merged.emplace_back();
      load.width = width;
      load.first_offset = loads[i].offset - group.front().offset;
      for (const Candidate& part : group) load.ptx_lines.push_back(part.ptx_line);
      taken = count;
      break;
    }
    i += taken;
  }
}

}  // namespace

std::vector<MergedLoad> merged_shared_loads(const ptx::Module& module, const ptx::Function& function) {
  std::vector<MergedLoad> merged;
  const std::vector<int> zeros = trailing_zeros(module, function);
  std::map<int, std::vector<Candidate>> open;  // by base register
  const auto close = [&](int reg) {
    if (const auto found = open.find(reg); found != open.end()) {
      merge_run(std::move(found->second), zeros[static_cast<std::size_t>(reg)], merged);
      open.erase(found);
    }
  };
  const auto close_all = [&] {
    while (!open.empty()) close(open.begin()->first);
  };
  for (const ptx::BasicBlock& block : ptx::analyse(function).blocks) {
    for (int i = block.begin; i < block.end; ++i) {
      const Instruction& instruction = function.body[static_cast<std::size_t>(i)];
      if (is_fence(instruction)) {
        close_all();
        continue;
      }
      const auto load = candidate(instruction, i);
      if (load) open[address_operand(instruction)->reg].push_back(*load);
      for_each_definition(instruction, close);
    }
    close_all();
  }
  return merged;
}

}  // namespace gpuprobe::prediction
