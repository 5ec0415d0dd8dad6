// atom, red and cp.async.
#include <algorithm>

#include "model/simt/decode/instruction_decoder.h"
#include "model/simt/memory.h"
#include "model/simt/misc_ops.h"

namespace gpuprobe::simt {
namespace {

struct AtomicRow {
  std::string_view name;
  AtomicOp op;
};

constexpr AtomicRow kAtomics[] = {
    {"add", AtomicOp::kAdd}, {"min", AtomicOp::kMin},       {"max", AtomicOp::kMax}, {"inc", AtomicOp::kInc},
    {"dec", AtomicOp::kDec}, {"exch", AtomicOp::kExchange}, {"cas", AtomicOp::kCas}, {"and", AtomicOp::kAnd},
    {"or", AtomicOp::kOr},   {"xor", AtomicOp::kXor},
};

bool is_supported(AtomicOp op, Type type) {
  switch (op) {
    case AtomicOp::kAdd:
      return type == Type::kU32 || type == Type::kS32 || type == Type::kU64 || type == Type::kS64 ||
             is_float(type);
    case AtomicOp::kMin:
    case AtomicOp::kMax:
      return type == Type::kU32 || type == Type::kS32 || type == Type::kU64 || type == Type::kS64 ||
             (is_float(type) && bytes_of(type) <= 4);
    case AtomicOp::kInc:
    case AtomicOp::kDec:
      return type == Type::kU32;
    case AtomicOp::kCas:
      return type == Type::kB16 || type == Type::kB32 || type == Type::kB64 || type == Type::kU32 ||
             type == Type::kU64 || type == Type::kS32;
    default:
      return !is_float(type) && (bytes_of(type) == 4 || bytes_of(type) == 8);
  }
}

}  // namespace

bool InstructionDecoder::decode_atomic() {
  const bool is_reduction = instruction_.opcode == "red";
  if (!is_reduction && instruction_.opcode != "atom") return false;
  if (has("async")) return fail("asynchronous reductions are not supported");
  MemoryOp memory;
  memory.op = is_reduction ? AccessOp::kReduction : AccessOp::kAtomic;
  memory.result.fill(kNoSlot);
  const bool both = take_any({"acq_rel", "seq_cst"});
  memory.no_ftz = take("noftz");
  bool known = false;
  for (const AtomicRow& row : kAtomics)
    if (!known && take(row.name)) {
      memory.atomic = row.op;
      known = true;
    }
  const bool policy = take("L2::cache_hint");
  if (!known || !decode_memory_modifiers(memory))
    return fail("this form of the instruction is not supported");
  if (!is_supported(memory.atomic, memory.type)) return fail("this operation on this type is not supported");
  memory.order.strong = true;  // .relaxed is the default
  if (both) memory.order = {true, true, true};
  memory.sign_extend = false;
  const bool cas = memory.atomic == AtomicOp::kCas;
  const std::size_t first = is_reduction ? 0 : 1;
  const std::size_t count = first + (cas ? 3 : 2);
  if (!expect_operands(count, count + (policy ? 1 : 0)) || !decode_address(operand(first), memory))
    return false;
  if (cas && memory.elements == 1) memory.compare = source(first + 1, memory.type);
  if (!decode_data(operand(first + (cas ? 2 : 1)), memory, false)) return false;
  memory.register_bytes = memory.element_bytes == 8 ? 8 : 4;
  if (!is_reduction) {
    const ptx::Operand& destination = operand(0);
    if (memory.elements == 1) {
      memory.result[0] = target(destination, memory.type);
    } else {
      if (destination.elements.size() != memory.elements)
        return fail("the number of destinations is not that of the vector");
      for (std::size_t i = 0; i < destination.elements.size(); ++i)
        memory.result[i] = target(destination.elements[i], memory.type);
    }
  }
  op_.flow = FlowKind::kMemory;
  op_.run = atomic_general;
  op_.memory = &decoder_.image().memory_ops.emplace_back(memory);
  return problem_.empty();
}

bool InstructionDecoder::decode_async() {
  if (instruction_.opcode != "cp" || !take("async")) return false;
  if (has("bulk")) return fail("bulk copies (TMA) are not supported");
  if (has("mbarrier")) return decode_copy_arrival();
  // Copies are done when they are issued, so there is nothing to commit or to wait for.
  if (take_any({"commit_group", "wait_group", "wait_all"})) {
    op_.run = no_operation;
    return true;
  }
  take_any({"ca", "cg"});
  take_any({"L2::64B", "L2::128B", "L2::256B"});
  const bool policy = take("L2::cache_hint");
  if (!take_any({"shared", "shared::cta", "shared::cluster"}) || !take("global"))
    return fail("this form of the instruction is not supported");
  if (!expect_operands(3, policy ? 5 : 4) || operand(2).kind != ptx::Operand::Kind::kInteger)
    return fail("this form of the instruction is not supported");
  MemoryOp destination;
  destination.window = Window::kShared;
  if (!decode_address(operand(0), destination)) return false;
  MemoryOp memory;
  memory.op = AccessOp::kAsyncCopy;
  memory.window = Window::kGlobal;
  if (!decode_address(operand(1), memory)) return false;
  memory.destination = destination.address;
  memory.destination_64 = destination.address_64;
  memory.destination_offset = destination.offset;
  const std::int64_t bytes = operand(2).integer;
  if (bytes != 4 && bytes != 8 && bytes != 16) return fail("a copy has 4, 8 or 16 bytes");
  memory.element_bytes = static_cast<std::uint8_t>(bytes);
  const bool has_size = operand_count() == (policy ? 5u : 4u);
  if (has_size) {
    const ptx::Operand& size = operand(3);
    const RegisterSlot* slot = slot_of(size);
    if (slot != nullptr && slot->bytes == 1) {
      memory.ignore_source = slot->offset;
      memory.ignore_source_negated = size.negated;
    } else {
      memory.source_bytes = source(size, Type::kU32);
    }
  }
  op_.flow = FlowKind::kMemory;
  op_.run = async_copy;
  op_.memory = &decoder_.image().memory_ops.emplace_back(memory);
  return problem_.empty();
}

}  // namespace gpuprobe::simt
