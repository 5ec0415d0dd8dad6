// Any bytes as PTX: the parser answers with a module or an error, and what it lets through holds together.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "model/ptx/flow.h"
#include "model/ptx/locations.h"
#include "model/ptx/parser.h"

namespace {

using gpuprobe::ptx::Function;
using gpuprobe::ptx::Operand;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "the parsed module does not hold together: %s\n", what);
  std::abort();
}

void check_operand(const Function& function, const Operand& operand) {
  const auto registers = static_cast<int>(function.registers.size());
  const auto size = static_cast<int>(function.body.size());
  require(operand.reg >= -1 && operand.reg < registers, "a register of an operand exists");
  require(!operand.pair_reg || (*operand.pair_reg >= 0 && *operand.pair_reg < registers),
          "so does a second one");
  if (operand.kind == Operand::Kind::kLabel)
    require(operand.target >= 0 && operand.target <= size, "a label leads into the body");
  for (const auto& element : operand.elements) check_operand(function, element);
}

void check_function(const Function& function) {
  const auto size = static_cast<int>(function.body.size());
  for (const auto& instruction : function.body) {
    require(instruction.guard < static_cast<int>(function.registers.size()), "a guard exists");
    for (const auto& operand : instruction.operands) check_operand(function, operand);
    int before = instruction.location + 1;
    for (const auto* location : gpuprobe::ptx::location_chain(function, instruction.location)) {
      require(location->inlined_at < before, "a chain of locations ends");
      before = location->inlined_at;
    }
  }
  for (const auto& [name, targets] : function.branch_targets)
    for (int target : targets) require(target >= 0 && target <= size, "a table leads into the body");

  const auto flow = gpuprobe::ptx::analyse(function);
  for (int meet : flow.reconvergence) require(meet >= 0 && meet <= size, "lanes meet in the body");
  for (const auto& block : flow.blocks)
    for (int next : block.successors) {
      const auto to = static_cast<std::size_t>(next);
      const int target = to < flow.blocks.size() ? flow.blocks[to].begin : size;
      require(
          flow.queue_position(block.end - 1, target) > flow.position[static_cast<std::size_t>(block.end - 1)],
          "lanes that go on queue behind where they were");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto module = gpuprobe::ptx::parse({reinterpret_cast<const char*>(data), size});
  if (!module) {
    require(!module.error().what.empty() && !module.error().hint.empty(),
            "an error says what and what to do");
    return 0;
  }
  for (const auto& function : module->functions) check_function(function);
  for (const auto& variable : module->variables)
    require(variable.initial.size() <= variable.bytes, "initial values fit into their variable");
  return 0;
}
