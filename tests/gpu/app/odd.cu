// Programs that are not as simple as a profiler would like: `odd CASE`. Each prints "ok CASE" if its results are
// right.
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#define CHECK(call)                                                                        \
  do {                                                                                     \
    const cudaError_t error = (call);                                                      \
    if (error != cudaSuccess) {                                                            \
      std::printf("%s line %d: %s\n", #call, __LINE__, cudaGetErrorString(error));         \
      std::exit(1);                                                                        \
    }                                                                                      \
  } while (false)

extern char** environ;

constexpr int kN = 1 << 16;

template <int kStep>
__global__ void plus(int* data) {
  data[blockIdx.x * blockDim.x + threadIdx.x] += kStep;
}
__global__ void spoil(int* data) {
  data[blockIdx.x * blockDim.x + threadIdx.x + (1LL << 40)] = 1;
}
__global__ void in_cluster(int* data) {
  data[blockIdx.x * blockDim.x + threadIdx.x] += 5;
}

void expect(int* device, int value, const char* what) {
  std::vector<int> host(kN);
  CHECK(cudaMemcpy(host.data(), device, kN * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < kN; ++i)
    if (host[i] != value) {
      std::printf("WRONG %s: element %d is %d, not %d\n", what, i, host[i], value);
      std::exit(1);
    }
}

int* zeroed() {
  int* data = nullptr;
  CHECK(cudaMalloc(&data, kN * sizeof(int)));
  CHECK(cudaMemset(data, 0, kN * sizeof(int)));
  return data;
}

void some(int* data, cudaStream_t stream, int times) {
  for (int i = 0; i < times; ++i) {
    plus<1><<<kN / 256, 256, 0, stream>>>(data);
    plus<2><<<kN / 128, 128, 0, stream>>>(data);
    plus<3><<<kN / 64, 64, 0, stream>>>(data);
  }
}

// Eight threads launch, copy and set memory at the same time, each in a stream and memory of its own.
void threads() {
  std::vector<std::thread> all;
  for (int t = 0; t < 8; ++t)
    all.emplace_back([t] {
      cudaStream_t stream;
      CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
      int* data = zeroed();
      std::vector<int> host(kN, 7);
      for (int i = 0; i < 50; ++i) {
        some(data, stream, 1);
        if (i % 10 != t % 10) continue;
        CHECK(cudaMemcpyAsync(data, host.data(), kN * sizeof(int), cudaMemcpyHostToDevice, stream));
        CHECK(cudaMemsetAsync(data, 0, kN * sizeof(int), stream));
        some(data, stream, i + 1);
      }
      CHECK(cudaStreamSynchronize(stream));
      const int from = t % 10;  // the last time that it was set to 0
      const int last = from + 40;
      expect(data, 6 * (last + 1) + 6 * (49 - last), "threads");
    });
  for (std::thread& thread : all) thread.join();
}

// Three kernels recorded and launched as a graph, beside ordinary launches, and while another thread launches.
void graph() {
  int* data = zeroed();
  int* other = zeroed();
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  some(data, stream, 1);
  std::thread beside([other] {
    cudaStream_t own;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
    CHECK(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));
    some(other, own, 2);
    CHECK(cudaStreamSynchronize(own));
  });
  beside.join();
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 5; ++i) CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  expect(data, 30, "graph");
  expect(other, 12, "beside the capture");
  some(data, stream, 2);
  CHECK(cudaStreamSynchronize(stream));
  expect(data, 42, "after the graph");
}

// Every round in a context of its own, each with a configuration that the others do not have.
void reset() {
  for (int round = 0; round < 3; ++round) {
    int* data = zeroed();
    some(data, nullptr, 2);
    const int threads = 512 >> (4 * round);
    for (int i = 0; i < 2; ++i) plus<1><<<kN / threads, threads>>>(data);
    expect(data, 14, "reset");
    CHECK(cudaDeviceReset());
  }
}

