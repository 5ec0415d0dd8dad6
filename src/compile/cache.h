// Compiled kernels on disk, under ${XDG_CACHE_HOME:-~/.cache}/gpuprobe. Safe under concurrent runs: an entry
// appears whole (written beside, then renamed) and is checked against its own digest when read. Nothing here
// can fail a run: a directory that cannot be written, a full disk or a broken entry only mean that the kernel
// is compiled again.
//
//   Cache cache;
//   if (auto entry = cache.load(key)) ...   else cache.store(key, entry);
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gpuprobe::compile {

/// What one compilation produced.
struct CacheEntry {
  std::string compiler;  ///< "NVRTC 13.0"
  std::string ptx;
  std::vector<std::uint8_t> cubin;
  std::vector<std::string> lowered_names;  ///< one for each entry asked for

  bool operator==(const CacheEntry&) const = default;
};

class Cache {
 public:
  /// Entries are removed, least recently used first, when they are more than this together.
  static constexpr std::uint64_t kDefaultLimit = std::uint64_t{256} << 20;

  /// The directory of this user; without HOME and XDG_CACHE_HOME nothing is cached.
  Cache();
  explicit Cache(std::filesystem::path directory, std::uint64_t limit_bytes = kDefaultLimit)
      : directory_(std::move(directory)), limit_bytes_(limit_bytes) {}

  /// nullopt if there is no entry, or if it is damaged (then it is removed).
  std::optional<CacheEntry> load(const std::string& key) const;
  /// Returns whether the entry was stored.
  bool store(const std::string& key, const CacheEntry& entry) const;
  /// Where the entry of `key` is; empty if nothing is cached.
  std::filesystem::path file(const std::string& key) const;

 private:
  void evict() const;

  std::filesystem::path directory_;
  std::uint64_t limit_bytes_ = kDefaultLimit;
};

}  // namespace gpuprobe::compile
