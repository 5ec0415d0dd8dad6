// Handlers of the matrix instructions. All lanes of a warp take part.
#pragma once

#include "model/simt/block_run.h"

namespace gpuprobe::simt {

// Lane l has g = l / 4 and t = l % 4; e elements share a 32-bit register (64 bits hold one f64).
//   A, register r, element j: row g + 8 (r mod 2), column t e + j + 4 e (r / 2)
//   B, register r, element j: row t e + j + 4 e r, column g
//   C and D, element i:       row g + 8 (i / 2), column 2 t + (i mod 2)
// This is what the figures of "Matrix Fragments for mma.m..." in the PTX ISA say for every shape below.
void multiply_float(Warp& warp, const MicroOp& op, std::uint32_t mask);  ///< f16, bf16, tf32, e4m3, e5m2
void multiply_double(Warp& warp, const MicroOp& op, std::uint32_t mask);
void multiply_integer(Warp& warp, const MicroOp& op, std::uint32_t mask);  ///< s8, u8

/// op.memory->elements matrices of 8 x 8 16-bit elements; lane 8 i + r has the address of row r of matrix i.
void load_matrix(Warp& warp, const MicroOp& op, std::uint32_t mask);
void store_matrix(Warp& warp, const MicroOp& op, std::uint32_t mask);
/// movmatrix.trans: dst = the transpose of a.
void move_matrix(Warp& warp, const MicroOp& op, std::uint32_t mask);

}  // namespace gpuprobe::simt