// Launches inside and outside of a named range.
void ranges() {
  int* data = zeroed();
  some(data, nullptr, 1);
  nvtxRangePushA("step");
  nvtxRangePushA("forward");
  plus<2><<<kN / 128, 128>>>(data);
  nvtxRangePop();
  plus<3><<<kN / 64, 64>>>(data);
  nvtxRangePop();
  expect(data, 11, "ranges");
}

// A cluster of two blocks, by cudaLaunchKernelEx.
void extended() {
  int* data = zeroed();
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(kN / 256);
  config.blockDim = dim3(256);
  cudaLaunchAttribute attribute[2] = {};
  attribute[0].id = cudaLaunchAttributeClusterDimension;
  attribute[0].val.clusterDim = {2, 1, 1};
  attribute[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute[1].val.programmaticStreamSerializationAllowed = 1;
  config.attrs = attribute;
  config.numAttrs = 2;
  for (int i = 0; i < 3; ++i) CHECK(cudaLaunchKernelEx(&config, in_cluster, data));
  CHECK(cudaDeviceSynchronize());
  expect(data, 15, "extended");
}

// A launch that the driver refuses, between good ones.
void refused() {
  int* data = zeroed();
  some(data, nullptr, 1);
  plus<4><<<1, 256, 1 << 20>>>(data);
  if (cudaGetLastError() == cudaSuccess) std::printf("WRONG: the launch was not refused\n");
  some(data, nullptr, 1);
  expect(data, 12, "refused");
}

// A static object that launches when it is destroyed.
struct LaunchesAtExit {
  int* data = nullptr;
  ~LaunchesAtExit() {
    if (!data) return;
    some(data, nullptr, 1);
    if (cudaDeviceSynchronize() == cudaSuccess) std::printf("launched at exit\n");
  }
} at_exit;

void exiting() {
  at_exit.data = zeroed();
  some(at_exit.data, nullptr, 2);
  CHECK(cudaDeviceSynchronize());
}

// Five launches, then the end that `how` says.
void ending(const std::string& how) {
  int* data = zeroed();
  some(data, nullptr, 1);
  plus<1><<<kN / 256, 256>>>(data);
  plus<2><<<kN / 128, 128>>>(data);
  CHECK(cudaDeviceSynchronize());
  if (how == "abort") std::abort();
  if (how == "crash") raise(SIGSEGV);
  if (how == "kill") raise(SIGKILL);
  if (how == "status") _exit(3);
  if (how == "hang") sleep(1000);
  if (how == "fault") {
    spoil<<<kN / 256, 256>>>(data);
    std::printf("fault: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    std::exit(5);
  }
}

void children(char* self) {
  pid_t ids[2];
  for (pid_t& id : ids) {
    char word[] = "reset";
    char* words[] = {self, word, nullptr};
    if (posix_spawn(&id, "/proc/self/exe", nullptr, nullptr, words, environ) != 0) std::exit(1);
  }
  int* data = zeroed();
  some(data, nullptr, 3);
  expect(data, 18, "children");
  for (const pid_t id : ids) {
    int status = 0;
    waitpid(id, &status, 0);
    if (status != 0) std::printf("WRONG: a child ended with status %d\n", status);
  }
}

// A child forked before CUDA was used, which uses it; and one forked afterwards, which does not.
void forked() {
  const pid_t before = fork();
  int* data = zeroed();
  some(data, nullptr, 2);
  expect(data, 12, "forked");
  if (before == 0) std::exit(0);
  const pid_t after = fork();
  if (after == 0) _exit(0);
  int first = 1, second = 1;
  waitpid(after, &first, 0);
  waitpid(before, &second, 0);
  if (first != 0 || second != 0) std::printf("WRONG: children ended with %d and %d\n", first, second);
}

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "threads") threads();
  else if (what == "graph") graph();
  else if (what == "reset") reset();
  else if (what == "ranges") ranges();
  else if (what == "extended") extended();
  else if (what == "refused") refused();
  else if (what == "exiting") exiting();
  else if (what == "children") children(argv[0]);
  else if (what == "forked") forked();
  else ending(what);
  std::printf("ok %s\n", what.c_str());
  return 0;
}
