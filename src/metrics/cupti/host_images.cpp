#include "metrics/cupti/host_images.h"

#include <cstddef>
#include <span>
#include <utility>

namespace gpuprobe::cupti {
namespace {

constexpr std::size_t kPage = 4096;

}  // namespace

Result<HostImages> make_host_images(const Kernel& kernel) {
  auto initial = HostBuffers::initial(kernel);
  if (!initial) return tl::unexpected(initial.error());
  HostBuffers result = *initial;
  // Copies share their contents until one is written, and cleared pages do not exist until they are touched.
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::span<std::byte> bytes = result.bytes(i);
    for (std::size_t at = 0; at < bytes.size(); at += kPage) {
      volatile std::byte& touched = bytes[at];
      touched = touched;
    }
  }
  return HostImages{std::move(*initial), std::move(result)};
}

}  // namespace gpuprobe::cupti
