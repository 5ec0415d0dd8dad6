// 12.5 % occupancy by registers, on purpose: every thread has so many independent chains that the schedulers stay
// busy. A fact, not a fault.
/* gpuprobe
[[kernel]]
name = "live<146, 256>"
vars = { blocks = 1320, threads = 256 }
grid = "blocks"
block = "threads"
args = ["in:f32[8192] = random", "out:f32[blocks * threads]", "rounds:i32 = 256"]
finding = "none"
also = ["occupancy-registers"]
expect = ["occupancy.theoretical == 12.5", "occupancy.blocks_per_sm == 1"]
*/

#include "live_registers.cuh"
