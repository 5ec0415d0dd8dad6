// Which registers a PTX instruction defines and which it reads: the common ground of the static analyses.
//
//   for_each_definition(instruction, [&](int reg) { ... });
//   for_each_use(instruction, [&](int reg) { ... });          // the guard is not among them
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "model/ptx/ast.h"

namespace gpuprobe::prediction {

inline bool has_modifier(const ptx::Instruction& instruction, std::string_view name) {
  return std::find(instruction.modifiers.begin(), instruction.modifiers.end(), name) !=
         instruction.modifiers.end();
}

/// True if the first operand is written; the opcodes listed here only read their operands.
inline bool defines_first_operand(const ptx::Instruction& instruction) {
  constexpr std::array<std::string_view, 26> kNoResult = {
      "st",         "red",      "bar",       "barrier", "bra",     "brx",           "ret",
      "exit",       "trap",     "brkpt",     "membar",  "fence",   "prefetch",      "prefetchu",
      "cp",         "stmatrix", "nanosleep", "pmevent", "discard", "applypriority", "griddepcontrol",
      "setmaxnreg", "wgmma",    "mbarrier",  "sust",    "sured"};
  if (instruction.opcode == "bar" || instruction.opcode == "barrier") return has_modifier(instruction, "red");
  if (instruction.opcode == "mbarrier")
    return has_modifier(instruction, "test_wait") || has_modifier(instruction, "try_wait") ||
           has_modifier(instruction, "arrive");
  return std::find(kNoResult.begin(), kNoResult.end(), instruction.opcode) == kNoResult.end();
}

template <class Visit>
void for_each_register(const ptx::Operand& operand, Visit visit) {
  if (operand.reg >= 0) visit(operand.reg);
  if (operand.pair_reg) visit(*operand.pair_reg);
  for (const ptx::Operand& element : operand.elements) for_each_register(element, visit);
}

/// Registers that the instruction writes. Of an address operand none, even where it stands first.
template <class Visit>
void for_each_definition(const ptx::Instruction& instruction, Visit visit) {
  if (instruction.operands.empty() || !defines_first_operand(instruction)) return;
  const ptx::Operand& first = instruction.operands.front();
  if (first.kind != ptx::Operand::Kind::kAddress) for_each_register(first, visit);
}

template <class Visit>
void for_each_use(const ptx::Instruction& instruction, Visit visit) {
  const bool skip_first = !instruction.operands.empty() && defines_first_operand(instruction) &&
                          instruction.operands.front().kind != ptx::Operand::Kind::kAddress;
  for (std::size_t i = skip_first ? 1 : 0; i < instruction.operands.size(); ++i)
    for_each_register(instruction.operands[i], visit);
}

/// The operand that holds the address of a memory instruction, or nullptr.
inline const ptx::Operand* address_operand(const ptx::Instruction& instruction) {
  for (const ptx::Operand& operand : instruction.operands)
    if (operand.kind == ptx::Operand::Kind::kAddress) return &operand;
  return nullptr;
}

}  // namespace gpuprobe::prediction
