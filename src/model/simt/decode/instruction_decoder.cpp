#include "model/simt/decode/instruction_decoder.h"

#include <array>
#include <bit>
#include <utility>

#include <fmt/format.h>

namespace gpuprobe::simt {
namespace {

using Kind = ptx::Operand::Kind;

constexpr std::array<std::pair<std::string_view, Special>, 37> kSpecials = {{
    {"%tid.x", Special::kTidX},
    {"%tid.y", Special::kTidY},
    {"%tid.z", Special::kTidZ},
    {"%ntid.x", Special::kNtidX},
    {"%ntid.y", Special::kNtidY},
    {"%ntid.z", Special::kNtidZ},
    {"%ctaid.x", Special::kCtaidX},
    {"%ctaid.y", Special::kCtaidY},
    {"%ctaid.z", Special::kCtaidZ},
    {"%nctaid.x", Special::kNctaidX},
    {"%nctaid.y", Special::kNctaidY},
    {"%nctaid.z", Special::kNctaidZ},
    {"%laneid", Special::kLaneId},
    {"%warpid", Special::kWarpId},
    {"%nwarpid", Special::kNwarpId},
    {"%smid", Special::kSmId},
    {"%nsmid", Special::kNsmId},
    {"%gridid", Special::kGridId},
    {"%lanemask_eq", Special::kLanemaskEq},
    {"%lanemask_le", Special::kLanemaskLe},
    {"%lanemask_lt", Special::kLanemaskLt},
    {"%lanemask_ge", Special::kLanemaskGe},
    {"%lanemask_gt", Special::kLanemaskGt},
    {"%dynamic_smem_size", Special::kDynamicSmemSize},
    {"%total_smem_size", Special::kTotalSmemSize},
    // Every block is a cluster of its own.
    {"%is_explicit_cluster", Special::kZero},
    {"%cluster_ctarank", Special::kZero},
    {"%cluster_ctaid.x", Special::kZero},
    {"%cluster_ctaid.y", Special::kZero},
    {"%cluster_ctaid.z", Special::kZero},
    {"%cluster_nctaid.x", Special::kOne},
    {"%cluster_nctaid.y", Special::kOne},
    {"%cluster_nctaid.z", Special::kOne},
    {"%cluster_nctarank", Special::kOne},
    {"%clusterid.x", Special::kCtaidX},
    {"%clusterid.y", Special::kCtaidY},
    {"%clusterid.z", Special::kCtaidZ},
}};

std::optional<Special> special_from_name(std::string_view name) {
  for (const auto& [known, special] : kSpecials)
    if (known == name) return special;
  if (name == "%nclusterid.x") return Special::kNctaidX;
  if (name == "%nclusterid.y") return Special::kNctaidY;
  if (name == "%nclusterid.z") return Special::kNctaidZ;
  return std::nullopt;
}

}  // namespace

InstructionDecoder::InstructionDecoder(Decoder& decoder, const FunctionLayout& layout, int index)
    : decoder_(decoder),
      layout_(layout),
      instruction_(layout.function->body[static_cast<std::size_t>(index)]),
      index_(index),
      taken_(instruction_.modifiers.size(), false) {}

bool InstructionDecoder::decode() {
  if (instruction_.guard >= 0) {
    const RegisterSlot& guard = layout_.registers[static_cast<std::size_t>(instruction_.guard)];
    op_.guard = guard.offset;
    op_.guard_negated = instruction_.guard_negated;
  }
  // Each group says false with an empty problem when the instruction is not its own.
  using Group = bool (InstructionDecoder::*)();
  static constexpr Group kGroups[] = {
      &InstructionDecoder::decode_load,    &InstructionDecoder::decode_store,
      &InstructionDecoder::decode_move,    &InstructionDecoder::decode_integer,
      &InstructionDecoder::decode_compare, &InstructionDecoder::decode_select,
      &InstructionDecoder::decode_convert, &InstructionDecoder::decode_address_conversion,
      &InstructionDecoder::decode_control, &InstructionDecoder::decode_barrier,
      &InstructionDecoder::decode_warp_op, &InstructionDecoder::decode_atomic,
      &InstructionDecoder::decode_async,   &InstructionDecoder::decode_mbarrier,
      &InstructionDecoder::decode_matrix,  &InstructionDecoder::decode_ignored,
  };
  for (const Group group : kGroups) {
    if ((this->*group)()) return problem_.empty() && finish();
    if (!problem_.empty()) return false;
  }
  return fail("the instruction is not supported");
}

bool InstructionDecoder::finish() {
  for (std::size_t i = 0; i < taken_.size(); ++i)
    if (!taken_[i]) return fail(fmt::format("the modifier .{} is not supported", instruction_.modifiers[i]));
  const bool needs_handler =
      op_.flow == FlowKind::kPlain || op_.flow == FlowKind::kMemory || op_.flow == FlowKind::kWarpSync;
  if (needs_handler && op_.run == nullptr) return fail("this form of the instruction is not supported");
  return true;
}

bool InstructionDecoder::fail(std::string why) {
  if (problem_.empty()) problem_ = std::move(why);
  return false;
}

bool InstructionDecoder::take(std::string_view modifier) {
  for (std::size_t i = 0; i < taken_.size(); ++i)
    if (!taken_[i] && instruction_.modifiers[i] == modifier) {
      taken_[i] = true;
      return true;
    }
  return false;
}

bool InstructionDecoder::take_any(std::initializer_list<std::string_view> modifiers) {
  bool any = false;
  for (const std::string_view modifier : modifiers) any |= take(modifier);
  return any;
}

std::string_view InstructionDecoder::take_one_of(std::initializer_list<std::string_view> modifiers) {
  for (const std::string_view modifier : modifiers)
    if (take(modifier)) return modifier;
  return {};
}

bool InstructionDecoder::has(std::string_view modifier) const {
  for (const std::string& own : instruction_.modifiers)
    if (own == modifier) return true;
  return false;
}

std::optional<Type> InstructionDecoder::take_type() {
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    if (taken_[i]) continue;
    if (const auto type = type_from_modifier(instruction_.modifiers[i])) {
      taken_[i] = true;
      return type;
    }
  }
  return std::nullopt;
}

