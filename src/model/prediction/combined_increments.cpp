#include "model/prediction/combined_increments.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "model/prediction/operands.h"

namespace gpuprobe::prediction {
namespace {

using ptx::Instruction;
using ptx::Operand;

constexpr int kOldestTarget = 80;  ///< "sm_80"

/// The number of "sm_90", "sm_90a"; 0 for anything else.
int target_number(const std::string& target) {
  int number = 0;
  if (!target.starts_with("sm_")) return 0;
  for (const char c : target.substr(3))
    if (c >= '0' && c <= '9') number = number * 10 + (c - '0');
  return number;
}

/// What the registers of a function hold and whether anybody reads them.
class Registers {
 public:
  explicit Registers(const ptx::Function& function)
      : constants_(function.registers.size()),
        definitions_(function.registers.size()),
        uses_(function.registers.size()) {
    for (const Instruction& instruction : function.body) {
      for_each_use(instruction, [&](int reg) { ++uses_[static_cast<std::size_t>(reg)]; });
      for_each_definition(instruction, [&](int reg) {
        ++definitions_[static_cast<std::size_t>(reg)];
        if (instruction.opcode == "mov" && instruction.operands.size() == 2 &&
            instruction.operands[1].kind == Operand::Kind::kInteger)
          constants_[static_cast<std::size_t>(reg)] = instruction.operands[1].integer;
      });
    }
  }

  /// The value of an operand that is the same whenever it is read.
  std::optional<std::int64_t> constant(const Operand& operand) const {
    if (operand.kind == Operand::Kind::kInteger) return operand.integer;
    if (operand.kind != Operand::Kind::kRegister || operand.reg < 0) return std::nullopt;
    const auto reg = static_cast<std::size_t>(operand.reg);
    return definitions_[reg] == 1 ? constants_[reg] : std::nullopt;
  }
  bool is_read(const Operand& operand) const {
    return operand.reg >= 0 && uses_[static_cast<std::size_t>(operand.reg)] > 0;
  }

 private:
  std::vector<std::optional<std::int64_t>> constants_;
  std::vector<int> definitions_;
  std::vector<int> uses_;
};

bool is_shared_atomic(const Instruction& instruction) {
  return (instruction.opcode == "atom" || instruction.opcode == "red") &&
         (has_modifier(instruction, "shared") || has_modifier(instruction, "shared::cta"));
}

/// Of a shared atomic: whether it increments by one and nobody reads the old value.
bool is_combined(const Instruction& atomic, const Registers& registers) {
  if (atomic.operands.size() != (atomic.opcode == "atom" ? 3u : 2u)) return false;
  if (atomic.opcode == "atom" && registers.is_read(atomic.operands.front())) return false;
  const auto value = registers.constant(atomic.operands.back());
  if (!value) return false;
  if (has_modifier(atomic, "add"))
    return *value == 1 && (has_modifier(atomic, "u32") || has_modifier(atomic, "s32"));
  return has_modifier(atomic, "inc") && static_cast<std::uint32_t>(*value) == 0xffffffffu;
}

}  // namespace

std::set<int> combined_increments(const ptx::Module& module, const ptx::Function& function) {
  std::set<int> lines;
  if (target_number(module.target) < kOldestTarget) return lines;
  const Registers registers(function);
  std::set<int> others;  // inline assembly may have several instructions on a line
  for (const Instruction& instruction : function.body)
    if (is_shared_atomic(instruction))
      (is_combined(instruction, registers) ? lines : others).insert(instruction.text_line);
  for (const int line : others) lines.erase(line);
  return lines;
}

}  // namespace gpuprobe::prediction
