// Blocks may run in any order, and none may count on another to run at the same time. These two kernels do.

// Each block takes a number. Which block gets which depends on the order in which they happen to come.
__global__ void order_ticket(unsigned* next, unsigned* taken) {
  if (threadIdx.x != 0) return;
  const unsigned ticket = atomicAdd(next, 1u);
  taken[blockIdx.x] = ticket;
}

#ifndef GPUPROBE_WAIT_FOR
#define GPUPROBE_WAIT_FOR 1  // 1: the next block; -1: the previous one
#endif

#ifndef GPUPROBE_POLLS
#define GPUPROBE_POLLS 0  // looks at the flag before a block gives up; 0: it never does
#endif

// Each block waits until another one has raised its flag. If the other has not started yet, and the waiting blocks
// fill the GPU, it never will.
__global__ void order_wait(volatile unsigned* flag, unsigned* answered) {
  if (threadIdx.x != 0) return;
  const int partner = (int)blockIdx.x + GPUPROBE_WAIT_FOR;
  unsigned seen = partner < 0 || partner >= (int)gridDim.x;  // the last one of the chain waits for nobody
#if GPUPROBE_POLLS
  for (int poll = 0; seen == 0 && poll < GPUPROBE_POLLS; ++poll)
    seen = flag[partner];
#else
  while (seen == 0)
    seen = flag[partner];
#endif
  flag[blockIdx.x] = 1;
  answered[blockIdx.x] = seen;
}
