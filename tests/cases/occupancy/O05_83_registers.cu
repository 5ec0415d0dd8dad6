// 83 registers round to 88: 5 blocks of 128 threads, 20 warps of 64.
/* gpuprobe
[[kernel]]
name = "live<76, 128>"
vars = { blocks = 6600, threads = 128 }
grid = "blocks"
block = "threads"
args = ["in:f32[8192] = random", "out:f32[blocks * threads]", "rounds:i32 = 32"]
finding = "none"
also = ["occupancy-registers"]
expect = ["launch.registers == 83", "occupancy.blocks_per_sm == 5", "occupancy.theoretical == 31.25"]
*/

#include "live_registers.cuh"
