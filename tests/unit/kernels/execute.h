// Runs a kernel's steps on the CPU and, if every block ran, checks the results as a run does.
#pragma once

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "compile/compiler.h"
#include "core/buffers.h"
#include "model/ptx/parser.h"
#include "model/simt/machine.h"

namespace gpuprobe {

struct ExecuteOptions {
  std::vector<std::uint64_t> blocks;   ///< of each step; empty = all
  simt::Observer* observer = nullptr;  ///< sees every access, on one thread
};

struct Executed {
  CheckOutcome check;
  std::vector<Hazard> hazards;
};

inline Result<Executed> execute(const Kernel& kernel, std::string_view arch, const ExecuteOptions& options) {
  const auto compiled = compile::compile(kernel, arch);
  if (!compiled) return tl::unexpected(compiled.error());
  const auto module = ptx::parse(compiled->ptx);
  if (!module) return tl::unexpected(module.error());
  const auto initial = HostBuffers::initial(kernel);
  if (!initial) return tl::unexpected(initial.error());
  HostBuffers host = *initial;
  simt::DeviceMemory memory;
  std::vector<std::uint64_t> addresses;
  for (std::size_t i = 0; i < kernel.buffers.size(); ++i)
    addresses.push_back(memory.map(kernel.buffers[i].name, host.bytes(i), false));
  Executed result;
  for (const Step& step : kernel.steps) {
    const auto program = simt::Program::load(*module, compiled->find(step.entry)->lowered_name, memory);
    if (!program) return tl::unexpected(program.error());
    simt::Execution execution;
    execution.launch = step.launch;
    for (std::size_t i = 0; i < step.args.size(); ++i) {
      const ptx::Parameter& parameter = (*program)->parameters().at(i);
      execution.parameters.resize(parameter.offset + parameter.bytes);
      std::uint8_t* at = execution.parameters.data() + parameter.offset;
      if (const auto* reference = std::get_if<BufferRef>(&step.args[i])) {
        const std::uint64_t address = addresses[reference->buffer] + reference->byte_offset;
        std::memcpy(at, &address, sizeof address);
      } else {
        const auto& bits = std::get<Scalar>(step.args[i]).bits;
        std::memcpy(at, bits.data(), bits.size());
      }
    }
    execution.blocks = options.blocks;
    std::vector<simt::Observer*> observers;
    if (options.observer != nullptr) observers.push_back(options.observer);
    auto outcome = simt::execute(**program, memory, execution, observers);
    if (!outcome) return tl::unexpected(outcome.error());
    result.hazards.insert(result.hazards.end(), outcome->hazards.begin(), outcome->hazards.end());
    if (outcome->timed_out || outcome->faulted) break;
  }
  if (options.blocks.empty()) result.check = check_result(kernel, *initial, host, nullptr);
  return result;
}

inline Result<Executed> execute_all(const Kernel& kernel, std::string_view arch) {
  return execute(kernel, arch, {});
}

}  // namespace gpuprobe
