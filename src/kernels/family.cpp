#include "kernels/family.h"

namespace gpuprobe {

const KernelFamily* find_kernel_family(std::string_view name) {
  for (const KernelFamily& family : kernel_families())
    if (family.name == name) return &family;
  return nullptr;
}

}  // namespace gpuprobe
