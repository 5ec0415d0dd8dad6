// 43 and 47 registers round to the same 48 a thread: both allow 5 blocks of 256 threads (62.5 %). 40 allow 6.
/* gpuprobe
[[kernel]]
name = "live<36, 256>"
vars = { blocks = 6600, threads = 256 }
grid = "blocks"
block = "threads"
args = ["in:f32[8192] = random", "out:f32[blocks * threads]", "rounds:i32 = 32"]
finding = "none"
also = ["occupancy-registers"]
expect = ["launch.registers == 43", "occupancy.blocks_per_sm == 5", "occupancy.theoretical == 62.5"]

[[kernel]]
name = "live<40, 256>"
vars = { blocks = 6600, threads = 256 }
grid = "blocks"
block = "threads"
args = ["in:f32[8192] = random", "out:f32[blocks * threads]", "rounds:i32 = 32"]
finding = "none"
also = ["occupancy-registers"]
expect = ["launch.registers == 47", "occupancy.blocks_per_sm == 5", "occupancy.theoretical == 62.5"]

[[kernel]]
name = "live<34, 256>"
vars = { blocks = 7920, threads = 256 }
grid = "blocks"
block = "threads"
args = ["in:f32[8192] = random", "out:f32[blocks * threads]", "rounds:i32 = 32"]
finding = "none"
also = ["occupancy-registers"]
expect = ["launch.registers == 40", "occupancy.theoretical == 75"]

[[kernel]]
name = "live<36, 128>"
vars = { blocks = 13200, threads = 128 }
grid = "blocks"
block = "threads"
args = ["in:f32[8192] = random", "out:f32[blocks * threads]", "rounds:i32 = 32"]
finding = "none"
also = ["occupancy-registers"]
expect = ["occupancy.blocks_per_sm == 10", "occupancy.theoretical == 62.5"]
*/

#include "live_registers.cuh"
