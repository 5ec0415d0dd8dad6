#include "model/ptx/locations.h"

namespace gpuprobe::ptx {

std::vector<const SourceLocation*> location_chain(const Function& function, int location) {
  std::vector<const SourceLocation*> chain;
  while (location >= 0) {
    chain.push_back(&function.locations[static_cast<std::size_t>(location)]);
    location = chain.back()->inlined_at;
  }
  return chain;
}

}  // namespace gpuprobe::ptx
