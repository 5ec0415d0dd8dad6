// 155 registers with 512 threads need 81,920 registers a block: more than an SM has. The launch fails; there is no
// occupancy to speak of. 256 threads fit once.
/* gpuprobe
[[kernel]]
name = "live<148, 256>"
vars = { blocks = 1320 }
grid = "blocks"
block = 256
args = ["in:f32[8192] = random", "out:f32[blocks * 256]", "rounds:i32 = 256"]
finding = "none"
also = ["occupancy-registers"]
expect = ["occupancy.blocks_per_sm == 1", "occupancy.theoretical == 12.5"]
*/

#include "live_registers.cuh"
