// Where variables and registers live.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "model/simt/decode/decoder.h"

namespace gpuprobe::simt {
namespace {

std::uint32_t round_up(std::uint64_t value, std::uint64_t to) {
  return static_cast<std::uint32_t>((value + to - 1) / to * to);
}

}  // namespace

Status Decoder::lay_out_variables() {
  std::vector<const ptx::Variable*> fresh;
  for (const ptx::Variable* variable : variables_) {
    Symbol symbol;
    symbol.bytes = variable->bytes;
    switch (variable->space) {
      case ptx::Space::kGlobal:
      case ptx::Space::kConst: {
        if (variable->is_extern && variable->bytes == 0)
          return fail(ErrorCode::kMachine,
                      fmt::format("the variable '{}' is declared but not defined", variable->name),
                      "only whole programs can be predicted: define it in the same file");
        bool is_new = false;
        symbol.kind = variable->space == ptx::Space::kConst ? Symbol::Kind::kConst : Symbol::Kind::kGlobal;
        symbol.address = memory_.variable(variable->name, variable->bytes, is_new);
        symbols_[variable->name] = symbol;
        if (is_new) fresh.push_back(variable);
        break;
      }
      case ptx::Space::kShared:
        symbol.kind = Symbol::Kind::kShared;
        if (variable->bytes == 0) {
          shared_align_ = std::max(shared_align_, variable->align);
        } else {
          symbol.address = round_up(shared_end_, std::max(1u, variable->align));
          shared_end_ = static_cast<std::uint32_t>(symbol.address + variable->bytes);
        }
        symbols_[variable->name] = symbol;
        break;
      default:
        return fail(ErrorCode::kMachine,
                    fmt::format("the variable '{}' is in a space that is not supported", variable->name),
                    "textures and surfaces cannot be predicted");
    }
  }
  for (const ptx::Variable* variable : fresh)
    if (variable->bytes != 0)
      if (auto done = initialise(*variable, symbols_[variable->name].address); !done) return done;
  return {};
}

Status Decoder::initialise(const ptx::Variable& variable, std::uint64_t address) {
  DeviceMemory::Allocation* allocation = memory_.find(address, variable.bytes);
  if (allocation == nullptr || variable.bytes == 0) return {};
  if (!variable.initial.empty())
    std::memcpy(allocation->bytes.data(), variable.initial.data(),
                std::min<std::size_t>(variable.initial.size(), allocation->bytes.size()));
  for (const auto& relocation : variable.relocations) {
    const auto symbol = symbols_.find(relocation.symbol);
    if (symbol == symbols_.end())
      return fail(ErrorCode::kMachine,
                  fmt::format("'{}' is initialised with the address of '{}', which is not defined",
                              variable.name, relocation.symbol),
                  "only whole programs can be predicted: define it in the same file");
    std::uint64_t value = symbol->second.address + static_cast<std::uint64_t>(relocation.addend);
    if (relocation.is_generic && symbol->second.kind == Symbol::Kind::kShared) value += kSharedWindow;
    value >>= relocation.shift;
    if (relocation.offset + relocation.bytes <= allocation->bytes.size())
      std::memcpy(allocation->bytes.data() + relocation.offset, &value,
                  std::min<std::size_t>(relocation.bytes, 8));
  }
  return {};
}

Status Decoder::lay_out_function(FunctionLayout& layout, std::uint32_t& next) {
  const ptx::Function& function = *layout.function;
  FunctionImage& out = image_->functions[static_cast<std::size_t>(layout.index)];
  layout.registers.resize(function.registers.size());
  for (std::size_t i = 0; i < function.registers.size(); ++i) {
    const auto type = type_from_modifier(function.registers[i].type);
    if (!type)
      return fail(ErrorCode::kMachine,
                  fmt::format("register type .{} of {} in {} is not supported", function.registers[i].type,
                              function.registers[i].name, function.name),
                  "textures and surfaces cannot be predicted");
    layout.registers[i].bytes = *type == Type::kPred ? 1 : std::max(2u, bytes_of(*type));
    if (*type == Type::kB8 || *type == Type::kU8 || *type == Type::kS8) layout.registers[i].bytes = 2;
  }
  out.frame.begin = next;
  for (RegisterSlot& slot : layout.registers)
    if (slot.bytes == 1) {
      slot.offset = next;
      next += 4;
    }
  next = round_up(next, 64);
  out.frame.words_begin = next;
  const auto word = [&] {
    next += kLanes * 4;
    return next - kLanes * 4;
  };
  for (RegisterSlot& slot : layout.registers)
    if (slot.bytes == 2 || slot.bytes == 4) slot.offset = word();
  out.local_base = word();
  out.frame.pairs_begin = next;
  const auto pairs = [&](std::uint32_t count) {
    next += kLanes * 8 * count;
    return next - kLanes * 8 * count;
  };
  for (RegisterSlot& slot : layout.registers)
    if (slot.bytes >= 8) slot.offset = pairs(slot.bytes / 8);

  const auto columns = [&](const ptx::Parameter& parameter) {
    const std::uint32_t count = std::max(1u, (parameter.bytes + 7) / 8);
    return CallOp::Piece{pairs(count), count};
  };
  const auto add_columns = [&](const std::string& name, const CallOp::Piece& piece, std::uint64_t bytes) {
    layout.symbols[name] = {Symbol::Kind::kColumns, 0, piece.slot, bytes};
  };
  if (function.is_entry) {
    for (const ptx::Parameter& parameter : function.parameters)
      layout.symbols[parameter.name] = {Symbol::Kind::kParameter, parameter.offset, 0, parameter.bytes};
  } else {
    for (const auto* list : {&function.parameters, &function.returns})
      for (const ptx::Parameter& parameter : *list) {
        if (parameter.reg >= 0)
          return fail(ErrorCode::kMachine,
                      fmt::format("{} passes parameters in registers, which is not supported", function.name),
                      "compile for sm_75 or newer: its parameters are in .param space");
        const CallOp::Piece piece = columns(parameter);
        (list == &function.parameters ? out.parameters : out.results).push_back(piece);
        add_columns(parameter.name, piece, parameter.bytes);
      }
  }
  for (const ptx::Variable& variable : function.variables)
    if (variable.space == ptx::Space::kParam) {
      ptx::Parameter parameter;
      parameter.bytes = static_cast<std::uint32_t>(variable.bytes);
      add_columns(variable.name, columns(parameter), variable.bytes);
    }
  out.frame.end = next;
  return lay_out_locals(layout, out);
}

Status Decoder::lay_out_locals(FunctionLayout& layout, FunctionImage& out) {
  for (const ptx::Variable& variable : layout.function->variables) {
    switch (variable.space) {
      case ptx::Space::kLocal: {
        const std::uint32_t at = round_up(out.local_bytes, std::max(1u, variable.align));
        layout.symbols[variable.name] = {Symbol::Kind::kLocal, at, 0, variable.bytes};
        // Rounded so that the next activation is aligned for any type.
        out.local_bytes = round_up(at + variable.bytes, 16);
        break;
      }
      case ptx::Space::kShared: {
        Symbol symbol{Symbol::Kind::kShared, 0, 0, variable.bytes};
        if (variable.bytes == 0) {
          shared_align_ = std::max(shared_align_, variable.align);
        } else {
          symbol.address = round_up(shared_end_, std::max(1u, variable.align));
          shared_end_ = static_cast<std::uint32_t>(symbol.address + variable.bytes);
        }
        layout.symbols[variable.name] = symbol;
        break;
      }
      case ptx::Space::kGlobal:
      case ptx::Space::kConst: {
        bool is_new = false;
        const std::uint64_t address =
            memory_.variable(layout.function->name + "." + variable.name, variable.bytes, is_new);
        layout.symbols[variable.name] = {
            variable.space == ptx::Space::kConst ? Symbol::Kind::kConst : Symbol::Kind::kGlobal, address, 0,
            variable.bytes};
        if (!is_new) break;
        if (auto done = initialise(variable, address); !done) return done;
        break;
      }
      default:
        break;
    }
  }
  if (out.local_bytes > (512u << 10))
    return fail(ErrorCode::kMachine,
                fmt::format("{} needs {} bytes of local memory a thread", out.name, out.local_bytes),
                "a thread has at most 512 KiB");
  return {};
}

}  // namespace gpuprobe::simt
