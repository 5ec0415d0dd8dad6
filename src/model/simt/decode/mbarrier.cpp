// mbarrier.*, and the arrival of asynchronous copies at one.
#include "model/simt/mbarrier.h"
#include "model/simt/decode/instruction_decoder.h"
#include "model/simt/misc_ops.h"

namespace gpuprobe::simt {

bool InstructionDecoder::decode_mbarrier_object(std::size_t address, std::uint8_t what) {
  take_any({"acquire", "release", "relaxed", "cta", "cluster"});
  const bool shared = take_any({"shared", "shared::cta", "shared::cluster"});
  take("b64");
  MemoryOp memory;
  memory.op = AccessOp::kAtomic;
  memory.type = Type::kB64;
  memory.element_bytes = 8;
  memory.window = shared ? Window::kShared : Window::kGeneric;
  memory.data.fill(kNoSlot);
  if (!decode_address(operand(address), memory)) return false;
  const std::size_t value = address + 1;
  if (operand_count() > value) {
    if (static_cast<MbarrierOp>(what) == MbarrierOp::kTestState)
      memory.compare = source(value, Type::kB64);
    else
      memory.data[0] = source(value, Type::kU32);
  }
  op_.mode = what;
  op_.flow = FlowKind::kMemory;
  op_.run = mbarrier;
  op_.memory = &decoder_.image().memory_ops.emplace_back(memory);
  return problem_.empty();
}

bool InstructionDecoder::decode_mbarrier() {
  if (instruction_.opcode != "mbarrier") return false;
  const auto is = [](MbarrierOp what) { return static_cast<std::uint8_t>(what); };
  if (take("init")) return expect_operands(2, 2) && decode_mbarrier_object(0, is(MbarrierOp::kInit));
  if (take("inval")) return expect_operands(1, 1) && decode_mbarrier_object(0, is(MbarrierOp::kInvalidate));
  if (take("expect_tx")) {
    if (take("arrive")) {
      if (!expect_operands(3, 3)) return false;
      op_.dst = target(0, Type::kB64);
      return decode_mbarrier_object(1, is(MbarrierOp::kArriveExpect));
    }
    return expect_operands(2, 2) && decode_mbarrier_object(0, is(MbarrierOp::kExpect));
  }
  if (take("complete_tx"))
    return expect_operands(2, 2) && decode_mbarrier_object(0, is(MbarrierOp::kComplete));
  const bool drops = take("arrive_drop");
  if (drops || take("arrive")) {
    // Without .noComplete the arrival may end the phase; with it the kernel says that it does not.
    take("noComplete");
    if (!expect_operands(2, 3)) return false;
    op_.dst = target(0, Type::kB64);
    return decode_mbarrier_object(1, is(drops ? MbarrierOp::kArriveDrop : MbarrierOp::kArrive));
  }
  if (take_any({"test_wait", "try_wait"})) {
    const bool parity = take("parity");
    if (!expect_operands(3, 4)) return false;  // the fourth limits how long try_wait sleeps
    op_.dst = predicate_target(0);
    return decode_mbarrier_object(1, is(parity ? MbarrierOp::kTestParity : MbarrierOp::kTestState));
  }
  if (take("pending_count")) {
    take("b64");
    if (!expect_operands(2, 2)) return false;
    op_.dst = target(0, Type::kB32);
    op_.a = source(1, Type::kB64);
    op_.run = mbarrier_pending;
    return problem_.empty();
  }
  return fail("this form of the instruction is not supported");
}

bool InstructionDecoder::decode_copy_arrival() {
  take_any({"mbarrier", "mbarrier::arrive", "arrive"});
  // Copies are done when they are issued. Without .noinc the arrival was not counted when the barrier was
  // initialised: it adds one to what is pending and takes it away again.
  const bool counted = take("noinc");
  if (!expect_operands(1, 1)) return false;
  if (counted) return decode_mbarrier_object(0, static_cast<std::uint8_t>(MbarrierOp::kArrive));
  take_any({"shared", "shared::cta"});
  take("b64");
  op_.run = no_operation;
  return true;
}

}  // namespace gpuprobe::simt