std::optional<Rounding> InstructionDecoder::take_rounding() {
  if (take("rn")) return Rounding::kNearest;
  if (take("rz")) return Rounding::kZero;
  if (take("rm")) return Rounding::kDown;
  if (take("rp")) return Rounding::kUp;
  return std::nullopt;
}

const ptx::Operand& InstructionDecoder::operand(std::size_t i) const {
  static const ptx::Operand kNone;
  return i < instruction_.operands.size() ? instruction_.operands[i] : kNone;
}

bool InstructionDecoder::expect_operands(std::size_t least, std::size_t most) {
  if (operand_count() >= least && operand_count() <= most) return true;
  return fail(fmt::format("{} operands are not supported here", operand_count()));
}

const RegisterSlot* InstructionDecoder::slot_of(const ptx::Operand& operand) {
  if (operand.kind != Kind::kRegister || operand.reg < 0 ||
      static_cast<std::size_t>(operand.reg) >= layout_.registers.size())
    return nullptr;
  return &layout_.registers[static_cast<std::size_t>(operand.reg)];
}

std::uint32_t InstructionDecoder::register_bytes(const ptx::Operand& operand) {
  const RegisterSlot* slot = slot_of(operand);
  return slot == nullptr ? 0 : slot->bytes;
}

std::uint32_t InstructionDecoder::symbol_source(const ptx::Operand& operand, Type type) {
  const Symbol symbol = decoder_.find_symbol(layout_, operand.symbol);
  std::uint64_t address = symbol.address + static_cast<std::uint64_t>(operand.offset);
  switch (symbol.kind) {
    case Symbol::Kind::kNone:
      fail(fmt::format("'{}' is not defined", operand.symbol));
      return 0;
    case Symbol::Kind::kLocal:
      fail("the address of a local variable is only supported in mov");
      return 0;
    case Symbol::Kind::kColumns:
      fail("the address of a call parameter is not supported");
      return 0;
    case Symbol::Kind::kShared:
      if (symbol.bytes == 0) address += decoder_.image().dynamic_shared_begin;
      break;
    default:
      break;
  }
  return bytes_of(type) == 8 ? decoder_.constant_pair(address)
                             : decoder_.constant_word(static_cast<std::uint32_t>(address));
}

