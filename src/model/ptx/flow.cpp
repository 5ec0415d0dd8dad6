#include "model/ptx/flow.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "model/ptx/graph.h"

namespace gpuprobe::ptx {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

bool leaves(const Instruction& instruction) {
  return instruction.opcode == "ret" || instruction.opcode == "exit" || instruction.opcode == "trap";
}

bool jumps(const Instruction& instruction) {
  return instruction.opcode == "bra" || instruction.opcode == "brx";
}

// Where a bra or brx.idx may go, as instruction indices.
std::vector<int> targets(const Function& function, const Instruction& instruction) {
  std::vector<int> result;
  for (const auto& operand : instruction.operands) {
    if (operand.kind == Operand::Kind::kLabel) result.push_back(operand.target);
    if (operand.kind != Operand::Kind::kSymbol) continue;
    const auto table = function.branch_targets.find(operand.symbol);
    if (table != function.branch_targets.end())
      result.insert(result.end(), table->second.begin(), table->second.end());
  }
  return result;
}

std::vector<BasicBlock> split(const Function& function, std::vector<int>& block_of) {
  const auto size = function.body.size();
  std::vector<bool> leader(size + 1, false);
  leader[0] = true;
  for (std::size_t i = 0; i < size; ++i) {
    const auto& instruction = function.body[i];
    if (leaves(instruction) || jumps(instruction)) leader[i + 1] = true;
    if (jumps(instruction))
      for (int target : targets(function, instruction)) leader[at(target)] = true;
  }
  std::vector<BasicBlock> blocks;
  for (std::size_t i = 0; i < size; ++i) {
    if (leader[i]) blocks.push_back({static_cast<int>(i), static_cast<int>(i), {}});
    blocks.back().end = static_cast<int>(i + 1);
    block_of.push_back(static_cast<int>(blocks.size()) - 1);
  }
  return blocks;
}

void connect(const Function& function, Flow& flow) {
  const auto size = function.body.size();
  const int exit = static_cast<int>(flow.blocks.size());
  const auto block_at = [&](int i) { return at(i) < size ? flow.block_of[at(i)] : exit; };
  for (auto& block : flow.blocks) {
    const auto& last = function.body[at(block.end - 1)];
    if (leaves(last)) block.successors.push_back(exit);
    if (jumps(last))
      for (int target : targets(function, last)) block.successors.push_back(block_at(target));
    if (last.guard >= 0 || !(leaves(last) || jumps(last))) block.successors.push_back(block_at(block.end));
    std::sort(block.successors.begin(), block.successors.end());
    block.successors.erase(std::unique(block.successors.begin(), block.successors.end()),
                           block.successors.end());
  }
}

// Blocks that do nothing but leave the function, directly or after bare jumps.
std::vector<bool> bare_exits(const Function& function, const Flow& flow) {
  std::vector<bool> bare(flow.blocks.size() + 1, false);
  bare.back() = true;
  std::vector<std::vector<int>> jumped_from(flow.blocks.size());
  std::vector<int> work;
  for (std::size_t b = 0; b < flow.blocks.size(); ++b) {
    const auto& block = flow.blocks[b];
    const auto& only = function.body[at(block.begin)];
    if (block.end - block.begin != 1 || block.successors.size() != 1 || !(leaves(only) || jumps(only)))
      continue;
    const auto next = at(block.successors[0]);
    if (next == flow.blocks.size())
      work.push_back(static_cast<int>(b));
    else
      jumped_from[next].push_back(static_cast<int>(b));
  }
  while (!work.empty()) {
    const auto block = at(work.back());
    work.pop_back();
    bare[block] = true;
    work.insert(work.end(), jumped_from[block].begin(), jumped_from[block].end());
  }
  return bare;
}

}  // namespace

Flow analyse(const Function& function) {
  Flow flow;
  const int size = static_cast<int>(function.body.size());
  flow.blocks = split(function, flow.block_of);
  connect(function, flow);

  const auto bare = bare_exits(function, flow);
  Graph all;
  Graph meeting;  // without the edges of lanes that only leave
  for (const auto& block : flow.blocks) {
    all.push_back(block.successors);
    auto kept = block.successors;
    std::erase_if(kept, [&](int next) { return bare[at(next)]; });
    meeting.push_back(kept.empty() ? block.successors : kept);
  }
  const auto dominators = post_dominators(meeting);
  const auto order = schedule(all);

  // Positions of instructions: the blocks and latches by their own positions, laid one behind the other.
  std::vector<std::pair<int, int>> slots;  // position -> block, or -1 - block for its latch
  for (std::size_t b = 0; b < flow.blocks.size(); ++b) {
    slots.emplace_back(order.position[b], static_cast<int>(b));
    if (order.latch[b] >= 0) slots.emplace_back(order.latch[b], -1 - static_cast<int>(b));
  }
  std::sort(slots.begin(), slots.end());
  flow.position.assign(at(size) + 1, 0);
  flow.loop_end.assign(at(size) + 1, -1);
  int next = 0;
  for (const auto& slot : slots) {
    if (slot.second < 0) {
      flow.loop_end[at(flow.blocks[at(-1 - slot.second)].begin)] = next++;
      continue;
    }
    const auto& block = flow.blocks[at(slot.second)];
    for (int i = block.begin; i < block.end; ++i) flow.position[at(i)] = next++;
  }
  flow.position[at(size)] = next;

  for (int i = 0; i < size; ++i) {
    const int block = flow.block_of[at(i)];
    const int meet = dominators[at(block)];
    if (i + 1 < flow.blocks[at(block)].end)
      flow.reconvergence.push_back(i + 1);
    else
      flow.reconvergence.push_back(at(meet) < flow.blocks.size() ? flow.blocks[at(meet)].begin : size);
  }
  return flow;
}

}  // namespace gpuprobe::ptx
