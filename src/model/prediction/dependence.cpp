#include "model/prediction/dependence.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/prediction/operands.h"

namespace gpuprobe::prediction {
namespace {

using ptx::Instruction;
using ptx::Operand;

/// Where a value comes from: a bit for each of the first 62 parameters, one for loaded data, one for anything
/// else that may be an address (of a variable, a parameter beyond the 62nd, a loaded 64-bit value).
using Origins = std::uint64_t;
constexpr Origins kData = Origins{1} << 63;
constexpr Origins kOther = Origins{1} << 62;
constexpr int kMaxParameters = 62;

enum class Memory { kNone, kParameter, kGlobal, kShared, kLocal, kGeneric, kConst };

Memory memory_of(const Instruction& instruction) {
  for (const std::string& modifier : instruction.modifiers) {
    const std::string_view space = std::string_view(modifier).substr(0, modifier.find("::"));
    if (space == "global") return Memory::kGlobal;
    if (space == "shared") return Memory::kShared;
    if (space == "local") return Memory::kLocal;
    if (space == "param") return Memory::kParameter;
    if (space == "const") return Memory::kConst;
  }
  return Memory::kGeneric;
}

bool may_be_global(Memory memory) {
  return memory == Memory::kGlobal || memory == Memory::kGeneric;
}

bool reads_memory(const Instruction& i) {
  return i.opcode == "ld" || i.opcode == "ldu" || i.opcode == "atom" || i.opcode == "ldmatrix" ||
         i.opcode == "tex" || i.opcode == "suld" || i.opcode == "tld4";
}

bool is_64_bit(const Instruction& i) {
  return has_modifier(i, "u64") || has_modifier(i, "b64") || has_modifier(i, "s64");
}

bool writes_memory(const Instruction& i) {
  return i.opcode == "st" || i.opcode == "atom" || i.opcode == "red" || i.opcode == "stmatrix" ||
         i.opcode == "cp";
}

class Analysis {
 public:
  explicit Analysis(const ptx::Function& function)
      : function_(function), origins_(function.registers.size(), 0) {}

  Dependence run() {
    for (changed_ = true; changed_;) {
      changed_ = false;
      for (const Instruction& instruction : function_.body) flow(instruction);
    }
    for (const Instruction& instruction : function_.body) judge(instruction);
    return out_;
  }

 private:
  Origins of(const Operand& operand) const {
    Origins all = operand.symbol.empty() || operand.kind == Operand::Kind::kSpecial ? 0 : kOther;
    for_each_register(operand, [&](int reg) { all |= origins_[static_cast<std::size_t>(reg)]; });
    return all;
  }

  void raise(Origins& target, Origins by) {
    if ((target | by) == target) return;
    target |= by;
    changed_ = true;
  }

  Origins parameter(const Operand& address) const {
    for (std::size_t i = 0; i < function_.parameters.size(); ++i)
      if (function_.parameters[i].name == address.symbol)
        return i < kMaxParameters ? Origins{1} << i : kOther;
    return kOther;
  }

  Origins loaded(const Instruction& instruction) const {
    const Operand* address = address_operand(instruction);
    const Origins through = address ? of(*address) : kOther;
    switch (memory_of(instruction)) {
      case Memory::kParameter:
        // A by-value struct read at a computed place can be any parameter.
        return address && address->reg < 0 && function_.is_entry ? parameter(*address)
                                                                 : kOther | (through & kData);
      case Memory::kConst:
        return (through & kData) | (is_64_bit(instruction) ? kOther : 0);
      case Memory::kShared:
        return shared_;
      case Memory::kLocal:
        return local_;
      default:
        return kData | (is_64_bit(instruction) ? kOther : 0) |
               (memory_of(instruction) == Memory::kGeneric ? shared_ | local_ : 0);
    }
  }

  void flow(const Instruction& instruction) {
    Origins in = 0;
    if (instruction.opcode == "call") {
      in = kData | kOther;  // what a function returns is not followed
    } else if (reads_memory(instruction)) {
      in = loaded(instruction);
      if (instruction.opcode == "atom") in |= kData;
    } else {
      for (std::size_t i = 0; i < instruction.operands.size(); ++i)
        if (i > 0 || !defines_first_operand(instruction)) in |= of(instruction.operands[i]);
    }
    if (instruction.guard >= 0) in |= origins_[static_cast<std::size_t>(instruction.guard)] & kData;
    for_each_definition(instruction, [&](int reg) { raise(origins_[static_cast<std::size_t>(reg)], in); });
    if (writes_memory(instruction)) {
      Origins stored = instruction.opcode == "cp" || instruction.opcode == "atom" ? kData : 0;
      for (const Operand& operand : instruction.operands)
        if (operand.kind != Operand::Kind::kAddress) stored |= of(operand);
      const Memory memory = memory_of(instruction);
      if (memory == Memory::kShared || memory == Memory::kGeneric || instruction.opcode == "cp")
        raise(shared_, stored);
      if (memory == Memory::kLocal || memory == Memory::kGeneric) raise(local_, stored);
    }
  }

  void judge(const Instruction& instruction) {
    const auto data_in = [&](Origins origins) { return (origins & kData) != 0; };
    if (instruction.guard >= 0 && data_in(origins_[static_cast<std::size_t>(instruction.guard)]))
      if (instruction.opcode == "bra" || writes_memory(instruction) || reads_memory(instruction) ||
          instruction.opcode == "ret" || instruction.opcode == "exit" || instruction.opcode == "call")
        out_.on_data = true;
    if (instruction.opcode == "brx") out_.on_data = out_.on_data || data_in(of(instruction.operands.front()));
    if (instruction.opcode == "call") call(instruction);
    if (!reads_memory(instruction) && !writes_memory(instruction)) return;
    for (const Operand& operand : instruction.operands)
      if (operand.kind == Operand::Kind::kAddress && data_in(of(operand))) out_.on_data = true;
    const Memory memory = memory_of(instruction);
    if (!may_be_global(memory) && instruction.opcode != "cp") return;
    if (instruction.opcode == "atom" || instruction.opcode == "red") out_.has_global_atomics = true;
    for (std::string_view kind : {"volatile", "relaxed", "acquire"})
      if (instruction.opcode == "ld" && has_modifier(instruction, kind)) out_.waits_for_memory = true;
    if (instruction.opcode == "cp" || !writes_memory(instruction)) return;
    const Operand* address = address_operand(instruction);
    written(address != nullptr ? of(*address) : kOther);  // without one it will not be decoded
  }

  void written(Origins origins) {
    if ((origins & kOther) || (origins & ~kData) == 0) out_.writes_anything = true;
    for (int i = 0; i < kMaxParameters; ++i)
      if (origins >> i & 1) out_.written_parameters.insert(i);
  }

  /// Functions that are not inlined get whatever they are given: assume the worst, except for the system's
  /// printf.
  void call(const Instruction& instruction) {
    if (instruction.operands.size() > 1 && instruction.operands[1].symbol == "vprintf") return;
    out_.on_data = true;
    out_.writes_anything = true;
  }

  const ptx::Function& function_;
  std::vector<Origins> origins_;
  Origins shared_ = 0;
  Origins local_ = 0;
  bool changed_ = false;
  Dependence out_;
};

}  // namespace

Dependence analyse_dependence(const ptx::Function& entry) {
  return Analysis(entry).run();
}

}  // namespace gpuprobe::prediction
