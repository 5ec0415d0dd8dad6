// 40 registers: a block of 1024 threads fits once (50 %), blocks of 256 six times (75 %). The block size decides how
// much of the register file is left over.
/* gpuprobe
[[kernel]]
name = "live<33, 1024>"
vars = { blocks = 1320, threads = 1024 }
grid = "blocks"
block = "threads"
args = ["in:f32[8192] = random", "out:f32[blocks * threads]", "rounds:i32 = 32"]
finding = "none"
also = ["occupancy-registers"]
expect = ["launch.registers == 40", "occupancy.blocks_per_sm == 1", "occupancy.theoretical == 50", "occupancy.blocks_per_sm.registers == 1"]

[[kernel]]
name = "live<34, 256>"
vars = { blocks = 7920, threads = 256 }
grid = "blocks"
block = "threads"
args = ["in:f32[8192] = random", "out:f32[blocks * threads]", "rounds:i32 = 32"]
finding = "none"
also = ["occupancy-registers"]
expect = ["launch.registers == 40", "occupancy.blocks_per_sm == 6", "occupancy.theoretical == 75"]
*/

#include "live_registers.cuh"
