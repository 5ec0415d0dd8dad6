#include "model/simt/wait_watch.h"

#include <algorithm>
#include <bit>

namespace gpuprobe::simt {
namespace {

/// A wait for one flag reads one word, a barrier over the grid one or two; more than this is looked at by
/// running.
constexpr std::size_t kMaxWords = 64;

/// The value now; another thread may be writing it.
std::uint64_t value_at(const std::byte* at, std::uint32_t bytes) {
  switch (bytes) {
    case 1:
      return __atomic_load_n(reinterpret_cast<const std::uint8_t*>(at), __ATOMIC_ACQUIRE);
    case 2:
      return __atomic_load_n(reinterpret_cast<const std::uint16_t*>(at), __ATOMIC_ACQUIRE);
    case 4:
      return __atomic_load_n(reinterpret_cast<const std::uint32_t*>(at), __ATOMIC_ACQUIRE);
    default:
      return __atomic_load_n(reinterpret_cast<const std::uint64_t*>(at), __ATOMIC_ACQUIRE);
  }
}

/// Notes the words of global memory that are accessed, and passes everything on. Told before the access
/// reads, so a change in between is a change since.
class Recorder final : public Observer {
 public:
  Recorder(Observer* next, DeviceMemory& memory) : next_(next), memory_(memory) {}

  void begin_block(std::uint64_t block, std::uint32_t shared_bytes) override {
    if (next_ != nullptr) next_->begin_block(block, shared_bytes);
  }
  void access(const MemoryAccess& access) override {
    if (access.space == MemorySpace::kGlobal && complete_) note(access);
    if (next_ != nullptr) next_->access(access);
  }
  void barrier(std::uint64_t block, int barrier_id, const std::vector<bool>& warps) override {
    if (next_ != nullptr) next_->barrier(block, barrier_id, warps);
  }
  void warp_sync(std::uint64_t block, int warp, std::uint32_t lanes) override {
    if (next_ != nullptr) next_->warp_sync(block, warp, lanes);
  }
  void fence(std::uint64_t block, int warp, MemoryOrder order) override {
    if (next_ != nullptr) next_->fence(block, warp, order);
  }
  void end_block(std::uint64_t block) override {
    if (next_ != nullptr) next_->end_block(block);
  }
  void block_work(std::uint64_t block, std::uint64_t warp_instructions,
                  std::uint64_t lane_instructions) override {
    if (next_ != nullptr) next_->block_work(block, warp_instructions, lane_instructions);
  }

  bool complete() const { return complete_; }
  std::vector<WaitWatch::Word> take() { return std::move(words_); }

 private:
  void note(const MemoryAccess& access) {
    for (std::uint32_t rest = access.active; rest != 0; rest &= rest - 1) {
      const std::uint64_t address = access.addresses[std::countr_zero(rest)];
      const DeviceMemory::Allocation* allocation = memory_.find(address, access.width);
      if (allocation == nullptr) {
        complete_ = false;
        return;
      }
      const std::byte* at = allocation->bytes.data() + (address - allocation->address);
      const std::uint32_t bytes = std::bit_floor(std::min(access.width, 8u));
      for (std::uint32_t offset = 0; offset + bytes <= access.width; offset += bytes) add(at + offset, bytes);
    }
  }
  void add(const std::byte* at, std::uint32_t bytes) {
    for (const WaitWatch::Word& word : words_)
      if (word.at == at && word.bytes == bytes) return;
    if (words_.size() >= kMaxWords)
      complete_ = false;
    else
      words_.push_back({at, bytes, value_at(at, bytes)});
  }

  Observer* next_;
  DeviceMemory& memory_;
  std::vector<WaitWatch::Word> words_;
  bool complete_ = true;
};

}  // namespace

BlockRun::Status WaitWatch::run(BlockRun& block) {
  Observer* const observer = block.observer;
  Recorder recorder(observer, block.launch.memory);
  block.observer = &recorder;
  const BlockRun::Status status = block.run();
  block.observer = observer;
  complete_ = status == BlockRun::Status::kWaiting && recorder.complete();
  words_ = recorder.take();
  return status;
}

bool WaitWatch::may_go_on() const {
  return !complete_ || std::any_of(words_.begin(), words_.end(), [](const Word& word) {
    return value_at(word.at, word.bytes) != word.value;
  });
}

}  // namespace gpuprobe::simt
