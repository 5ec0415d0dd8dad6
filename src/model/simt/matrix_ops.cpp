#include "model/simt/matrix_ops.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/half.h"
#include "model/simt/memory.h"

namespace gpuprobe::simt {
namespace {

constexpr std::size_t kMaxRows = 16, kMaxColumns = 8, kMaxDepth = 32;

template <class T>
struct Operands {
  T a[kMaxRows][kMaxDepth] = {};
  T b[kMaxDepth][kMaxColumns] = {};
};

double small_float(std::uint32_t bits, int exponent_bits, int mantissa_bits, bool has_infinity) {
  const std::uint32_t mantissa = bits & ((1u << mantissa_bits) - 1);
  const int field = static_cast<int>(bits >> mantissa_bits & ((1u << exponent_bits) - 1));
  const int bias = (1 << (exponent_bits - 1)) - 1;
  double value = field == 0 ? std::ldexp(mantissa, 1 - bias - mantissa_bits)
                            : std::ldexp((1u << mantissa_bits) + mantissa, field - bias - mantissa_bits);
  if (has_infinity && field == (1 << exponent_bits) - 1) value = mantissa != 0 ? NAN : INFINITY;
  if (!has_infinity && (bits & 0x7F) == 0x7F) value = NAN;
  return (bits & 0x80) != 0 ? -value : value;
}

double element_value(Type type, std::uint32_t word, int index) {
  switch (type) {
    case Type::kF16:
      return float_from_half(static_cast<std::uint16_t>(word >> (16 * index)));
    case Type::kBf16:
      return float_from_bfloat16(static_cast<std::uint16_t>(word >> (16 * index)));
    case Type::kTf32:  // the low 13 bits of the mantissa are not looked at
      return std::bit_cast<float>(word & 0xFFFFE000u);
    case Type::kE4m3x2:
      return small_float(word >> (8 * index) & 0xFF, 4, 3, false);
    case Type::kE5m2x2:
      return small_float(word >> (8 * index) & 0xFF, 5, 2, true);
    case Type::kS8:
      return static_cast<std::int8_t>(word >> (8 * index));
    default:
      return static_cast<std::uint8_t>(word >> (8 * index));
  }
}

int elements_in_word(Type type) {
  switch (type) {
    case Type::kF16:
    case Type::kBf16:
      return 2;
    case Type::kTf32:
    case Type::kF64:
      return 1;
    default:
      return 4;
  }
}

/// Calls put_a(row, column, register, element, lane) and put_b(...) for every element of the two fragments.
template <class PutA, class PutB>
void for_each_element(const MatrixOp& matrix, PutA put_a, PutB put_b) {
  const int in_a = elements_in_word(matrix.a), in_b = elements_in_word(matrix.b);
  for (int lane = 0; lane < kLanes; ++lane) {
    const int g = lane / 4, t = lane % 4;
    for (int r = 0; r < static_cast<int>(matrix.a_slots.size()); ++r) {
      // An 8-row matrix has no lower half: its registers go on along the columns.
      const int half = matrix.rows == 16 ? r % 2 : 0, step = matrix.rows == 16 ? r / 2 : r;
      for (int j = 0; j < in_a; ++j) put_a(g + 8 * half, t * in_a + j + 4 * in_a * step, r, j, lane);
    }
    for (int r = 0; r < static_cast<int>(matrix.b_slots.size()); ++r)
      for (int j = 0; j < in_b; ++j) put_b(t * in_b + j + 4 * in_b * r, g, r, j, lane);
  }
}

template <class T>
void gather_words(Warp& warp, const MatrixOp& matrix, Operands<T>& operands) {
  for_each_element(
      matrix,
      [&](int row, int column, int r, int j, int lane) {
        operands.a[row][column] = static_cast<T>(
            element_value(matrix.a, warp.words(matrix.a_slots[static_cast<std::size_t>(r)])[lane], j));
      },
      [&](int row, int column, int r, int j, int lane) {
        operands.b[row][column] = static_cast<T>(
            element_value(matrix.b, warp.words(matrix.b_slots[static_cast<std::size_t>(r)])[lane], j));
      });
}

/// Calls f(lane, i, row, column) for the elements of C and D of the lanes in `mask`.
template <class F>
void for_each_result(const MatrixOp& matrix, std::uint32_t mask, F f) {
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    for (int i = 0; i < matrix.rows / 4; ++i) f(lane, i, lane / 4 + 8 * (i / 2), 2 * (lane % 4) + i % 2);
  }
}

}  // namespace

