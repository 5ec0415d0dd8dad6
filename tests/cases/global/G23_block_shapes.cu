// One pixel a thread of a row-major image. Rows of 8 floats are one whole sector, so 8x8 is as good as 32x8;
// rows of 12 straddle sectors.
/* gpuprobe
[[kernel]]
name = "brighten"
vars = { w = 4096, h = 4096, x = 32, y = 8 }
grid = ["w / x", "h / y"]
block = ["x", "y"]
args = ["img:f32[w*h] = random", "w:i32 = w", "h:i32 = h"]
finding = "none"
expect = ["global.load.sectors_per_request == 4"]

[[kernel]]
name = "brighten"
vars = { w = 4096, h = 4096, x = [8, 16], y = 16 }
grid = ["w / x", "h / y"]
block = ["x", "y"]
args = ["img:f32[w*h] = random", "w:i32 = w", "h:i32 = h"]
finding = "none"
expect = ["global.load.sectors_per_request == 4"]

[[kernel]]
name = "brighten"
vars = { w = 4096, h = 4096, x = 4, y = 64 }
grid = ["w / x", "h / y"]
block = ["x", "y"]
args = ["img:f32[w*h] = random", "w:i32 = w", "h:i32 = h"]
finding = "narrow-block"
also = ["uncoalesced-load", "uncoalesced-store"]
expect = ["global.load.sectors_per_request == 8"]
*/

__global__ void brighten(float* img, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) img[y * w + x] = img[y * w + x] * 1.5f;
}
