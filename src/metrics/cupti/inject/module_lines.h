// The line tables of the modules that a program loads: copies of the cubins that have one.
//
//   modules.add(cubin, size);                        // in CUPTI's callback of a loaded module
//   modules.lookup(api)("transpose_tile", 0x120)     // {"ten.cu", 14}
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "core/compiled_kernel.h"
#include "metrics/cupti/cupti_api.h"
#include "metrics/cupti/sass_sites.h"

namespace gpuprobe::cupti {

class ModuleLines {
 public:
  /// Copies the cubin if it was compiled with line information; the caller's memory may go away afterwards.
  /// True if it was. In any thread: modules are loaded while the driver holds locks of its own.
  bool add(const char* cubin, std::size_t bytes);

  /// Looks lines up in every module, the last loaded first; line 0 where none knows. Must outlive the result.
  LineLookup lookup(const CuptiApi& api) const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<CompiledKernel>> modules_;
};

}  // namespace gpuprobe::cupti
