// Rows without a pitch, one warp for 32 consecutive elements. 640 shorts a row keep every row on a sector boundary;
// 1023 floats move each row by another 4 bytes.
/* gpuprobe
[[kernel]]
name = "rows<unsigned short>"
vars = { w = 640, h = 8192 }
grid = ["ceildiv(w, 32)", "h / 8"]
block = [32, 8]
args = ["a:u16[w*h] = random", "out:u16[w*h]", "w:i32 = w"]
finding = "none"
expect = ["global.load.sectors_per_request == 2"]

[[kernel]]
name = "rows<float>"
vars = { w = 1023, h = 8192 }
grid = ["w / 32", "h / 8"]
block = [32, 8]
args = ["a:f32[w*h] = random", "out:f32[w*h]", "w:i32 = w"]
finding = "misaligned"
expect = ["global.load.sectors_per_request == 4.875"]
*/

template <class T>
__global__ void rows(const T* a, T* out, int w) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const T v = a[y * w + x];
  out[y * w + x] = v;
}
