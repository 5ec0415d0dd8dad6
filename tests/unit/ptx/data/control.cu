// Control flow: a jump table, early returns, nested loops with break, recursion, calls through pointers.

__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

typedef int (*Operation)(int, int);
__device__ __noinline__ int add(int a, int b) { return a + b; }
__device__ __noinline__ int subtract(int a, int b) { return a - b; }
__device__ Operation operations[2] = {add, subtract};

extern "C" __global__ void jump_table(int* p, int i) {
  switch (p[i]) {
    case 0: p[1] = 3 * i; __syncthreads(); break;
    case 1: p[2] *= 7; break;
    case 2: p[3] = p[i] / i; __syncthreads(); break;
    case 3: p[4] = p[5]; break;
    case 4: p[7] += p[1] ^ i; break;
    case 5: p[9] = i; __syncthreads(); break;
    case 6: p[1] = atomicAdd(p, i); break;
    case 7: for (int j = 0; j < i; ++j) p[j] += p[j + i]; break;
    case 8: p[20] = __popc(i); break;
    case 9: p[21] = p[20] % i; break;
    default: p[5] = 1;
  }
}

extern "C" __global__ void early_return(float* out, const float* in, int n) {
  const int i = threadIdx.x;
  float sum = 0;
  if (in[i] > 0) {
    if (in[i + 32] > 0) return;
    for (int j = 0; j < n; ++j) sum += in[j * i];
  }
  out[i] = sum;
}

extern "C" __global__ void loops(int* p, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    for (int j = 0; j < i; ++j) {
      if (p[j] == i) break;
      if (p[j] < 0) continue;
      p[i] += j;
    }
}

extern "C" __global__ void calls(int* p, int i) {
  p[0] = fibonacci(p[1]);
  p[2] = operations[i](p[3], p[4]);
}
