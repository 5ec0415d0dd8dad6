// ld, st and what goes with them.
#include <algorithm>

#include "model/simt/decode/instruction_decoder.h"
#include "model/simt/memory.h"
#include "model/simt/misc_ops.h"

namespace gpuprobe::simt {

using Kind = ptx::Operand::Kind;

/// Space, ordering, caching, vector length and type.
bool InstructionDecoder::decode_memory_modifiers(MemoryOp& memory) {
  // A flag of another block is seen when it is set: these accesses are single and in order.
  if (take("acquire")) memory.order = {true, true, false};
  if (take("release")) memory.order = {true, false, true};
  if (take_any({"volatile", "relaxed", "mmio"})) memory.order.strong = true;
  take_any({"weak", "cta", "cluster", "gpu", "sys"});
  // Caching and prefetching change when data arrives, not which.
  take_any({"ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "unified"});
  take_any(
      {"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last", "L1::no_allocate"});
  take_any({"L2::evict_normal", "L2::evict_first", "L2::evict_last", "L2::64B", "L2::128B", "L2::256B"});
  const std::string_view space = take_one_of({"global", "shared", "shared::cta", "shared::cluster", "local",
                                              "const", "param", "param::entry", "param::func"});
  memory.window = Window::kGeneric;
  if (space == "global") memory.window = Window::kGlobal;
  if (space.starts_with("shared")) memory.window = Window::kShared;
  if (space == "local") memory.window = Window::kLocal;
  if (space == "const") memory.window = Window::kConst;
  if (space.starts_with("param")) memory.window = Window::kParam;
  const std::string_view vector = take_one_of({"v2", "v4", "v8"});
  memory.elements = vector == "v2" ? 2 : (vector == "v4" ? 4 : (vector == "v8" ? 8 : 1));
  const auto type = take_type();
  if (!type) return fail("an access without a type is not supported");
  memory.type = *type;
  memory.element_bytes = static_cast<std::uint8_t>(bytes_of(*type));
  memory.sign_extend = is_signed(*type);
  return true;
}

/// [register + offset], [symbol + offset], [number].
bool InstructionDecoder::decode_address(const ptx::Operand& address, MemoryOp& memory) {
  if (address.kind != Kind::kAddress || !address.elements.empty())
    return fail("this form of address is not supported");
  memory.offset = address.offset;
  if (address.reg >= 0) {
    const RegisterSlot& slot = layout_.registers[static_cast<std::size_t>(address.reg)];
    if (slot.bytes != 4 && slot.bytes != 8) return fail("the address register has neither 32 nor 64 bits");
    memory.address = slot.offset;
    memory.address_64 = slot.bytes == 8;
    if (!memory.address_64 && (memory.window == Window::kGlobal || memory.window == Window::kGeneric))
      return fail("32-bit global addresses are not supported");
    return true;
  }
  if (address.symbol.empty()) {
    memory.offset += address.integer;
    memory.address = decoder_.constant_pair(0);
    memory.address_64 = true;
    return true;
  }
  const Symbol symbol = decoder_.find_symbol(layout_, address.symbol);
  memory.offset += static_cast<std::int64_t>(symbol.address);
  memory.address_64 = true;
  memory.address = decoder_.constant_pair(0);
  switch (symbol.kind) {
    case Symbol::Kind::kGlobal:
    case Symbol::Kind::kConst:
      return true;
    case Symbol::Kind::kShared:
      if (symbol.bytes == 0) memory.offset += decoder_.image().dynamic_shared_begin;
      if (memory.window == Window::kGeneric) memory.window = Window::kShared;
      return true;
    case Symbol::Kind::kLocal:
      memory.address = decoder_.image().functions[static_cast<std::size_t>(layout_.index)].local_base;
      memory.address_64 = false;
      if (memory.window == Window::kGeneric) memory.window = Window::kLocal;
      return true;
    case Symbol::Kind::kNone:
      return fail("'" + address.symbol + "' is not defined");
    default:
      return fail("the address of '" + address.symbol + "' is not supported here");
  }
}

/// The data registers: one, or a vector of them.
bool InstructionDecoder::decode_data(const ptx::Operand& data, MemoryOp& memory, bool is_target) {
  const auto one = [&](const ptx::Operand& part, std::size_t i) {
    if (is_target && part.kind == Kind::kSink) {
      memory.data[i] = kNoSlot;
      return true;
    }
    std::uint32_t bytes = std::max<std::uint32_t>(memory.element_bytes, 2);
    if (const RegisterSlot* slot = slot_of(part)) {
      if (slot->bytes == 1 || slot->bytes < memory.element_bytes ||
          (slot->bytes == 16) != (memory.element_bytes == 16))
        return fail("a data register does not fit the access");
      bytes = slot->bytes;
      memory.data[i] = slot->offset;
    } else if (is_target) {
      return fail("the destination is not a register");
    } else {
      bytes = memory.element_bytes == 8 ? 8 : 4;
      memory.data[i] = source(part, memory.type);
    }
    // 16-bit registers are kept in 32-bit slots; what is loaded into them is cut to 16 bits.
    const std::uint32_t kept = !is_target && bytes == 2 ? 4 : bytes;
    if (i != 0 && memory.register_bytes != kept && memory.data[0] != kNoSlot)
      return fail("data registers of different sizes are not supported");
    memory.register_bytes = static_cast<std::uint8_t>(kept);
    return problem_.empty();
  };
  if (memory.elements == 1 && data.kind != Kind::kVector) return one(data, 0);
  if (data.kind != Kind::kVector || data.elements.size() != memory.elements)
    return fail("the number of data registers is not that of the vector");
  for (std::size_t i = 0; i < data.elements.size(); ++i)
    if (!one(data.elements[i], i)) return false;
  return true;
}

/// ld.param and st.param by name: kernel parameters, and the parameters of calls.
bool InstructionDecoder::decode_parameter_access(const ptx::Operand& address, MemoryOp& memory,
                                                 bool is_load) {
  const Symbol symbol = decoder_.find_symbol(layout_, address.symbol);
  const auto offset = address.offset;
  const bool inside = offset >= 0 && static_cast<std::uint64_t>(offset) + memory.width() <= symbol.bytes;
  if (!inside) return fail("the access is outside of the parameter '" + address.symbol + "'");
  if (symbol.kind == Symbol::Kind::kParameter) {
    if (!is_load) return fail("a kernel parameter cannot be stored to");
    memory.offset = static_cast<std::int64_t>(symbol.address) + offset;
    op_.run = load_parameter;
    return true;
  }
  if (symbol.kind != Symbol::Kind::kColumns) return fail("'" + address.symbol + "' is not a parameter");
  if (offset % memory.element_bytes != 0 || memory.element_bytes > 8)
    return fail("this access to a call parameter is not supported");
  memory.address = symbol.slot;
  memory.offset = offset;
  op_.run = is_load ? load_column : store_column;
  return true;
}

bool InstructionDecoder::decode_load() {
  if (instruction_.opcode != "ld" && instruction_.opcode != "ldu") return false;
  MemoryOp memory;
  memory.op = AccessOp::kLoad;
  const bool policy = take("L2::cache_hint");
  if (!decode_memory_modifiers(memory) || !expect_operands(2, policy ? 3 : 2)) return false;
  if (!decode_data(operand(0), memory, true)) return false;
  if (memory.element_bytes == 16 && memory.elements != 1)
    return fail("vectors of 128-bit elements are not supported");
  if (memory.window == Window::kParam && operand(1).reg < 0) {
    if (memory.element_bytes == 16) return fail("a 128-bit parameter is not supported");
    if (!decode_parameter_access(operand(1), memory, true)) return false;
  } else {
    if (!decode_address(operand(1), memory)) return false;
    op_.flow = FlowKind::kMemory;
    op_.run = memory.element_bytes == 16 ? nullptr : lane_functions().memory(memory);
    if (op_.run == nullptr) op_.run = load_general;
  }
  op_.memory = &decoder_.image().memory_ops.emplace_back(memory);
  return true;
}

bool InstructionDecoder::decode_store() {
  if (instruction_.opcode != "st") return false;
  if (has("async") || has("bulk")) return fail("asynchronous stores are not supported");
  MemoryOp memory;
  memory.op = AccessOp::kStore;
  const bool policy = take("L2::cache_hint");
  if (!decode_memory_modifiers(memory) || !expect_operands(2, policy ? 3 : 2)) return false;
  if (memory.element_bytes == 16 && memory.elements != 1)
    return fail("vectors of 128-bit elements are not supported");
  if (!decode_data(operand(1), memory, false)) return false;
  if (memory.window == Window::kParam && operand(0).reg < 0) {
    if (memory.element_bytes == 16) return fail("a 128-bit parameter is not supported");
    if (!decode_parameter_access(operand(0), memory, false)) return false;
  } else {
    if (memory.window == Window::kConst) return fail("constant memory cannot be stored to");
    if (!decode_address(operand(0), memory)) return false;
    op_.flow = FlowKind::kMemory;
    op_.run = memory.element_bytes == 16 ? nullptr : lane_functions().memory(memory);
    if (op_.run == nullptr) op_.run = store_general;
  }
  op_.memory = &decoder_.image().memory_ops.emplace_back(memory);
  return true;
}

/// Instructions that change nothing that the machine models.
bool InstructionDecoder::decode_ignored() {
  const std::string& opcode = instruction_.opcode;
  const bool fence = opcode == "membar" || opcode == "fence";
  const bool hint = opcode == "prefetch" || opcode == "prefetchu" || opcode == "nanosleep" ||
                    opcode == "pmevent" || opcode == "griddepcontrol" || opcode == "setmaxnreg" ||
                    opcode == "applypriority" || opcode == "discard" || opcode == "createpolicy";
  if (!fence && !hint) return false;
  if (opcode == "discard") return fail("discard makes memory undefined and is not supported");
  // The policy of createpolicy is only ever handed to accesses that ignore it.
  const bool special =
      std::any_of(instruction_.modifiers.begin(), instruction_.modifiers.end(),
                  [](const std::string& m) { return m.starts_with("proxy") || m == "mbarrier_init"; });
  if (fence && !special) op_.mode = static_cast<std::uint8_t>(has("acquire") ? 1 : (has("release") ? 2 : 3));
  for (std::size_t i = 0; i < taken_.size(); ++i) taken_[i] = true;
  op_.run = op_.mode != 0 ? report_fence : no_operation;
  return true;
}

}  // namespace gpuprobe::simt
