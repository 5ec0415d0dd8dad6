// Runs a piece of PTX on the machine: what the tests of this folder have in common.
//
//   Bench bench(kernel("ld.global.u32 %r1, [%rd1]; ..."));
//   bench.buffer<std::uint32_t>("in", values);  auto out = bench.buffer<std::uint32_t>("out", n);
//   auto outcome = bench.run({grid, block});  EXPECT_EQ(bench.values<std::uint32_t>(out)[3], 7u);
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "model/ptx/parser.h"
#include "model/simt/machine.h"

namespace gpuprobe::simt {

/// What an observer saw, in order.
struct Recorder : Observer {
  struct Access {
    int instruction;
    MemorySpace space;
    AccessOp op;
    std::uint32_t width, active;
    std::vector<std::uint64_t> addresses, destinations;
    int matrices;
    std::uint64_t block;
    int warp;
  };
  struct Sync {
    std::uint64_t block;
    int warp;  ///< of a warp-level one; -1 = block
    std::uint32_t lanes;
    int barrier;
    std::vector<bool> warps;
  };
  std::vector<Access> accesses;
  std::vector<Sync> syncs;
  std::vector<std::uint64_t> begun, ended;

  void begin_block(std::uint64_t block, std::uint32_t) override { begun.push_back(block); }
  void access(const MemoryAccess& a) override {
    Access copy{a.instruction, a.space, a.op, a.width, a.active, {}, {}, a.matrices, a.block, a.warp};
    copy.addresses.assign(a.addresses, a.addresses + 32);
    if (a.shared_destination != nullptr)
      copy.destinations.assign(a.shared_destination, a.shared_destination + 32);
    accesses.push_back(std::move(copy));
  }
  void barrier(std::uint64_t block, int id, const std::vector<bool>& warps) override {
    syncs.push_back({block, -1, 0, id, warps});
  }
  void warp_sync(std::uint64_t block, int warp, std::uint32_t lanes) override {
    syncs.push_back({block, warp, lanes, -1, {}});
  }
  void end_block(std::uint64_t block) override { ended.push_back(block); }
};

/// A kernel `k` with up to four pointer parameters in %rd1..%rd4, its tid.x in %r1, lane address 4 * tid in
/// %rd5, and registers to spare. `extra` goes before the kernel (variables, functions).
inline std::string kernel(const std::string& body, const std::string& extra = "",
                          const std::string& declarations = "") {
  return ".version 8.7\n.target sm_90\n.address_size 64\n" + extra +
         "\n.visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3)\n{\n"
         ".reg .pred %p<10>; .reg .b16 %rs<40>; .reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .f32 %f<40>; .reg "
         ".f64 "
         "%fd<40>;\n" +
         declarations +
         "\nld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; ld.param.u64 %rd3, [p2]; ld.param.u64 %rd4, "
         "[p3];\n"
         "mov.u32 %r1, %tid.x; mul.wide.u32 %rd5, %r1, 4;\n" +
         body + "\nret;\n}\n";
}

class Bench {
 public:
  explicit Bench(const std::string& ptx) {
    auto parsed = ptx::parse(ptx);
    EXPECT_TRUE(parsed.has_value()) << (parsed ? "" : parsed.error().what) << "\n" << ptx;
    if (parsed) module_ = *parsed;
  }

  /// Adds a buffer and makes its address the next parameter. Returns its number.
  template <class T>
  std::size_t buffer(const std::string& name, const std::vector<T>& values) {
    auto& bytes = buffers_.emplace_back(values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    push(memory.map(name, bytes, true));
    return buffers_.size() - 1;
  }
  template <class T>
  std::vector<T> values(std::size_t number) const {
    std::vector<T> result(buffers_[number].size() / sizeof(T));
    if (!result.empty()) std::memcpy(result.data(), buffers_[number].data(), result.size() * sizeof(T));
    return result;
  }
  template <class T>
  void push(T value) {
    while (parameters_.size() % sizeof(T) != 0) parameters_.push_back(0);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&value);
    parameters_.insert(parameters_.end(), bytes, bytes + sizeof(T));
  }

  Result<std::shared_ptr<const Program>> load(const std::string& entry = "k") {
    return Program::load(module_, entry, memory);
  }

  /// Runs with one worker and a recorder; the rest of the parameters are zero.
  Result<Outcome> try_run(Launch launch, const std::string& entry = "k") {
    auto program = load(entry);
    if (!program) return tl::unexpected(program.error());
    loaded = *program;
    Execution execution;
    execution.launch = launch;
    execution.parameters = parameters_;
    std::size_t wanted = 0;
    for (const auto& parameter : (*program)->parameters())
      wanted = std::max<std::size_t>(wanted, parameter.offset + parameter.bytes);
    execution.parameters.resize(wanted);
    execution.timeout_s = timeout_s;
    execution.threads = threads;
    execution.blocks = blocks;
    recorder = {};
    Observer* const observers[] = {&recorder};
    if (threads > 1) return execute(**program, memory, execution, {});
    return execute(**program, memory, execution, observers);
  }
  Outcome run(Launch launch, const std::string& entry = "k") {
    auto outcome = try_run(launch, entry);
    EXPECT_TRUE(outcome.has_value()) << (outcome ? "" : outcome.error().what);
    if (!outcome) return {};
    for (const Hazard& hazard : outcome->hazards) last_hazard = hazard.text;
    return *outcome;
  }
  /// Expects no hazard at all.
  Outcome run_clean(Launch launch, const std::string& entry = "k") {
    last_hazard.clear();
    Outcome outcome = run(launch, entry);
    EXPECT_TRUE(outcome.hazards.empty()) << last_hazard;
    EXPECT_FALSE(outcome.timed_out);
    EXPECT_EQ(outcome.blocks, blocks.empty() ? launch.grid.count() : blocks.size());
    return outcome;
  }

  DeviceMemory memory;
  Recorder recorder;
  std::shared_ptr<const Program> loaded;
  std::string last_hazard;
  std::vector<std::uint64_t> blocks;
  double timeout_s = 20;
  int threads = 1;

 private:
  ptx::Module module_;
  std::deque<std::vector<std::byte>> buffers_;
  std::vector<std::uint8_t> parameters_;
};

inline Launch launch_of(std::uint32_t grid, std::uint32_t block, std::uint32_t shared = 0) {
  Launch launch;
  launch.grid = {grid, 1, 1};
  launch.block = {block, 1, 1};
  launch.dynamic_shared = shared;
  return launch;
}

inline std::vector<std::uint32_t> iota(std::size_t count, std::uint32_t first = 0) {
  std::vector<std::uint32_t> result(count);
  for (std::size_t i = 0; i < count; ++i) result[i] = first + static_cast<std::uint32_t>(i);
  return result;
}

}  // namespace gpuprobe::simt