void multiply_float(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  if (warp.phase == SyncPhase::kCollect) return;
  const MatrixOp& matrix = *op.matrix;
  Operands<float> operands;
  gather_words(warp, matrix, operands);
  // Products of these formats are exact in double, and sums nearly so: one rounding at the end. The GPU's own
  // order of additions is not documented; its result differs from this by a few units in the last place.
  double sum[kMaxRows][kMaxColumns] = {};
  for (int row = 0; row < matrix.rows; ++row)
    for (int k = 0; k < matrix.depth; ++k) {
      const double a = operands.a[row][k];
      for (std::size_t column = 0; column < kMaxColumns; ++column)
        sum[row][column] += a * operands.b[k][column];
    }
  const auto half_at = [&](std::uint32_t slot, int i, int lane) {
    return static_cast<std::uint16_t>(warp.words(slot)[lane] >> (16 * (i % 2)));
  };
  for_each_result(matrix, mask, [&](int lane, int i, int row, int column) {
    const auto index = static_cast<std::size_t>(i);
    const double c = matrix.c == Type::kF16
                         ? float_from_half(half_at(matrix.c_slots[index / 2], i, lane))
                         : double{std::bit_cast<float>(warp.words(matrix.c_slots[index])[lane])};
    sum[row][column] += c;
  });
  for_each_result(matrix, mask, [&](int lane, int i, int row, int column) {
    const auto index = static_cast<std::size_t>(i);
    const auto value = static_cast<float>(sum[row][column]);
    if (matrix.d != Type::kF16) {
      warp.words(matrix.d_slots[index])[lane] = std::bit_cast<std::uint32_t>(value);
      return;
    }
    std::uint32_t& word = warp.words(matrix.d_slots[index / 2])[lane];
    const int shift = 16 * (i % 2);
    word = (word & ~(0xFFFFu << shift)) | std::uint32_t{half_from_float(value)} << shift;
  });
}

void multiply_double(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  if (warp.phase == SyncPhase::kCollect) return;
  const MatrixOp& matrix = *op.matrix;
  Operands<double> operands;
  const auto value = [&](std::uint32_t slot, int lane) {
    return std::bit_cast<double>(warp.pairs(slot)[lane]);
  };
  for_each_element(
      matrix,
      [&](int row, int column, int r, int, int lane) {
        operands.a[row][column] = value(matrix.a_slots[static_cast<std::size_t>(r)], lane);
      },
      [&](int row, int column, int r, int, int lane) {
        operands.b[row][column] = value(matrix.b_slots[static_cast<std::size_t>(r)], lane);
      });
  for_each_result(matrix, mask, [&](int lane, int i, int row, int column) {
    double sum = value(matrix.c_slots[static_cast<std::size_t>(i)], lane);
    for (int k = 0; k < matrix.depth; ++k) sum = std::fma(operands.a[row][k], operands.b[k][column], sum);
    warp.pairs(matrix.d_slots[static_cast<std::size_t>(i)])[lane] = std::bit_cast<std::uint64_t>(sum);
  });
}

void multiply_integer(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  if (warp.phase == SyncPhase::kCollect) return;
  const MatrixOp& matrix = *op.matrix;
  Operands<std::int32_t> operands;
  gather_words(warp, matrix, operands);
  for_each_result(matrix, mask, [&](int lane, int i, int row, int column) {
    std::int64_t sum =
        static_cast<std::int32_t>(warp.words(matrix.c_slots[static_cast<std::size_t>(i)])[lane]);
    for (int k = 0; k < matrix.depth; ++k) sum += std::int64_t{operands.a[row][k]} * operands.b[k][column];
    if (matrix.saturate) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
    warp.words(matrix.d_slots[static_cast<std::size_t>(i)])[lane] = static_cast<std::uint32_t>(sum);
  });
}

