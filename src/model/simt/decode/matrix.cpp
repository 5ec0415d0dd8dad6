// Matrix instructions: mma.sync, ldmatrix, stmatrix, movmatrix.
#include <algorithm>

#include "model/simt/decode/instruction_decoder.h"
#include "model/simt/matrix_ops.h"

namespace gpuprobe::simt {

using Kind = ptx::Operand::Kind;

namespace {

struct MatrixShape {
  std::string_view name;
  std::uint16_t rows, columns, depth;
};

constexpr MatrixShape kShapes[] = {
    {"m16n8k4", 16, 8, 4},   {"m16n8k8", 16, 8, 8}, {"m16n8k16", 16, 8, 16},
    {"m16n8k32", 16, 8, 32}, {"m8n8k4", 8, 8, 4},   {"m8n8k16", 8, 8, 16},
};

/// Does the hardware have this shape for elements of this type?
bool shape_fits(const MatrixOp& matrix) {
  const int depth = matrix.depth;
  switch (matrix.a) {
    case Type::kF16:
    case Type::kBf16:
      return matrix.rows == 16 && (depth == 8 || depth == 16);
    case Type::kTf32:
      return matrix.rows == 16 && (depth == 4 || depth == 8);
    case Type::kF64:
      return matrix.rows == 16 ? depth <= 16 : depth == 4;
    case Type::kS8:
    case Type::kU8:
      return matrix.rows == 16 ? depth >= 16 : depth == 16;
    case Type::kE4m3x2:
    case Type::kE5m2x2:
      return matrix.rows == 16 && depth == 32;
    default:
      return false;
  }
}

std::optional<Type> matrix_type(std::string_view name) {
  if (name == "e4m3") return Type::kE4m3x2;
  if (name == "e5m2") return Type::kE5m2x2;
  return type_from_modifier(name);
}

}  // namespace

bool InstructionDecoder::decode_multiply_matrix() {
  MatrixOp matrix;
  if (!take("sync")) return fail("this form of the instruction is not supported");
  take("aligned");
  bool known = false;
  for (const MatrixShape& shape : kShapes)
    if (!known && take(shape.name)) {
      matrix.rows = shape.rows;
      matrix.columns = shape.columns;
      matrix.depth = shape.depth;
      known = true;
    }
  if (!known) return fail("this matrix shape is not supported");
  if (!take("row") || !take("col")) return fail("only row.col matrices are supported");
  matrix.saturate = take("satfinite");
  std::vector<Type> types;
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    if (taken_[i]) continue;
    const auto type = matrix_type(instruction_.modifiers[i]);
    if (!type) return fail("the modifier ." + instruction_.modifiers[i] + " is not supported");
    taken_[i] = true;
    types.push_back(*type);
  }
  if (types.size() != 4 || !expect_operands(4, 4))
    return fail("this form of the instruction is not supported");
  matrix.d = types[0];
  matrix.a = types[1];
  matrix.b = types[2];
  matrix.c = types[3];
  if (!shape_fits(matrix)) return fail("this matrix shape is not supported for these types");

  const bool is_double = matrix.a == Type::kF64;
  const bool is_integer = matrix.a == Type::kS8 || matrix.a == Type::kU8;
  const bool half_result = matrix.c == Type::kF16 && matrix.d == Type::kF16 && matrix.a != Type::kBf16 &&
                           matrix.a != Type::kTf32 && !is_integer && !is_double;
  const Type result = is_double ? Type::kF64 : (is_integer ? Type::kS32 : Type::kF32);
  if (!half_result && (matrix.c != result || matrix.d != result))
    return fail("these accumulators are not supported");
  const bool same = matrix.a == matrix.b ||
                    (is_integer && (matrix.b == Type::kS8 || matrix.b == Type::kU8)) ||
                    (matrix.a >= Type::kE4m3x2 && matrix.b >= Type::kE4m3x2);
  if (!same) return fail("these operand types are not supported together");

