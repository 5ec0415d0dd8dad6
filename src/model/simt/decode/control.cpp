// Branches, calls, exits and block-level barriers.
#include <algorithm>

#include "model/simt/decode/instruction_decoder.h"
#include "model/simt/memory.h"
#include "model/simt/misc_ops.h"

namespace gpuprobe::simt {

using Kind = ptx::Operand::Kind;

bool InstructionDecoder::decode_branch() {
  const int size = static_cast<int>(layout_.function->body.size());
  const auto way = [&](int to) {
    return BranchOp::Way{layout_.entry_point + to, layout_.flow.queue_position(index_, to)};
  };
  take("uni");
  BranchOp branch;
  branch.next = way(index_ + 1);
  if (instruction_.opcode == "bra") {
    if (operand(0).kind != Kind::kLabel || operand(0).target < 0 || operand(0).target > size)
      return fail("the branch has no target");
    branch.targets.push_back(way(operand(0).target));
    op_.flow = FlowKind::kBranch;
  } else {
    take("idx");
    const auto table = layout_.function->branch_targets.find(operand(1).symbol);
    if (table == layout_.function->branch_targets.end()) return fail("the branch has no table of targets");
    for (const int target : table->second) branch.targets.push_back(way(target));
    op_.a = source(0, Type::kB32);
    op_.flow = FlowKind::kBranchTable;
  }
  op_.branch = &decoder_.image().branch_ops.emplace_back(std::move(branch));
  return problem_.empty();
}

bool InstructionDecoder::decode_control() {
  const std::string& opcode = instruction_.opcode;
  if (opcode == "bra" || opcode == "brx") return decode_branch();
  if (opcode == "call") return decode_call();
  if (opcode == "ret") {
    take("uni");
    op_.flow = FlowKind::kReturn;
    return true;
  }
  if (opcode == "exit") {
    op_.flow = FlowKind::kExit;
    return true;
  }
  if (opcode == "trap") {
    op_.flow = FlowKind::kTrap;
    return true;
  }
  if (opcode == "brkpt") return fail("breakpoints are not supported");
  return false;
}

bool InstructionDecoder::decode_call() {
  take("uni");
  CallOp call;
  call.caller = layout_.index;
  const auto pieces = [&](const ptx::Operand& list, std::vector<CallOp::Piece>& out) {
    for (const ptx::Operand& element : list.elements) {
      const Symbol symbol = decoder_.find_symbol(layout_, element.symbol);
      if (element.kind != Kind::kSymbol || symbol.kind != Symbol::Kind::kColumns)
        return fail("arguments that are not .param variables are not supported");
      out.push_back({symbol.slot, std::max(1u, static_cast<std::uint32_t>((symbol.bytes + 7) / 8))});
    }
    return true;
  };
  if (!expect_operands(3, 4) || !pieces(operand(0), call.results) || !pieces(operand(2), call.arguments))
    return false;
  if (operand(1).kind == Kind::kRegister) {
    call.pointer = source(1, Type::kB64);
    op_.flow = FlowKind::kCallIndirect;
    op_.call = &decoder_.image().call_ops.emplace_back(std::move(call));
    return problem_.empty();
  }
  const std::string& name = operand(1).symbol;
  if (const auto callee = decoder_.function_index(name)) {
    call.callee = *callee;
    op_.flow = FlowKind::kCall;
    op_.call = &decoder_.image().call_ops.emplace_back(std::move(call));
    return true;
  }
  if (name == "vprintf") {
    // What a kernel prints does not change its memory accesses.
    if (!call.results.empty()) op_.dst = call.results[0].slot;
    op_.run = return_zero;
    return true;
  }
  if (name == "__assertfail") {
    op_.flow = FlowKind::kAssert;
    op_.call = &decoder_.image().call_ops.emplace_back(std::move(call));
    return true;
  }
  if (name == "malloc" || name == "free")
    return fail("the heap of the device (" + name + ") is not supported");
  return fail("the function " + name + " is not in this module");
}

bool InstructionDecoder::decode_barrier() {
  const std::string& opcode = instruction_.opcode;
  if ((opcode != "bar" && opcode != "barrier") || has("warp")) return false;
  BarrierOp barrier;
  const bool is_cluster = take("cluster");
  take("cta");
  barrier.aligned = opcode == "bar" || take("aligned");
  if (is_cluster) {
    // A cluster of one block: arriving is enough, and waiting is a barrier of the block's warps.
    take_any({"acquire", "release", "relaxed"});
    if (take("arrive")) {
      op_.run = no_operation;
      return true;
    }
    if (!take("wait")) return fail("this form of the instruction is not supported");
    barrier.cluster = true;
    barrier.id = decoder_.constant_word(16);
    op_.flow = FlowKind::kBarrier;
    op_.barrier = &decoder_.image().barrier_ops.emplace_back(barrier);
    return true;
  }
  std::size_t next = 0;
  if (take("arrive")) {
    barrier.kind = BarrierKind::kArrive;
  } else if (take("red")) {
    const std::string_view reduce = take_one_of({"popc", "and", "or"});
    if (reduce.empty()) return fail("this form of the instruction is not supported");
    barrier.kind = reduce == "popc" ? BarrierKind::kRedPopc
                                    : (reduce == "and" ? BarrierKind::kRedAnd : BarrierKind::kRedOr);
    take_any({"u32", "pred"});
    op_.dst = reduce == "popc" ? target(0, Type::kU32) : predicate_target(0);
    next = 1;
    if (operand_count() < 3) return fail("this form of the instruction is not supported");
    op_.a = predicate_source(operand_count() - 1, kFlagNegateA);
  } else if (!take("sync")) {
    return fail("this form of the instruction is not supported");
  }
  const std::size_t last = operand_count() - (op_.a != kNoSlot ? 1 : 0);
  if (next >= last || last - next > 2) return fail("this form of the instruction is not supported");
  barrier.id = source(next, Type::kU32);
  if (next + 1 < last) barrier.count = source(next + 1, Type::kU32);
  if (barrier.kind == BarrierKind::kArrive && barrier.count == kNoSlot)
    return fail("an arrival without a number of threads is not supported");
  op_.flow = FlowKind::kBarrier;
  op_.barrier = &decoder_.image().barrier_ops.emplace_back(barrier);
  return problem_.empty();
}

}  // namespace gpuprobe::simt
