// 3x3 box blur of an RGBA image, one 4-byte pixel a lane, edges clamped.
/* gpuprobe
[[kernel]]
name = "blur"
vars = { w = 640, h = 480 }
grid = ["ceildiv(w, 32)", "ceildiv(h, 8)"]
block = [32, 8]
args = ["in:u32[w * h] = random", "out:u32[w * h]", "w:i32 = w", "h:i32 = h"]
check_kernel = "reference"
*/

__global__ void blur(const uchar4* in, uchar4* out, int w, int h) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  if (x >= w || y >= h) return;
  unsigned r = 0, g = 0, b = 0, a = 0;
  for (int j = -1; j <= 1; ++j)
    for (int i = -1; i <= 1; ++i) {
      const uchar4 p = in[min(max(y + j, 0), h - 1) * w + min(max(x + i, 0), w - 1)];
      r += p.x;
      g += p.y;
      b += p.z;
      a += p.w;
    }
  out[y * w + x] = make_uchar4(r / 9, g / 9, b / 9, a / 9);
}

__global__ void reference(const uchar4* in, uchar4* out, int w, int h) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  if (x >= w || y >= h) return;
  const unsigned char* bytes = reinterpret_cast<const unsigned char*>(in);
  unsigned char result[4];
  for (int c = 0; c < 4; ++c) {
    unsigned sum = 0;
    for (int j = -1; j <= 1; ++j)
      for (int i = -1; i <= 1; ++i) sum += bytes[4 * (min(max(y + j, 0), h - 1) * w + min(max(x + i, 0), w - 1)) + c];
    result[c] = sum / 9;
  }
  out[y * w + x] = make_uchar4(result[0], result[1], result[2], result[3]);
}
