// 64 registers: blocks of 64 and of 128 threads both end at 32 warps (50 %) by registers; the limit of blocks per SM
// that decided on another GPU is not reached.
/* gpuprobe
[[kernel]]
name = "live<57, 64>"
vars = { blocks = 12672, threads = 64 }
grid = "blocks"
block = "threads"
args = ["in:f32[8192] = random", "out:f32[blocks * threads]", "rounds:i32 = 32"]
finding = "none"
also = ["occupancy-registers"]
expect = ["occupancy.theoretical == 50", "occupancy.blocks_per_sm == 16"]

[[kernel]]
name = "live<57, 128>"
vars = { blocks = 6336, threads = 128 }
grid = "blocks"
block = "threads"
args = ["in:f32[8192] = random", "out:f32[blocks * threads]", "rounds:i32 = 32"]
finding = "none"
also = ["occupancy-registers"]
expect = ["occupancy.theoretical == 50", "occupancy.blocks_per_sm == 8"]
*/

#include "live_registers.cuh"
