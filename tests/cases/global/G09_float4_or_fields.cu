// The same 16 bytes a lane, read as one float4 or as four separate fields (volatile keeps the compiler from joining
// them). 16 sectors a request both times: ideal for the one, four times too many for each of the other's requests.
/* gpuprobe
[[kernel]]
name = "whole"
grid = 1
block = 32
args = ["a:b16[32] = zeros"]
finding = "grid-too-small"
expect = ["global.load.sectors_per_request == 16", "global.load.ideal_sectors_per_request == 16"]

[[kernel]]
name = "fields"
grid = 1
block = 32
args = ["a:b16[32] = zeros"]
finding = "grid-too-small"
also = ["uncoalesced-load", "uncoalesced-store"]
expect = ["global.load.sectors_per_request == 16", "global.load.ideal_sectors_per_request == 4",
          "global.load.requests == 4", "global.store.requests == 4"]
*/

struct Fields {
  float x, y, z, w;
};

__global__ void whole(float4* a) {
  float4 v = a[threadIdx.x];
  v.x += 1.0f;
  v.y += 1.0f;
  v.z += 1.0f;
  v.w += 1.0f;
  a[threadIdx.x] = v;
}

__global__ void fields(Fields* a) {
  volatile Fields* p = a + threadIdx.x;
  p->x = p->x + 1.0f;
  p->y = p->y + 1.0f;
  p->z = p->z + 1.0f;
  p->w = p->w + 1.0f;
}
