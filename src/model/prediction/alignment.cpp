#include "model/prediction/alignment.h"

#include <algorithm>
#include <bit>
#include <string>

#include "model/prediction/operands.h"

namespace gpuprobe::prediction {
namespace {

using ptx::Instruction;
using ptx::Operand;

constexpr std::uint32_t kArrayAlignment = 16;

int zeros_of_integer(std::int64_t value) {
  return value == 0 ? kManyZeros : std::min(kManyZeros, std::countr_zero(static_cast<std::uint64_t>(value)));
}

class Analysis {
 public:
  Analysis(const ptx::Module& module, const ptx::Function& function)
      : module_(module), function_(function), zeros_(function.registers.size(), kManyZeros) {}

  std::vector<int> run() {
    // Optimistic start; every pass can only lower a number, so this ends.
    for (bool changed = true; changed;) {
      changed = false;
      for (const Instruction& instruction : function_.body) {
        const int result = result_of(instruction);
        for_each_definition(instruction, [&](int reg) {
          const auto index = static_cast<std::size_t>(reg);
          if (result >= zeros_[index]) return;
          zeros_[index] = result;
          changed = true;
        });
      }
    }
    return std::move(zeros_);
  }

 private:
  int zeros_of_symbol(const Operand& operand) const {
    const auto find = [&](const std::vector<ptx::Variable>& variables) {
      for (const ptx::Variable& variable : variables)
        if (variable.name == operand.symbol) return &variable;
      return static_cast<const ptx::Variable*>(nullptr);
    };
    const ptx::Variable* variable = find(function_.variables);
    if (!variable) variable = find(module_.variables);
    if (!variable) return 0;
    const bool array = variable->bytes >= kArrayAlignment || variable->bytes == 0;
    const bool placed = variable->space == ptx::Space::kShared || variable->space == ptx::Space::kLocal;
    const std::uint32_t align =
        array && placed ? std::max(variable->align, kArrayAlignment) : variable->align;
    return std::min(zeros_of_integer(align), zeros_of_integer(operand.offset));
  }

  int zeros_of(const Operand& operand) const {
    switch (operand.kind) {
      case Operand::Kind::kRegister:
        return operand.reg >= 0 ? zeros_[static_cast<std::size_t>(operand.reg)] : 0;
      case Operand::Kind::kInteger:
        return zeros_of_integer(operand.integer);
      case Operand::Kind::kSymbol:
        return zeros_of_symbol(operand);
      default:
        return 0;
    }
  }

  int result_of(const Instruction& instruction) const {
    const auto& in = instruction.operands;
    const std::string& op = instruction.opcode;
    const auto at = [&](std::size_t i) { return i < in.size() ? zeros_of(in[i]) : 0; };
    const auto lowest = [&](std::size_t first, std::size_t last) {
      int zeros = kManyZeros;
      for (std::size_t i = first; i <= last; ++i) zeros = std::min(zeros, at(i));
      return zeros;
    };
    const auto capped = [](int zeros) { return std::min(zeros, kManyZeros); };
    if (op == "mov" || op == "cvta") return at(1);
    if (op == "cvt") return has_modifier(instruction, "f32") || has_modifier(instruction, "f64") ? 0 : at(1);
    if (op == "add" || op == "sub" || op == "min" || op == "max" || op == "or" || op == "xor")
      return lowest(1, 2);
    if (op == "and") return std::max(at(1), at(2));
    if (op == "mul" && !has_modifier(instruction, "hi")) return capped(at(1) + at(2));
    if (op == "mad" && !has_modifier(instruction, "hi")) return std::min(capped(at(1) + at(2)), at(3));
    if (op == "shl" && in.size() > 2)
      return in[2].kind == Operand::Kind::kInteger ? capped(at(1) + static_cast<int>(in[2].integer & 31))
                                                   : at(1);
    if (op == "selp") return lowest(1, 2);
    return 0;
  }

  const ptx::Module& module_;
  const ptx::Function& function_;
  std::vector<int> zeros_;
};

}  // namespace

std::vector<int> trailing_zeros(const ptx::Module& module, const ptx::Function& function) {
  return Analysis(module, function).run();
}

}  // namespace gpuprobe::prediction
