// A random gather through a plain pointer and through __ldg: the same requests and sectors.
/* gpuprobe
[[kernel]]
name = "plain"
vars = { n = 4194304 }
grid = "n / 256"
block = 256
args = ["in:f32[n] = random", "index:i32[n] = shuffle", "out:f32[n]"]
finding = "uncoalesced-load"

[[kernel]]
name = "read_only"
vars = { n = 4194304 }
grid = "n / 256"
block = 256
args = ["in:f32[n] = random", "index:i32[n] = shuffle", "out:f32[n]"]
finding = "uncoalesced-load"
*/

__global__ void plain(const float* in, const int* index, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = index[i];
  out[i] = in[j];
}

__global__ void read_only(const float* in, const int* index, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = index[i];
  out[i] = __ldg(in + j);
}
