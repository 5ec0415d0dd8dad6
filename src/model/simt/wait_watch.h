// What a block that repeats itself reads of global memory. Nothing else can make it go on, so until some of
// it has changed there is no need to run the block again: thousands of blocks may wait for one.
//
//   WaitWatch watch;
//   if (watch.may_go_on()) status = watch.run(block);   // and remembers what it read if it still waits
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/simt/block_run.h"

namespace gpuprobe::simt {

class WaitWatch {
 public:
  /// A turn for the block, during which its reads are noted.
  BlockRun::Status run(BlockRun& block);
  /// False only if the last turn ended in waiting and nothing that was read in it has changed since.
  bool may_go_on() const;

  /// True if the last turn accessed no global memory at all: then nothing can make the block go on.
  bool saw_nothing() const { return complete_ && words_.empty(); }

  /// A piece of global memory and what it held before it was read.
  struct Word {
    const std::byte* at = nullptr;
    std::uint32_t bytes = 0;  ///< 1, 2, 4 or 8, and aligned to it
    std::uint64_t value = 0;
  };

 private:
  std::vector<Word> words_;
  bool complete_ = false;  ///< words_ are all that was read
};

}  // namespace gpuprobe::simt
