// Cooperative groups, clusters, asynchronous pipelines, atomics with scopes, warp functions, textures.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cuda/atomic>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

extern "C" __global__ void tiles(int* p) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  p[0] = cg::reduce(tile, p[tile.thread_rank()], cg::plus<int>());
  auto active = cg::coalesced_threads();
  p[1] = active.size() + active.shfl(p[2], 0);
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster(int* p) {
  auto all = cg::this_cluster();
  __shared__ int own[32];
  own[threadIdx.x] = p[threadIdx.x];
  all.sync();
  p[0] = *all.map_shared_rank(own, 1);
  all.sync();
}

extern "C" __global__ void pipeline(int* out, const int* in) {
  __shared__ int stage[256];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  pipe.producer_acquire();
  cuda::memcpy_async(block, stage, in, sizeof(int) * 256, pipe);
  pipe.producer_commit();
  pipe.consumer_wait();
  out[threadIdx.x] = stage[threadIdx.x ^ 1];
  pipe.consumer_release();
}

extern "C" __global__ void __launch_bounds__(256, 2) warps(cuda::atomic<int>* a, unsigned long long* u) {
  a->fetch_add(3, cuda::memory_order_acq_rel);
  atomicCAS(u, 1ull, 0xffffffffffffffffull);
  u[2] = clock64() + __match_any_sync(~0u, u[1]) + __ballot_sync(~0u, u[3] > 5);
  u[3] = __reduce_add_sync(~0u, (unsigned)u[4]) + __shfl_xor_sync(~0u, u[5], 3);
  __nanosleep(100);
  __threadfence();
}

extern "C" __global__ void textures(cudaTextureObject_t t, cudaSurfaceObject_t s, float4* p) {
  p[0] = tex2D<float4>(t, 1.f, 2.f);
  p[1] = tex1Dfetch<float4>(t, 3);
  surf2Dwrite(p[2], s, 16, 3);
  p[3] = tex2DLayered<float4>(t, .5f, .5f, 2);
}
