#include "model/prediction/issue_pace.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "model/prediction/operands.h"
#include "model/ptx/flow.h"

namespace gpuprobe::prediction {
namespace {

using ptx::Instruction;

/// Integer and f32 arithmetic, from compute capability 7.0 on: CUDA C++ Programming Guide, "Multiprocessor
/// Level". An H200 agrees: two warps a scheduler with one chain each issue every other cycle
/// (kernels/pressure).
constexpr int kArithmetic = 4;
/// Jia et al., "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking" (arXiv 1804.06826), table
/// of instruction latencies: HFMA2 6, DFMA 8, MUFU and FLO 14 (POPC 10 and conversions take the same unit).
constexpr int kHalf = 6;
constexpr int kDouble = 8;
constexpr int kSpecialFunction = 14;
/// A division is a reciprocal and six dependent multiply-adds: two Newton steps, the product, its remainder
/// and two corrections (the code that ptxas emits for div.rn.f32 and rem.s32).
constexpr int kDivisionSteps = 6;
/// Sun et al., "Dissecting Tensor Cores via Microbenchmarks" (arXiv 2206.02874): mma.m16n8k16 in f16 takes
/// 24.7 cycles on an A100.
constexpr int kMatrix = 25;
/// Shuffles go through the unit that serves shared memory, with its round trip: 29 cycles on an H200 by a
/// pointer chase.
constexpr int kShuffle = 29;
/// Copies take a cycle to issue, but nobody waits for them: the assembler reads their source, or the constant
/// or parameter, in place.
constexpr int kRenamed = 0;

/// Instructions of one block after which the pace is known: some milliseconds of work.
constexpr std::uint64_t kEnough = 1 << 16;

template <std::size_t N>
bool is_one_of(std::string_view opcode, const std::array<std::string_view, N>& list) {
  return std::find(list.begin(), list.end(), opcode) != list.end();
}

bool has_type(const Instruction& instruction, std::string_view prefix) {
  return std::any_of(instruction.modifiers.begin(), instruction.modifiers.end(),
                     [&](const std::string& modifier) { return modifier.starts_with(prefix); });
}

/// Between an integer and a floating-point type: the first modifiers that start so are those of the types.
bool converts_kind(const Instruction& instruction) {
  bool is_float = false;
  bool is_integer = false;
  for (const std::string& modifier : instruction.modifiers) {
    is_float = is_float || modifier == "f16" || modifier == "bf16" || modifier == "f32" || modifier == "f64";
    is_integer = is_integer || ((modifier[0] == 'u' || modifier[0] == 's') && modifier.size() >= 2 &&
                                modifier[1] >= '1' && modifier[1] <= '8');
  }
  return is_float && is_integer;
}

int latency_of(const Instruction& instruction) {
  constexpr std::array<std::string_view, 2> kCopies = {"mov", "cvta"};
  constexpr std::array<std::string_view, 11> kSpecial = {"ex2",  "lg2", "sin",   "cos",  "tanh", "rsqrt",
                                                         "popc", "clz", "bfind", "brev", "fns"};
  constexpr std::array<std::string_view, 4> kDivisions = {"div", "rem", "rcp", "sqrt"};
  constexpr std::array<std::string_view, 3> kShuffles = {"shfl", "match", "redux"};
  const std::string_view opcode = instruction.opcode;
  if (is_one_of(opcode, kCopies) || (opcode == "ld" && has_type(instruction, "param"))) return kRenamed;
  if (is_one_of(opcode, kShuffles)) return kShuffle;
  if (opcode == "mma" || opcode == "wmma") return kMatrix;
  if (opcode == "ld" || opcode == "st" || opcode == "setp") return kArithmetic;
  const int arithmetic = has_type(instruction, "f64")                                    ? kDouble
                         : has_type(instruction, "f16") || has_type(instruction, "bf16") ? kHalf
                                                                                         : kArithmetic;
  if (is_one_of(opcode, kDivisions))
    return kSpecialFunction + (has_modifier(instruction, "approx") ? 0 : kDivisionSteps * arithmetic);
  if (is_one_of(opcode, kSpecial) || (opcode == "cvt" && converts_kind(instruction))) return kSpecialFunction;
  return arithmetic;
}

/// The assembler moves nothing across it.
bool ends_stretch(const Instruction& instruction) {
  constexpr std::array<std::string_view, 9> kEnds = {"bra",  "brx", "ret",     "exit",    "trap",
                                                     "call", "bar", "barrier", "mbarrier"};
  return is_one_of(std::string_view(instruction.opcode), kEnds);
}

/// Appends the steps of one function; `stretch` counts through all functions.
void append(IssuePlan& plan, const ptx::Function& function, int& stretch) {
  const std::vector<int> block_of = ptx::analyse(function).block_of;
  for (std::size_t i = 0; i < function.body.size(); ++i) {
    const Instruction& instruction = function.body[i];
    if (i > 0 && (block_of[i] != block_of[i - 1] || plan.steps.back().last)) ++stretch;
    IssueStep& step = plan.steps.emplace_back();
    for_each_use(instruction, [&](int reg) { step.reads.push_back(plan.registers + reg); });
    if (instruction.guard >= 0) step.reads.push_back(plan.registers + instruction.guard);
    for_each_definition(instruction, [&](int reg) { step.writes.push_back(plan.registers + reg); });
    step.latency = latency_of(instruction);
    step.stretch = stretch;
    step.last = ends_stretch(instruction);
  }
  plan.steps.emplace_back().stretch = ++stretch;  // the return that the machine puts behind a body
  ++stretch;
  plan.registers += static_cast<int>(function.registers.size());
}

}  // namespace

IssuePlan plan_issue(const ptx::Module& module, const simt::Program& program) {
  IssuePlan plan;
  int stretch = 0;
  const auto count = static_cast<std::size_t>(program.instruction_count());
  while (plan.steps.size() < count) {
    const ptx::Function* function =
        module.find(program.instruction(static_cast<int>(plan.steps.size())).function);
    if (function == nullptr) break;  // a program of another module: what is left depends on nothing
    append(plan, *function, stretch);
  }
  plan.steps.resize(count);
  return plan;
}

bool IssuePace::issue(int warp, int instruction) {
  const IssueStep& step = plan_.steps[static_cast<std::size_t>(instruction)];
  WarpClock& clock = warps_[static_cast<std::size_t>(warp)];
  if (clock.ready.empty()) clock.ready.resize(static_cast<std::size_t>(plan_.registers) + 1);
  const bool goes_on = clock.previous >= 0 && instruction > clock.previous &&
                       plan_.steps[static_cast<std::size_t>(clock.previous)].stretch == step.stretch;
  if (!goes_on) {
    clock.begin = clock.free = clock.end;
    clock.taken.clear();
  }
  clock.previous = instruction;

  std::uint64_t operands = 0;
  for (const int reg : step.reads) operands = std::max(operands, clock.ready[static_cast<std::size_t>(reg)]);
  std::uint64_t at = step.last ? clock.end : clock.free;
  if (step.latency != kRenamed) at = std::max(at, operands);
  const auto is_taken = [&](std::uint64_t cycle) {
    const std::uint64_t i = cycle - clock.begin;
    return i < clock.taken.size() && clock.taken[i];
  };
  while (is_taken(at)) ++at;
  clock.taken.resize(std::max<std::size_t>(clock.taken.size(), at - clock.begin + 1));
  clock.taken[at - clock.begin] = true;
  while (is_taken(clock.free)) ++clock.free;
  clock.end = std::max(clock.end, at + 1);
  const std::uint64_t result =
      step.latency == kRenamed ? operands : at + static_cast<std::uint64_t>(step.latency);
  for (const int reg : step.writes) clock.ready[static_cast<std::size_t>(reg)] = result;
  return ++instructions_ < kEnough;
}

std::uint64_t IssuePace::cycles() const {
  std::uint64_t sum = 0;
  for (const WarpClock& clock : warps_) sum += clock.end;
  return sum;
}

}  // namespace gpuprobe::prediction