  const std::size_t in_word =
      is_double || matrix.a == Type::kTf32 ? 1 : (matrix.a == Type::kF16 || matrix.a == Type::kBf16 ? 2 : 4);
  const std::size_t a_count = std::size_t{matrix.rows} * matrix.depth / kLanes / in_word;
  const std::size_t b_count = std::size_t{matrix.columns} * matrix.depth / kLanes / in_word;
  const std::size_t c_count = std::size_t{matrix.rows} * matrix.columns / kLanes / (half_result ? 2 : 1);
  const Type word = is_double ? Type::kF64 : Type::kB32;
  const auto slots = [&](std::size_t i, std::size_t count, std::vector<std::uint32_t>& out, bool is_target) {
    const ptx::Operand& list = operand(i);
    // A fragment of one register may stand without braces.
    const std::vector<ptx::Operand> single = {list};
    const auto& elements = list.kind == Kind::kVector ? list.elements : single;
    if (elements.size() != count) return fail("a fragment has the wrong number of registers");
    for (const ptx::Operand& element : elements) {
      out.push_back(is_target ? target(element, word) : source(element, word));
      if (out.back() == kNoSlot) return fail("a fragment without a register is not supported");
    }
    return problem_.empty();
  };
  if (!slots(0, c_count, matrix.d_slots, true) || !slots(1, a_count, matrix.a_slots, false) ||
      !slots(2, b_count, matrix.b_slots, false) || !slots(3, c_count, matrix.c_slots, false))
    return false;
  op_.run = is_double ? multiply_double : (is_integer ? multiply_integer : multiply_float);
  op_.matrix = &decoder_.image().matrix_ops.emplace_back(std::move(matrix));
  return true;
}

bool InstructionDecoder::decode_move_matrix_memory() {
  const bool is_load = instruction_.opcode == "ldmatrix";
  MemoryOp memory;
  memory.op = is_load ? AccessOp::kMatrixLoad : AccessOp::kMatrixStore;
  if (!take("sync") || !take("m8n8")) return fail("only matrices of 8 x 8 16-bit elements are supported");
  take("aligned");
  const std::string_view count = take_one_of({"x1", "x2", "x4"});
  memory.transposed = take("trans");
  const bool shared = take_any({"shared", "shared::cta"});
  if (count.empty() || !take("b16") || !expect_operands(2, 2))
    return fail("only matrices of 8 x 8 16-bit elements are supported");
  memory.elements = static_cast<std::uint8_t>(count[1] - '0');
  memory.element_bytes = 4;
  memory.window = shared ? Window::kShared : Window::kGeneric;
  if (!decode_address(operand(is_load ? 1 : 0), memory)) return false;
  const ptx::Operand& data = operand(is_load ? 0 : 1);
  const std::vector<ptx::Operand> single = {data};
  const auto& elements = data.kind == Kind::kVector ? data.elements : single;
  if (elements.size() != memory.elements) return fail("the number of registers is not that of the matrices");
  for (std::size_t i = 0; i < elements.size(); ++i) {
    memory.data[i] = is_load ? target(elements[i], Type::kB32) : source(elements[i], Type::kB32);
    if (memory.data[i] == kNoSlot) return fail("a matrix without a register is not supported");
  }
  op_.run = is_load ? load_matrix : store_matrix;
  op_.memory = &decoder_.image().memory_ops.emplace_back(memory);
  return problem_.empty();
}

bool InstructionDecoder::decode_matrix() {
  const std::string& opcode = instruction_.opcode;
  const bool is_memory = opcode == "ldmatrix" || opcode == "stmatrix";
  if (opcode != "mma" && opcode != "movmatrix" && !is_memory) return false;
  // All lanes of the warp meet at the instruction.
  op_.flow = FlowKind::kWarpSync;
  op_.members = decoder_.constant_word(kAllLanes);
  if (opcode == "mma") return decode_multiply_matrix();
  if (is_memory) return decode_move_matrix_memory();
  if (!take("sync") || !take("m8n8") || !take("trans") || !take("b16"))
    return fail("this form of the instruction is not supported");
  take("aligned");
  return plain(move_matrix, 1, Type::kB32, {Type::kB32});
}

}  // namespace gpuprobe::simt