namespace {

/// Resolves the row addresses of a matrix load or store, and tells the observer. False after a fault.
bool matrix_rows(Warp& warp, const MicroOp& op, std::uint32_t mask, LanePointers& rows) {
  const MemoryOp& memory = *op.memory;
  const std::uint32_t count = 8u * memory.elements;
  const std::uint32_t lanes = mask & (count == kLanes ? kAllLanes : (1u << count) - 1);
  std::uint64_t addresses[kLanes];
  for (int i = 0; i < kLanes; ++i)
    addresses[i] = memory.address_64
                       ? warp.pairs(memory.address)[i] + static_cast<std::uint64_t>(memory.offset)
                       : static_cast<std::uint32_t>(warp.words(memory.address)[i] +
                                                    static_cast<std::uint32_t>(memory.offset));
  std::fill(std::begin(rows.lane), std::end(rows.lane), nullptr);
  if (lanes == 0) return true;
  if (!resolve_lanes(warp, op, lanes, addresses, memory.window, 16, rows)) return false;
  if (rows.window != Window::kShared || rows.mask != lanes) {
    // Only shared memory holds matrices; the first lane elsewhere is the fault.
    const int lane = std::countr_zero(rows.window != Window::kShared ? rows.mask : lanes & ~rows.mask);
    warp.block->fault(warp, op, lane, Window::kShared, addresses[lane], false);
    return false;
  }
  if (warp.block->observer != nullptr) warp.block->observe(warp, op, MemorySpace::kShared, lanes);
  return true;
}

}  // namespace

void load_matrix(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  if (warp.phase == SyncPhase::kCollect) return;
  const MemoryOp& memory = *op.memory;
  LanePointers rows;
  // The rows come from all lanes that take part, whichever split this is.
  if (!matrix_rows(warp, op, warp.sync_lanes, rows)) return;
  for (std::uint32_t m = 0; m < memory.elements; ++m) {
    std::uint16_t matrix[8][8] = {};
    for (std::uint32_t r = 0; r < 8; ++r)
      if (rows.lane[8 * m + r] != nullptr) std::memcpy(matrix[r], rows.lane[8 * m + r], 16);
    std::uint32_t* dst = warp.words(memory.data[m]);
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const int g = lane / 4, t = 2 * (lane % 4);
      const std::uint32_t low = memory.transposed ? matrix[t][g] : matrix[g][t];
      const std::uint32_t high = memory.transposed ? matrix[t + 1][g] : matrix[g][t + 1];
      dst[lane] = low | high << 16;
    }
  }
}

void store_matrix(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  if (warp.phase == SyncPhase::kCollect) return;
  const MemoryOp& memory = *op.memory;
  LanePointers rows;
  if (!matrix_rows(warp, op, warp.sync_lanes, rows)) return;
  ++warp.changes;
  for (std::uint32_t m = 0; m < memory.elements; ++m) {
    const std::uint32_t* data = warp.words(memory.data[m]);
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const auto g = static_cast<std::uint32_t>(lane / 4), t = static_cast<std::uint32_t>(2 * (lane % 4));
      for (std::uint32_t j = 0; j < 2; ++j) {
        const auto half = static_cast<std::uint16_t>(data[lane] >> (16 * j));
        const std::uint32_t row = memory.transposed ? t + j : g, column = memory.transposed ? g : t + j;
        if (rows.lane[8 * m + row] != nullptr) std::memcpy(rows.lane[8 * m + row] + 2 * column, &half, 2);
      }
    }
  }
}

void move_matrix(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  if (warp.phase == SyncPhase::kCollect) return;
  std::uint16_t matrix[8][8];
  const std::uint32_t* a = warp.words(op.a);
  for (int lane = 0; lane < kLanes; ++lane)
    for (int j = 0; j < 2; ++j)
      matrix[lane / 4][2 * (lane % 4) + j] = static_cast<std::uint16_t>(a[lane] >> (16 * j));
  std::uint32_t* dst = warp.words(op.dst);
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const int g = lane / 4, t = 2 * (lane % 4);
    dst[lane] = matrix[t][g] | std::uint32_t{matrix[t + 1][g]} << 16;
  }
}

}  // namespace gpuprobe::simt
