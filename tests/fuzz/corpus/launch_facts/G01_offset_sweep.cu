// In-place update at an element offset: the same warp-wide row of elements, shifted against the 32-byte sectors.
// An offset that is not a whole number of sectors costs one more sector a request, never more than 25 %.
/* gpuprobe
[[kernel]]
name = "shift_update<float>"
vars = { n = 1048576, offset = [0, 8, 16, 24, 32] }
grid = "n / 256"
block = 256
args = ["a:f32[n + 64] = random", "offset:i32 = offset"]
finding = "none"
expect = ["global.load.sectors_per_request == 4", "global.store.sectors_per_request == 4", "occupancy.theoretical == 100"]

[[kernel]]
name = "shift_update<float>"
vars = { n = 1048576, offset = [1, 2, 7, 9, 31] }
grid = "n / 256"
block = 256
args = ["a:f32[n + 64] = random", "offset:i32 = offset"]
finding = "misaligned"
expect = ["global.load.sectors_per_request == 5", "global.store.sectors_per_request == 5"]

[[kernel]]
name = "shift_update<double>"
vars = { n = 524288, offset = [0, 4, 8] }
grid = "n / 256"
block = 256
args = ["a:f64[n + 64] = random", "offset:i32 = offset"]
finding = "none"
expect = ["global.load.sectors_per_request == 8", "global.store.sectors_per_request == 8"]

[[kernel]]
name = "shift_update<double>"
vars = { n = 524288, offset = [1, 3, 5] }
grid = "n / 256"
block = 256
args = ["a:f64[n + 64] = random", "offset:i32 = offset"]
finding = "misaligned"
expect = ["global.load.sectors_per_request == 9", "global.store.sectors_per_request == 9"]
*/

template <class T>
__global__ void shift_update(T* a, int offset) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x + offset;
  a[i] = a[i] + T(1);
}
