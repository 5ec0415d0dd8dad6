#include "metrics/cupti/buffer_comparison.h"

#include <algorithm>
#include <cstring>
#include <future>
#include <utility>

#include "metrics/cupti/driver_error.h"

namespace gpuprobe {
namespace embedded {
extern const char buffer_digest[];
}
namespace cupti {
namespace {

constexpr const char* kEntry = "buffer_digest";
constexpr const char* kDoing = "comparing the buffers of two runs";
constexpr std::uint32_t kThreads = 256;      ///< of a block, as the kernel has it
constexpr std::uint32_t kMostBlocks = 1024;  ///< enough to keep DRAM busy
constexpr std::uint64_t kBytesOfAThread = 16;
constexpr std::size_t kCompareChunk = std::size_t{8} << 20;

Launch launch_for(std::uint64_t bytes) {
  const std::uint64_t blocks = bytes / (kThreads * kBytesOfAThread) + 1;
  Launch launch;
  launch.grid = {static_cast<std::uint32_t>(std::min<std::uint64_t>(blocks, kMostBlocks)), 1, 1};
  launch.block = {kThreads, 1, 1};
  return launch;
}

}  // namespace

Kernel BufferDigests::kernel(std::uint64_t bytes) {
  Kernel kernel;
  kernel.name = kEntry;
  kernel.source = {"digest.cu", embedded::buffer_digest};
  Buffer contents;
  contents.name = "contents";
  contents.type = {ScalarType::kU8, 1};
  contents.count = bytes;
  contents.init.kind = BufferInit::Kind::kRandom;
  Buffer sum;
  sum.name = "sum";
  sum.type = {ScalarType::kU64, 8};
  sum.count = 1;
  kernel.buffers = {contents, sum};
  kernel.steps = {{kEntry, launch_for(bytes), {BufferRef{0}, Scalar::u64(bytes), BufferRef{1}}}};
  return kernel;
}

Result<BufferDigests> BufferDigests::load(const DriverApi& driver, const CompiledKernel& compiled) {
  CUmodule module = nullptr;
  if (auto status = check_driver(driver.ModuleLoadData(&module, compiled.cubin.data()), kDoing); !status)
    return tl::unexpected(status.error());
  BufferDigests digests(driver, module);
  if (auto status = check_driver(driver.ModuleGetFunction(&digests.function_, module, kEntry), kDoing);
      !status)
    return tl::unexpected(status.error());
  return digests;
}

BufferDigests::BufferDigests(BufferDigests&& other) noexcept
    : driver_(other.driver_), module_(std::exchange(other.module_, nullptr)), function_(other.function_) {}

BufferDigests::~BufferDigests() {
  if (module_) driver_->ModuleUnload(module_);
}

Result<std::vector<std::uint64_t>> BufferDigests::of(const DeviceBuffers& buffers,
                                                     const Kernel& kernel) const {
  std::vector<std::uint64_t> digests(kernel.buffers.size());
  const std::size_t size = digests.size() * sizeof(std::uint64_t);
  auto sums = DeviceMemory::allocate(*driver_, size, kDoing);
  if (!sums) return tl::unexpected(sums.error());
  if (auto status = check_driver(driver_->MemsetD8Async(sums->address(), 0, size, nullptr), kDoing); !status)
    return tl::unexpected(status.error());
  for (std::size_t i = 0; i < digests.size(); ++i) {
    CUdeviceptr contents = buffers.address(i);
    std::uint64_t bytes = kernel.buffers[i].bytes();
    CUdeviceptr sum = sums->address() + i * sizeof(std::uint64_t);
    void* arguments[] = {&contents, &bytes, &sum};
    const Launch launch = launch_for(bytes);
    CUlaunchConfig config;
    std::memset(&config, 0, sizeof config);
    config.gridDimX = launch.grid.x;
    config.blockDimX = launch.block.x;
    config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
    if (auto status = check_driver(driver_->LaunchKernelEx(&config, function_, arguments, nullptr), kDoing);
        !status)
      return tl::unexpected(status.error());
  }
  if (auto status = check_driver(driver_->MemcpyDtoH(digests.data(), sums->address(), size), kDoing); !status)
    return tl::unexpected(status.error());
  return digests;
}

std::vector<std::size_t> differing(const std::vector<std::uint64_t>& before,
                                   const std::vector<std::uint64_t>& after) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < before.size(); ++i)
    if (before[i] != after[i]) indices.push_back(i);
  return indices;
}

Result<std::uint64_t> count_differences(const DriverApi& driver, CUdeviceptr buffer,
                                        std::span<const std::byte> expected) {
  std::vector<std::byte> chunk(std::min(kCompareChunk, expected.size()));
  std::uint64_t differing = 0;
  for (std::size_t at = 0; at < expected.size(); at += kCompareChunk) {
    const std::size_t bytes = std::min(kCompareChunk, expected.size() - at);
    if (auto status = check_driver(driver.MemcpyDtoH(chunk.data(), buffer + at, bytes), kDoing); !status)
      return tl::unexpected(status.error());
    for (std::size_t i = 0; i < bytes; ++i) differing += chunk[i] != expected[at + i];
  }
  return differing;
}

}  // namespace cupti
}  // namespace gpuprobe
