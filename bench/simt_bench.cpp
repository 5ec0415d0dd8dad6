// How fast the SIMT machine executes: lane-instructions a second of one core's time, without an observer,
// with one that looks at each access, and with the one of a prediction (costs, unique sectors, races).
//
//   build/dev/bench/simt_bench --benchmark_filter=matmul
#include <benchmark/benchmark.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "model/prediction/worker.h"
#include "model/ptx/parser.h"
#include "model/simt/machine.h"

namespace gpuprobe::simt {
namespace {

/// The least that an observer of costs does: one look at each access.
struct Counter final : Observer {
  std::uint64_t requests = 0, bytes = 0, barriers = 0, low_bits = 0;
  void begin_block(std::uint64_t, std::uint32_t) override {}
  void access(const MemoryAccess& access) override {
    ++requests;
    bytes += access.width;
    for (int i = 0; i < 32; ++i) low_bits |= access.addresses[i];
  }
  void barrier(std::uint64_t, int, const std::vector<bool>&) override { ++barriers; }
  void warp_sync(std::uint64_t, int, std::uint32_t) override {}
  void end_block(std::uint64_t) override {}
};

const ptx::Module& module_of_kernels() {
  static const ptx::Module kModule = [] {
    std::ifstream file(GPUPROBE_BENCH_DIR "/simt_kernels.ptx");
    std::ostringstream text;
    text << file.rdbuf();
    auto parsed = ptx::parse(text.str());
    if (!parsed) throw std::runtime_error(parsed.error().what);
    return *parsed;
  }();
  return kModule;
}

struct Shape {
  Launch launch;
  std::size_t floats;  ///< of each of three buffers
  int n;
  int pointers;  ///< parameters before n
};

void run(benchmark::State& state, const char* entry, const Shape& shape) {
  DeviceMemory memory;
  std::vector<std::vector<std::byte>> buffers(3, std::vector<std::byte>(shape.floats * 4));
  Execution execution;
  execution.launch = shape.launch;
  execution.threads = 1;
  execution.timeout_s = 600;
  for (int i = 0; i < shape.pointers; ++i) {
    const std::uint64_t address =
        memory.map(std::string(1, static_cast<char>('a' + i)), buffers[static_cast<std::size_t>(i)], false);
    const auto* raw = reinterpret_cast<const std::uint8_t*>(&address);
    execution.parameters.insert(execution.parameters.end(), raw, raw + 8);
  }
  const auto* raw = reinterpret_cast<const std::uint8_t*>(&shape.n);
  execution.parameters.insert(execution.parameters.end(), raw, raw + 4);

  auto program = Program::load(module_of_kernels(), entry, memory);
  if (!program) {
    state.SkipWithError(program.error().what.c_str());
    return;
  }
  Counter counter;
  const std::vector<prediction::InstructionPlan> plan(
      static_cast<std::size_t>((*program)->instruction_count()));
  prediction::TouchedSectors loads(memory), stores(memory);
  prediction::Worker worker(static_cast<int>(shape.launch.warps_per_block()), plan, loads, stores);
  worker.counter().keep_blocks_apart(false);
  std::vector<Observer*> observers;
  if (state.range(0) == 1) observers.push_back(&counter);
  if (state.range(0) == 2) observers.push_back(&worker);
  std::uint64_t lanes = 0, warps = 0;
  for (auto _ : state) {
    auto outcome = execute(**program, memory, execution, observers);
    if (!outcome || !outcome->hazards.empty()) {
      state.SkipWithError(outcome ? outcome->hazards[0].text.c_str() : outcome.error().what.c_str());
      return;
    }
    lanes += outcome->lane_instructions;
    warps += outcome->warp_instructions;
  }
  state.counters["lane_instructions/s"] =
      benchmark::Counter(static_cast<double>(lanes), benchmark::Counter::kIsRate);
  state.counters["warp_instructions/s"] =
      benchmark::Counter(static_cast<double>(warps), benchmark::Counter::kIsRate);
}

Shape square(std::uint32_t n) {
  Shape shape;
  shape.launch.grid = {n / 32, n / 32, 1};
  shape.launch.block = {32, 32, 1};
  shape.floats = std::size_t{n} * n;
  shape.n = static_cast<int>(n);
  shape.pointers = 3;
  return shape;
}

Shape line(std::uint32_t blocks, std::size_t floats, int n) {
  Shape shape;
  shape.launch.grid = {blocks, 1, 1};
  shape.launch.block = {256, 1, 1};
  shape.floats = floats;
  shape.n = n;
  shape.pointers = 2;
  return shape;
}

void matmul(benchmark::State& state) {
  run(state, "matmul", square(256));
}
void transpose(benchmark::State& state) {
  Shape shape = square(1024);
  shape.pointers = 2;
  run(state, "transpose", shape);
}
void scalar(benchmark::State& state) {
  run(state, "scalar", line(64, 64 * 256, 500));
}
void gather(benchmark::State& state) {
  run(state, "gather", line(64, std::size_t{1} << 20, 100));
}

// Argument: 0 = no observer, 1 = the least, 2 = that of a prediction.
BENCHMARK(matmul)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);
BENCHMARK(transpose)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);
BENCHMARK(scalar)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);
BENCHMARK(gather)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gpuprobe::simt

BENCHMARK_MAIN();
