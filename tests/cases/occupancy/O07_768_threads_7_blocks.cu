// 768 threads at 40 registers: warps and registers allow 2 blocks each, a tie. With 7 blocks on the whole GPU none of
// that matters: the grid is too small.
/* gpuprobe
[[kernel]]
name = "live<34, 768>"
vars = { blocks = 7, threads = 768 }
grid = "blocks"
block = "threads"
args = ["in:f32[8192] = random", "out:f32[blocks * threads]", "rounds:i32 = 32"]
finding = "grid-too-small"
also = ["occupancy-registers", "occupancy-block-size"]
expect = ["launch.registers == 40", "occupancy.blocks_per_sm == 2", "occupancy.theoretical == 75", "occupancy.blocks_per_sm.warps == 2", "occupancy.blocks_per_sm.registers == 2"]
*/

#include "live_registers.cuh"
