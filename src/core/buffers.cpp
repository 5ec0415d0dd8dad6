#include "core/buffers.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>

#include "core/element.h"
#include "core/fill.h"

namespace gpuprobe {
namespace {

constexpr std::size_t kAlignment = 256;  ///< as cudaMalloc gives

constexpr std::size_t kHugePage = std::size_t{2} << 20;  ///< of x86-64 and of most arm64 kernels

/// Asks for huge pages in [data, data + bytes): touching 64 MB then takes 32 page faults instead of 16,384,
/// and ending the process gives as many back. A kernel that has none leaves things as they are.
void use_huge_pages(void* data, std::size_t bytes) {
  const std::size_t ahead = (kHugePage - reinterpret_cast<std::uintptr_t>(data) % kHugePage) % kHugePage;
  if (ahead + kHugePage > bytes) return;
  madvise(static_cast<std::byte*>(data) + ahead, (bytes - ahead) / kHugePage * kHugePage, MADV_HUGEPAGE);
}

/// Bytes of memory of this machine. A request above it would be granted by an overcommitting kernel and then
/// end the process, so it is refused here.
std::uint64_t physical_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) : ~0ull;
}

tl::unexpected<Error> short_of_memory(const Buffer& buffer) {
  return fail(ErrorCode::kMachine,
              fmt::format("Buffer '{}' ({} elements of {}) does not fit this machine's memory.", buffer.name,
                          buffer.count, to_string(buffer.type)),
              "Choose a smaller size.");
}

}  // namespace

HostBlock::HostBlock(const HostBlock& other) {
  *this = other;
}

HostBlock& HostBlock::operator=(const HostBlock& other) {
  if (this == &other) return *this;
  if (!allocate(other.size_, other.pristine_)) throw std::bad_alloc();  // as every container does
  if (size_ > 0 && !other.pristine_) std::memcpy(data_.get(), other.data_.get(), size_);
  return *this;
}

bool HostBlock::allocate(std::size_t bytes, bool zeroed) {
  data_.reset();
  size_ = 0;
  if (bytes == 0) return true;
  const std::size_t alignment = bytes >= kHugePage ? kHugePage : kAlignment;
  void* data = zeroed ? std::calloc(bytes, 1)
                      : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (data == nullptr) return false;
  if (bytes >= kHugePage) use_huge_pages(data, bytes);
  data_.reset(static_cast<std::byte*>(data));
  size_ = bytes;
  pristine_ = zeroed;
  return true;
}

Result<HostBuffers> HostBuffers::initial(const Kernel& kernel) {
  HostBuffers host;
  const std::uint64_t memory = physical_memory();
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < kernel.buffers.size(); ++i) {
    const Buffer& buffer = kernel.buffers[i];
    if (const Status valid = check_init(buffer); !valid) return tl::unexpected(valid.error());
    std::uint64_t bytes = 0;
    if (__builtin_mul_overflow(buffer.count, std::uint64_t{buffer.type.bytes}, &bytes) ||
        __builtin_add_overflow(total, bytes, &total) || total > memory)
      return short_of_memory(buffer);
    auto block = std::make_shared<HostBlock>();
    const bool zeros = buffer.init.kind == BufferInit::Kind::kZeros;
    if (!block->allocate(bytes, zeros)) return short_of_memory(buffer);
    if (!zeros)
      if (const Status filled = fill(buffer, RandomStream(kernel.seed, i), block->bytes()); !filled)
        return tl::unexpected(filled.error());
    host.types_.push_back(buffer.type);
    host.contents_.push_back(std::move(block));
  }
  return host;
}

std::span<std::byte> HostBuffers::bytes(std::size_t buffer) {
  auto& block = contents_[buffer];
  if (block.use_count() > 1) block = std::make_shared<HostBlock>(*block);
  return block->bytes();
}

double HostBuffers::element(std::size_t buffer, std::uint64_t index) const {
  const ElementType type = types_[buffer];
  const std::byte* at = bytes(buffer).data() + index * type.bytes;
  return element::with_type(type.scalar, [at]<class T>() {
    T value;
    std::memcpy(&value, at, sizeof value);
    return element::widen(value);
  });
}

}  // namespace gpuprobe
