// One field of an array of structs: lanes are a struct apart, so a request needs min(size, 32) sectors for 4 bytes.
/* gpuprobe
[[kernel]]
name = "field<float, 8>"
vars = { n = 4194304 }
grid = "n / 256"
block = 256
args = ["a:b8[n] = zeros"]
finding = ["uncoalesced-load", "uncoalesced-store"]
expect = ["global.load.sectors_per_request == 8", "global.store.sectors_per_request == 8"]

[[kernel]]
name = "field<float, 12>"
vars = { n = 4194304 }
grid = "n / 256"
block = 256
args = ["a:b12[n] = zeros"]
finding = ["uncoalesced-load", "uncoalesced-store"]
expect = ["global.load.sectors_per_request == 12", "global.store.sectors_per_request == 12"]

[[kernel]]
name = "field<float, 20>"
vars = { n = 4194304 }
grid = "n / 256"
block = 256
args = ["a:b20[n] = zeros"]
finding = ["uncoalesced-load", "uncoalesced-store"]
expect = ["global.load.sectors_per_request == 20", "global.store.sectors_per_request == 20"]

[[kernel]]
name = "field<float, 28>"
vars = { n = 4194304 }
grid = "n / 256"
block = 256
args = ["a:b28[n] = zeros"]
finding = ["uncoalesced-load", "uncoalesced-store"]
expect = ["global.load.sectors_per_request == 28", "global.store.sectors_per_request == 28"]

[[kernel]]
name = "field<float, 76>"
vars = { n = 2097152 }
grid = "n / 256"
block = 256
args = ["a:b76[n] = zeros"]
finding = ["uncoalesced-load", "uncoalesced-store"]
expect = ["global.load.sectors_per_request == 32", "global.store.sectors_per_request == 32"]

[[kernel]]
name = "field<double, 16>"
vars = { n = 4194304 }
grid = "n / 256"
block = 256
args = ["a:b16[n] = zeros"]
finding = ["uncoalesced-load", "uncoalesced-store"]
expect = ["global.load.sectors_per_request == 16", "global.store.sectors_per_request == 16"]

[[kernel]]
name = "field<double, 24>"
vars = { n = 4194304 }
grid = "n / 256"
block = 256
args = ["a:b24[n] = zeros"]
finding = ["uncoalesced-load", "uncoalesced-store"]
expect = ["global.load.sectors_per_request == 24", "global.store.sectors_per_request == 24"]
*/

template <class T, int kBytes>
__global__ void field(char* a) {
  T* p = reinterpret_cast<T*>(a + static_cast<size_t>(blockIdx.x * blockDim.x + threadIdx.x) * kBytes);
  *p = *p + T(1);
}
