// Any bytes as PTX, executed: every entry of a module that parses runs with a small launch through the
// interpreter, the memory models and the race detector, and ends with counts or an error within its limits.
//
// A first line "// launch GRID_X GRID_Y BLOCK_X BLOCK_Y DYNAMIC_SHARED" chooses the launch. Parameters of 8
// bytes are buffers in turn, others hold a small number.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "model/prediction/kernel_execution.h"
#include "model/prediction/load_merging.h"
#include "model/ptx/parser.h"

namespace {

using namespace gpuprobe;

constexpr std::size_t kBuffers = 4;
constexpr std::uint64_t kWords = 4096;            // of each buffer
constexpr std::uint64_t kSteps = 4'000;           // warp instructions of a launch
constexpr double kSeconds = 1.0;                  // of a launch
constexpr std::size_t kMaxInstructions = 20'000;  // of a module
constexpr int kEntries = 3;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "the execution does not hold together: %s\n", what);
  std::abort();
}

Launch launch_of(const std::string& text) {
  std::array<unsigned, 5> given{2, 1, 64, 1, 1024};
  std::sscanf(text.substr(0, 200).c_str(), "// launch %u %u %u %u %u", &given[0], &given[1], &given[2],
              &given[3], &given[4]);
  const std::array<unsigned, 5> most{4, 2, 128, 8, 16384};
  for (std::size_t i = 0; i < given.size(); ++i) given[i] = std::clamp(given[i], i < 4 ? 1u : 0u, most[i]);
  Launch launch;
  launch.grid = {given[0], given[1], 1};
  launch.block = {given[2], given[3], 1};
  launch.dynamic_shared = given[4];
  return launch;
}

Kernel kernel_of(const ptx::Function& entry, const Launch& launch) {
  Kernel kernel;
  kernel.name = entry.name;
  kernel.source.file = "fuzz.cu";
  for (std::size_t i = 0; i < kBuffers; ++i)
    kernel.buffers.push_back({"buffer" + std::to_string(i),
                              {ScalarType::kU32, 4},
                              kWords,
                              {i % 2 == 0 ? BufferInit::Kind::kIota : BufferInit::Kind::kZeros}});
  Step step{entry.name, launch, {}};
  std::size_t next = 0;
  for (const ptx::Parameter& parameter : entry.parameters) {
    if (parameter.bytes == 8) {
      step.args.emplace_back(BufferRef{next++ % kBuffers, 0});
    } else {
      Scalar scalar{{ScalarType::kBytes, parameter.bytes}, std::vector<std::uint8_t>(parameter.bytes)};
      if (!scalar.bits.empty()) scalar.bits[0] = 48;
      step.args.emplace_back(std::move(scalar));
    }
  }
  kernel.steps = {step};
  return kernel;
}

void check_counts(const prediction::StepCounts& counts, const simt::Program& program) {
  for (const prediction::ScaledRecord& record : counts.records) {
    require(record.instruction >= 0 && record.instruction < program.instruction_count(),
            "its instruction exists");
    require(record.requests >= 1, "a request is counted");
    require(record.ideal <= record.actual, "the ideal is no more than the actual");
    require(record.lanes >= record.requests && record.lanes <= 32 * record.requests,
            "1 to 32 lanes a request");
  }
  require(counts.lane_instructions <= 32 * counts.warp_instructions, "at most 32 lanes a warp instruction");
  for (const Hazard& hazard : counts.hazards) require(!hazard.text.empty(), "a hazard says what it is");
}

void execute(const ptx::Module& module, const ptx::Function& entry, const Launch& launch) {
  const Kernel kernel = kernel_of(entry, launch);
  const auto analysis = prediction::analyse_kernel(kernel, CompiledKernel{}, module);
  if (!analysis) {
    require(analysis.error().code == ErrorCode::kMachine && !analysis.error().hint.empty(),
            "an entry of the module is found; only work in clusters is refused, with a way out");
    return;
  }
  const auto initial = HostBuffers::initial(kernel);
  require(initial.has_value(), "there is memory");
  for (const bool all_blocks : {true, false}) {
    auto execution = prediction::KernelExecution::prepare(kernel, *analysis, *initial, !all_blocks);
    if (!execution) {
      require(!execution.error().what.empty() && !execution.error().hint.empty(),
              "an error says what and what to do");
      return;
    }
    prediction::StepLimits limits;
    limits.all_blocks = all_blocks;
    limits.threads = 1;
    limits.timeout_s = kSeconds;
    limits.step_limit = kSteps;
    limits.lane_instructions = 32 * kSteps;
    const auto counts = (*execution)->run_step(0, limits);
    if (!counts) {
      require(!counts.error().what.empty() && !counts.error().hint.empty(),
              "an error says what and what to do");
      return;
    }
    check_counts(*counts, (*execution)->program(0));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto module = gpuprobe::ptx::parse(text);
  if (!module) return 0;
  std::size_t instructions = 0;
  for (const auto& function : module->functions) instructions += function.body.size();
  if (instructions > kMaxInstructions) return 0;
  int entries = 0;
  for (const auto& function : module->functions)
    if (function.is_entry && !function.is_declaration && entries++ < kEntries)
      execute(*module, function, launch_of(text));
  return 0;
}
