// Which shared atomics of the PTX the assembler turns into ATOMS.POPC.INC: an increment by one whose old
// value nobody reads. The instruction counts the lanes of each word before it adds, so that they do not wait
// for each other: measured on an H200, 32 lanes on one word take 1 wavefront and not 32, and 32 lanes on
// random words take as many as the bank with the most distinct words (`histogram --shared`). ptxas 13.0
// writes it for sm_80 to sm_120, not for sm_75 (encodings of 17 kinds of atomics compared).
//
//   if (combined_increments(module, function).contains(line)) ...   // a PTX line
#pragma once

#include <set>

#include "model/ptx/ast.h"

namespace gpuprobe::prediction {

/// PTX lines all of whose shared atomics are such increments. Generic addresses are left out: only the
/// assembler knows whether it finds them to be shared.
std::set<int> combined_increments(const ptx::Module& module, const ptx::Function& function);

}  // namespace gpuprobe::prediction
