#include "model/prediction/kernel_execution.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <utility>

#include "model/prediction/combined_increments.h"
#include "model/prediction/operands.h"

namespace gpuprobe::prediction {
namespace {

/// Whether the instruction can tell that its block is one of several of a cluster.
bool sees_cluster(const ptx::Instruction& instruction) {
  if (instruction.opcode == "mapa" || instruction.opcode == "getctarank") return true;
  if (instruction.opcode == "barrier" && has_modifier(instruction, "cluster")) return true;
  return std::any_of(
      instruction.operands.begin(), instruction.operands.end(), [](const ptx::Operand& operand) {
        return operand.symbol.starts_with("%cluster") || operand.symbol.starts_with("%ncluster");
      });
}

/// The machine executes every block alone. A kernel that only shares a launch with its neighbours does not
/// notice; one that works with them would compute something else.
Status check_clusters(const Kernel& kernel, const KernelAnalysis& analysis, const ptx::Module& module) {
  for (const Step& step : kernel.steps) {
    const ptx::Function* entry = module.find(analysis.lowered.at(step.entry));
    std::uint64_t blocks = step.launch.cluster.count();
    if (const auto fixed = entry->bounds.find("reqnctapercluster"); fixed != entry->bounds.end())
      for (const std::uint32_t extent : fixed->second) blocks = std::max<std::uint64_t>(blocks, extent);
    if (blocks <= 1) continue;
    for (const ptx::Function& function : module.functions)
      if (std::any_of(function.body.begin(), function.body.end(), sees_cluster))
        return fail(ErrorCode::kMachine,
                    fmt::format("{} works in clusters of several blocks, which the model does not execute",
                                step.entry),
                    "measure it on a GPU with --source gpu");
  }
  return {};
}

}  // namespace

Result<KernelAnalysis> analyse_kernel(const Kernel& kernel, const CompiledKernel& compiled,
                                      const ptx::Module& module) {
  KernelAnalysis analysis;
  analysis.module = &module;
  analysis.written.assign(kernel.buffers.size(), false);
  for (const std::string& entry : kernel.entries()) {
    const FunctionResources* resources = compiled.find(entry);
    const std::string& symbol = resources ? resources->lowered_name : entry;
    const ptx::Function* function = module.find(symbol);
    if (!function)
      return fail(ErrorCode::kDefect, fmt::format("the PTX has no entry '{}'", symbol),
                  "please report it with the command line that you typed");
    analysis.lowered[entry] = symbol;
    analysis.dependence[entry] = analyse_dependence(*function);
  }
  if (Status alone = check_clusters(kernel, analysis, module); !alone) return tl::unexpected(alone.error());
  for (const ptx::Function& function : module.functions) {
    if (function.is_declaration) continue;
    std::vector<MergedLoad> merged = merged_shared_loads(module, function);
    std::move(merged.begin(), merged.end(), std::back_inserter(analysis.merged));
    analysis.combined_increments.merge(combined_increments(module, function));
  }
  for (const Step& step : kernel.steps) {
    const Dependence& dependence = analysis.dependence.at(step.entry);
    for (std::size_t i = 0; i < step.args.size(); ++i)
      if (const auto* reference = std::get_if<BufferRef>(&step.args[i]))
        if (dependence.writes_anything || dependence.written_parameters.contains(static_cast<int>(i)))
          analysis.written[reference->buffer] = true;
    if (dependence.writes_anything) analysis.written.assign(kernel.buffers.size(), true);
  }
  return analysis;
}

Result<std::unique_ptr<KernelExecution>> KernelExecution::prepare(const Kernel& kernel,
                                                                  const KernelAnalysis& analysis,
                                                                  const HostBuffers& initial,
                                                                  bool track_writes) {
  std::unique_ptr<KernelExecution> execution(new KernelExecution(kernel, initial));
  HostBuffers& result = execution->result_;
  for (std::size_t i = 0; i < kernel.buffers.size(); ++i) {
    std::span<std::byte> bytes;
    if (analysis.written[i]) {
      bytes = result.bytes(i);  // becomes a copy of its own
    } else {
      // Shared with the initial image: the analysis has shown that no store reaches it.
      const std::span<const std::byte> shared = std::as_const(result).bytes(i);
      bytes = {const_cast<std::byte*>(shared.data()), shared.size()};
    }
    execution->addresses_.push_back(
        execution->memory_.map(kernel.buffers[i].name, bytes, track_writes && analysis.written[i]));
  }
  for (const std::string& entry : kernel.entries())
    if (Status loaded = execution->load_program(entry, analysis); !loaded)
      return tl::unexpected(loaded.error());
  for (std::size_t i = 0; i < kernel.steps.size(); ++i)
    if (Status packed = execution->pack_arguments(i); !packed) return tl::unexpected(packed.error());
  execution->loads_ = std::make_unique<TouchedSectors>(execution->memory_);
  execution->stores_ = std::make_unique<TouchedSectors>(execution->memory_);
  return execution;
}

Status KernelExecution::load_program(const std::string& entry, const KernelAnalysis& analysis) {
  auto program = simt::Program::load(*analysis.module, analysis.lowered.at(entry), memory_);
  if (!program) return tl::unexpected(program.error());
  std::map<int, int> instruction_at;  // by PTX line
  for (int i = 0; i < (*program)->instruction_count(); ++i)
    instruction_at.emplace((*program)->instruction(i).ptx_line, i);
  std::vector<InstructionPlan> plan(static_cast<std::size_t>((*program)->instruction_count()));
  for (const MergedLoad& load : analysis.merged) {
    const bool known = std::all_of(load.ptx_lines.begin(), load.ptx_lines.end(),
                                   [&](int line) { return instruction_at.contains(line); });
    if (!known) continue;  // of a function that this entry does not call
    for (std::size_t k = 0; k < load.ptx_lines.size(); ++k) {
      InstructionPlan& one = plan[static_cast<std::size_t>(instruction_at[load.ptx_lines[k]])];
      one.skipped = k > 0;
      one.merged = k == 0;
      one.merged_width = load.width;
      one.merged_offset = load.first_offset;
    }
  }
  for (int i = 0; i < (*program)->instruction_count(); ++i)
    plan[static_cast<std::size_t>(i)].combines_lanes =
        analysis.combined_increments.contains((*program)->instruction(i).ptx_line);
  issue_plans_[entry] = plan_issue(*analysis.module, **program);
  programs_[entry] = std::move(*program);
  plans_[entry] = std::move(plan);
  return {};
}

Status KernelExecution::pack_arguments(std::size_t step) {
  const Step& launch = kernel_.steps[step];
  const auto& parameters = programs_.at(launch.entry)->parameters();
  if (parameters.size() != launch.args.size())
    return fail(ErrorCode::kUsage,
                fmt::format("{} takes {} arguments, but {} are given", launch.entry, parameters.size(),
                            launch.args.size()),
                "give one argument for each parameter of the kernel, in order");
  std::vector<std::uint8_t>& block = arguments_.emplace_back();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const ptx::Parameter& parameter = parameters[i];
    std::vector<std::uint8_t> bits;
    if (const auto* reference = std::get_if<BufferRef>(&launch.args[i])) {
      const std::uint64_t address = addresses_[reference->buffer] + reference->byte_offset;
      bits.resize(sizeof address);
      std::memcpy(bits.data(), &address, sizeof address);
    } else {
      bits = std::get<Scalar>(launch.args[i]).bits;
    }
    if (bits.size() != parameter.bytes)
      return fail(ErrorCode::kUsage,
                  fmt::format("parameter {} of {} has {} bytes, but the argument has {}", i + 1, launch.entry,
                              parameter.bytes, bits.size()),
                  "give the argument the type that the kernel declares");
    block.resize(std::max<std::size_t>(block.size(), std::size_t{parameter.offset} + parameter.bytes));
    std::copy(bits.begin(), bits.end(), block.begin() + parameter.offset);
  }
  return {};
}

Result<StepCounts> KernelExecution::run_step(std::size_t step, const StepLimits& limits) {
  const StepPlans plans{plan(step), issue_plans_.at(kernel_.steps[step].entry)};
  StepRunner runner(program(step), memory_, kernel_.steps[step].launch, arguments_[step], plans, *loads_,
                    *stores_);
  return runner.run(limits);
}

Result<simt::Outcome> KernelExecution::run_step_in_order(std::size_t step, double timeout_s, bool last_first,
                                                         simt::Observer* observer) {
  simt::Execution execution;
  execution.launch = kernel_.steps[step].launch;
  execution.parameters = arguments_[step];
  if (last_first) {
    execution.blocks.resize(execution.launch.grid.count());
    std::iota(execution.blocks.rbegin(), execution.blocks.rend(), std::uint64_t{0});
  }
  execution.threads = 1;
  execution.timeout_s = timeout_s;
  const std::array<simt::Observer*, 1> observers{observer};
  return simt::execute(program(step), memory_, execution, observers);
}

}  // namespace gpuprobe::prediction
