#include "model/simt/lanes/lanes.h"

namespace gpuprobe::simt {

std::vector<const LaneFunctions*> lane_function_variants() {
  std::vector<const LaneFunctions*> variants = {&portable::kLaneFunctions};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
    variants.push_back(&avx2::kLaneFunctions);
#endif
  return variants;
}

const LaneFunctions& lane_functions() {
  static const LaneFunctions& best = *lane_function_variants().back();
  return best;
}

}  // namespace gpuprobe::simt
