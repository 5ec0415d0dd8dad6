// Decodes one instruction. The part for each class of instructions takes the modifiers and operands that it
// knows; what it leaves over makes the instruction unsupported.
//
//   InstructionDecoder d(decoder, layout, index);
//   if (!d.decode()) report(d.problem());
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "model/simt/decode/decoder.h"

namespace gpuprobe::simt {

class InstructionDecoder {
 public:
  InstructionDecoder(Decoder& decoder, const FunctionLayout& layout, int index);

  /// False: not supported, see problem().
  bool decode();
  const MicroOp& op() const { return op_; }
  const std::string& problem() const { return problem_; }

 private:
  // Modifiers: each is taken once; the rest are left over.
  bool take(std::string_view modifier);
  bool take_any(std::initializer_list<std::string_view> modifiers);
  std::string_view take_one_of(std::initializer_list<std::string_view> modifiers);
  std::optional<Type> take_type();
  std::optional<Rounding> take_rounding();  ///< rn rz rm rp
  bool has(std::string_view modifier) const;
  bool fail(std::string why);

  // Operands.
  std::size_t operand_count() const { return instruction_.operands.size(); }
  const ptx::Operand& operand(std::size_t i) const;
  bool expect_operands(std::size_t least, std::size_t most);
  /// Slot of a source of the given type; immediates, special registers and symbols become constants.
  std::uint32_t source(const ptx::Operand& operand, Type type);
  std::uint32_t source(std::size_t i, Type type) { return source(operand(i), type); }
  /// Slot of a register that is written; `_` gives kNoSlot.
  std::uint32_t target(const ptx::Operand& operand, Type type);
  std::uint32_t target(std::size_t i, Type type) { return target(operand(i), type); }
  std::uint32_t predicate_target(std::size_t i);
  std::uint32_t predicate_source(std::size_t i, OpFlag negated);
  std::uint32_t symbol_source(const ptx::Operand& operand, Type type);
  const RegisterSlot* slot_of(const ptx::Operand& operand);
  std::uint32_t register_bytes(const ptx::Operand& operand);
  /// Any source of up to 64 bits, with the size of its register.
  std::uint32_t loose_source(const ptx::Operand& operand, Type type, std::uint32_t& bytes);
  bool finish();
  bool plain(Handler handler, std::size_t sources, Type result, std::initializer_list<Type> types);

  // One file for each group.
  bool decode_integer();
  bool decode_arithmetic(std::string_view opcode);
  bool decode_multiply();
  bool decode_bits();
  bool decode_logic();
  bool decode_predicate_logic();
  bool decode_extended();
  bool decode_dot();
  bool decode_float(Type type);
  bool decode_compare();
  bool decode_select();
  bool decode_move();
  bool decode_move_value(Type type);
  bool decode_move_vector();
  bool decode_machine_register(std::string_view name, Type type);
  bool decode_address_conversion();
  bool decode_convert();
  bool decode_load();
  bool decode_store();
  bool decode_memory_modifiers(MemoryOp& memory);
  bool decode_address(const ptx::Operand& operand, MemoryOp& memory);
  bool decode_data(const ptx::Operand& operand, MemoryOp& memory, bool is_target);
  bool decode_parameter_access(const ptx::Operand& address, MemoryOp& memory, bool is_load);
  bool decode_atomic();
  bool decode_async();
  bool decode_mbarrier();
  /// The object at operand `address` and the value behind it; `what` is a MbarrierOp.
  bool decode_mbarrier_object(std::size_t address, std::uint8_t what);
  bool decode_copy_arrival();
  bool decode_ignored();
  bool decode_control();
  bool decode_branch();
  bool decode_call();
  bool decode_barrier();
  bool decode_warp_op();
  bool decode_matrix();
  bool decode_multiply_matrix();
  bool decode_move_matrix_memory();

  Decoder& decoder_;
  const FunctionLayout& layout_;
  const ptx::Instruction& instruction_;
  int index_;
  MicroOp op_;
  std::vector<bool> taken_;
  std::string problem_;
};

}  // namespace gpuprobe::simt