std::uint32_t InstructionDecoder::source(const ptx::Operand& operand, Type type) {
  const std::uint32_t bytes = bytes_of(type);
  switch (operand.kind) {
    case Kind::kRegister: {
      const RegisterSlot* slot = slot_of(operand);
      const bool fits =
          slot != nullptr && (type == Type::kPred ? slot->bytes == 1 : slot->bytes == std::max(bytes, 2u));
      if (!fits) fail("an operand's register does not fit the instruction's type");
      return slot == nullptr ? 0 : slot->offset;
    }
    case Kind::kInteger: {
      auto value = static_cast<std::uint64_t>(operand.integer);
      if (type == Type::kPred) return decoder_.constant_word(value != 0 ? kAllLanes : 0);
      if (type == Type::kF32) value = std::bit_cast<std::uint32_t>(static_cast<float>(operand.integer));
      if (type == Type::kF64) value = std::bit_cast<std::uint64_t>(static_cast<double>(operand.integer));
      if (bytes == 8) return decoder_.constant_pair(value);
      return decoder_.constant_word(bytes == 4 ? static_cast<std::uint32_t>(value)
                                               : static_cast<std::uint16_t>(value));
    }
    case Kind::kFloat32: {
      const auto bits = static_cast<std::uint32_t>(operand.integer);
      if (type == Type::kF64)
        return decoder_.constant_pair(std::bit_cast<std::uint64_t>(double{std::bit_cast<float>(bits)}));
      if (bytes != 4) fail("a 32-bit float literal does not fit the instruction's type");
      return decoder_.constant_word(bits);
    }
    case Kind::kFloat64: {
      const auto bits = static_cast<std::uint64_t>(operand.integer);
      if (type == Type::kF32)
        return decoder_.constant_word(
            std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits))));
      if (bytes != 8) fail("a 64-bit float literal does not fit the instruction's type");
      return decoder_.constant_pair(bits);
    }
    case Kind::kSpecial: {
      const auto special = special_from_name(operand.symbol);
      if (!special) {
        fail(fmt::format("the special register {} is not supported here", operand.symbol));
        return 0;
      }
      return decoder_.special(*special, bytes == 8);
    }
    case Kind::kSymbol:
      return symbol_source(operand, type);
    default:
      fail("an operand of this kind is not supported here");
      return 0;
  }
}

std::uint32_t InstructionDecoder::target(const ptx::Operand& operand, Type type) {
  if (operand.kind == Kind::kSink) return kNoSlot;
  if (operand.kind != Kind::kRegister) {
    fail("the destination is not a register");
    return 0;
  }
  return source(operand, type);
}

std::uint32_t InstructionDecoder::predicate_target(std::size_t i) {
  return target(operand(i), Type::kPred);
}

std::uint32_t InstructionDecoder::predicate_source(std::size_t i, OpFlag negated) {
  if (operand(i).negated) op_.flags |= negated;
  return source(operand(i), Type::kPred);
}

std::uint32_t InstructionDecoder::loose_source(const ptx::Operand& operand, Type type, std::uint32_t& bytes) {
  bytes = bytes_of(type) == 8 ? 8 : 4;
  const RegisterSlot* slot = slot_of(operand);
  if (slot == nullptr) return source(operand, type);
  if (slot->bytes == 1 || slot->bytes > 8 || slot->bytes < bytes_of(type)) {
    fail("an operand's register does not fit the instruction's type");
    return 0;
  }
  bytes = slot->bytes == 8 ? 8 : 4;
  return slot->offset;
}

bool InstructionDecoder::plain(Handler handler, std::size_t sources, Type result,
                               std::initializer_list<Type> types) {
  if (!expect_operands(sources + 1, sources + 1)) return false;
  op_.run = handler;
  op_.dst = target(0, result);
  std::uint32_t* slots[] = {&op_.a, &op_.b, &op_.c, &op_.extra};
  std::size_t i = 0;
  for (const Type type : types) {
    *slots[i] = source(i + 1, type);
    ++i;
  }
  if (op_.dst == kNoSlot) return fail("the result has no destination");
  return problem_.empty();
}

}  // namespace gpuprobe::simt
