// mov in all its forms, and conversions between address spaces.
#include "model/simt/decode/instruction_decoder.h"
#include "model/simt/misc_ops.h"

namespace gpuprobe::simt {

using Kind = ptx::Operand::Kind;

bool InstructionDecoder::decode_move_value(Type type) {
  const ptx::Operand& from = operand(1);
  if (from.kind == Kind::kSpecial && decode_machine_register(from.symbol, type)) return true;
  if (!problem_.empty()) return false;
  if (from.kind == Kind::kSymbol) {
    const Symbol symbol = decoder_.find_symbol(layout_, from.symbol);
    if (symbol.kind == Symbol::Kind::kLocal) {
      // Where the function's local variables start differs from lane to lane in a recursion.
      op_.dst = target(0, type);
      op_.a = decoder_.image().functions[static_cast<std::size_t>(layout_.index)].local_base;
      op_.immediate = symbol.address + static_cast<std::uint64_t>(from.offset);
      op_.run = bytes_of(type) == 8 ? local_address<std::uint64_t> : local_address<std::uint32_t>;
      return true;
    }
  }
  op_.dst = target(0, type);
  op_.a = source(1, type);
  op_.run = type == Type::kB128 ? move_128 : lane_functions().integer(IntegerOp::kMove, type);
  return problem_.empty();
}

/// Registers whose value is made when they are read.
bool InstructionDecoder::decode_machine_register(std::string_view name, Type type) {
  const bool wide = bytes_of(type) == 8;
  if (name == "%clock" || name == "%clock_hi" || name == "%clock64" || name == "%globaltimer" ||
      name == "%globaltimer_lo" || name == "%globaltimer_hi") {
    op_.mode = name.ends_with("_hi") ? 1 : 0;
    op_.run = wide ? read_clock<std::uint64_t> : read_clock<std::uint32_t>;
  } else {
    return false;
  }
  op_.dst = target(0, type);
  return true;
}

bool InstructionDecoder::decode_move_vector() {
  const auto type = take_type();
  if (!type || !expect_operands(2, 2)) return fail("this form of the instruction is not supported");
  const bool packs = operand(1).kind == Kind::kVector;
  const ptx::Operand& vector = operand(packs ? 1 : 0);
  const ptx::Operand& scalar = operand(packs ? 0 : 1);
  if (scalar.kind == Kind::kVector) {
    return fail("a move from vector to vector is not supported");
  }
  const std::size_t count = vector.elements.size();
  const std::uint32_t bytes = bytes_of(*type);
  if (count < 2 || count > 4 || bytes % count != 0)
    return fail("this form of the instruction is not supported");
  const auto element_bytes = static_cast<std::uint32_t>(bytes / count);
  const Type element =
      element_bytes == 8 ? Type::kB64
                         : (element_bytes == 4 ? Type::kB32 : (element_bytes == 2 ? Type::kB16 : Type::kB8));
  auto& slots = decoder_.image().slot_lists.emplace_back();
  for (const ptx::Operand& part : vector.elements)
    slots.push_back(packs ? source(part, element) : target(part, element));
  op_.slots = &slots;
  op_.mode = static_cast<std::uint8_t>(element_bytes);
  op_.extra = bytes;
  if (packs) {
    op_.dst = target(scalar, *type);
    op_.run = pack;
  } else {
    op_.a = source(scalar, *type);
    op_.run = unpack;
  }
  return problem_.empty();
}

bool InstructionDecoder::decode_address_conversion() {
  const std::string& opcode = instruction_.opcode;
  if (opcode == "cvta") {
    const bool to_space = take("to");
    const std::string_view space = take_one_of(
        {"global", "shared", "shared::cta", "shared::cluster", "local", "const", "param", "param::entry"});
    const auto type = take_type();
    if (space.empty() || !type || !expect_operands(2, 2))
      return fail("this form of the instruction is not supported");
    std::uint64_t window = 0;
    if (space.starts_with("shared")) window = kSharedWindow;
    if (space == "local") window = kLocalWindow;
    if (space.starts_with("param")) window = kParamWindow;
    op_.dst = target(0, *type);
    if (bytes_of(*type) != 8) return fail("32-bit generic addresses are not supported");
    const bool is_local_symbol =
        operand(1).kind == Kind::kSymbol &&
        decoder_.find_symbol(layout_, operand(1).symbol).kind == Symbol::Kind::kLocal;
    if (is_local_symbol) {
      op_.a = decoder_.image().functions[static_cast<std::size_t>(layout_.index)].local_base;
      op_.immediate = decoder_.find_symbol(layout_, operand(1).symbol).address + (to_space ? 0 : window);
      op_.run = local_address<std::uint64_t>;
      return true;
    }
    op_.a = source(1, *type);
    op_.immediate = to_space ? ~window + 1 : window;
    op_.run = window == 0 ? lane_functions().integer(IntegerOp::kMove, Type::kB64) : add_immediate;
    return problem_.empty();
  }
  if (opcode == "isspacep") {
    const std::string_view space = take_one_of(
        {"global", "shared", "shared::cta", "shared::cluster", "local", "const", "param", "param::entry"});
    if (space.empty() || !expect_operands(2, 2)) return fail("this form of the instruction is not supported");
    op_.dst = predicate_target(0);
    op_.a = source(1, Type::kB64);
    op_.immediate = 0;
    if (space.starts_with("shared")) op_.immediate = kSharedWindow;
    if (space == "local") op_.immediate = kLocalWindow;
    if (space.starts_with("param")) op_.immediate = kParamWindow;
    op_.mode = space == "const" ? 1 : 0;
    op_.run = is_space;
    return problem_.empty();
  }
  if (opcode == "mapa") {
    // The only block of its cluster: every rank is itself.
    take("shared::cluster");
    const auto type = take_type();
    if (!type || !expect_operands(3, 3)) return fail("this form of the instruction is not supported");
    op_.dst = target(0, *type);
    op_.a = source(1, *type);
    op_.run = lane_functions().integer(IntegerOp::kMove, *type);
    return problem_.empty();
  }
  return false;
}

}  // namespace gpuprobe::simt
