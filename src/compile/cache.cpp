#include "compile/cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>

#include "compile/digest.h"

namespace gpuprobe::compile {
namespace {

namespace fs = std::filesystem;

// An entry: this line, the digest of the rest in hexadecimal, a newline, then each field as u64 length and
// bytes.
constexpr std::string_view kHeading = "gpuprobe compiled kernel\n";
constexpr std::size_t kDigestLength = 64;
constexpr std::string_view kEntrySuffix = ".kernel";
constexpr std::string_view kTemporarySuffix = ".tmp";
constexpr auto kAbandoned = std::chrono::hours(1);  ///< a temporary file this old has lost its writer

fs::path user_directory() {
  const char* xdg = std::getenv("XDG_CACHE_HOME");
  // The XDG base directory specification: a relative path is to be ignored.
  if (xdg != nullptr && fs::path(xdg).is_absolute()) return fs::path(xdg) / "gpuprobe";
  const char* home = std::getenv("HOME");
  if (home != nullptr && fs::path(home).is_absolute()) return fs::path(home) / ".cache" / "gpuprobe";
  return {};
}

void put(std::string& out, std::string_view field) {
  const std::uint64_t length = field.size();
  out.append(reinterpret_cast<const char*>(&length), sizeof length);
  out.append(field);
}

std::optional<std::string_view> take(std::string_view& in) {
  std::uint64_t length = 0;
  if (in.size() < sizeof length) return std::nullopt;
  std::memcpy(&length, in.data(), sizeof length);
  in.remove_prefix(sizeof length);
  if (length > in.size()) return std::nullopt;
  const std::string_view field = in.substr(0, length);
  in.remove_prefix(length);
  return field;
}

std::string_view characters(const std::vector<std::uint8_t>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string encode(const CacheEntry& entry) {
  std::string payload;
  put(payload, entry.compiler);
  put(payload, entry.ptx);
  put(payload, characters(entry.cubin));
  for (const std::string& name : entry.lowered_names) put(payload, name);
  Digest digest;
  digest.add(payload);
  return std::string(kHeading) + digest.hex() + "\n" + payload;
}

std::optional<CacheEntry> decode(std::string_view text) {
  if (!text.starts_with(kHeading)) return std::nullopt;
  text.remove_prefix(kHeading.size());
  if (text.size() < kDigestLength + 1) return std::nullopt;
  std::string_view payload = text.substr(kDigestLength + 1);
  Digest digest;
  digest.add(payload);
  if (digest.hex() != text.substr(0, kDigestLength)) return std::nullopt;
  const auto compiler = take(payload);
  const auto ptx = take(payload);
  const auto cubin = take(payload);
  if (!compiler || !ptx || !cubin) return std::nullopt;
  CacheEntry entry{std::string(*compiler), std::string(*ptx), {cubin->begin(), cubin->end()}, {}};
  while (!payload.empty()) {
    const auto name = take(payload);
    if (!name) return std::nullopt;
    entry.lowered_names.emplace_back(*name);
  }
  return entry;
}

/// Writes a new file that nobody else has open; false on any error, with no file left.
bool write_new(const fs::path& path, std::string_view bytes) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return false;
  bool good = true;
  while (good && !bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    good = written > 0;
    if (good) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  good = close(file) == 0 && good;
  if (!good) unlink(path.c_str());
  return good;
}

}  // namespace

Cache::Cache() : Cache(user_directory()) {}

fs::path Cache::file(const std::string& key) const {
  return directory_.empty() ? fs::path() : directory_ / (key + std::string(kEntrySuffix));
}

std::optional<CacheEntry> Cache::load(const std::string& key) const {
  if (directory_.empty()) return std::nullopt;
  const fs::path path = file(key);
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return std::nullopt;
  std::ostringstream text;
  text << stream.rdbuf();
  auto entry = decode(text.view());
  if (!entry)
    unlink(path.c_str());
  else
    utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // it was used just now: the last to be evicted
  return entry;
}

bool Cache::store(const std::string& key, const CacheEntry& entry) const {
  if (directory_.empty()) return false;
  std::error_code error;
  fs::create_directories(directory_, error);
  if (error) return false;
  static std::atomic<unsigned> counter{0};
  const fs::path path = file(key);
  const fs::path temporary =
      directory_ / fmt::format("{}.{}.{}{}", key, getpid(), counter.fetch_add(1), kTemporarySuffix);
  if (!write_new(temporary, encode(entry))) return false;
  if (std::rename(temporary.c_str(), path.c_str()) != 0) {
    unlink(temporary.c_str());
    return false;
  }
  evict();
  return true;
}

void Cache::evict() const {
  struct File {
    fs::path path;
    std::uint64_t bytes;
    fs::file_time_type used;
  };
  std::vector<File> files;
  std::uint64_t total = 0;
  std::error_code error;
  for (fs::directory_iterator it(directory_, error), end; !error && it != end; it.increment(error)) {
    // Another process may remove a file at any time; whatever cannot be asked is skipped.
    std::error_code gone;
    const auto bytes = it->file_size(gone);
    const auto used = it->last_write_time(gone);
    if (gone) continue;
    const std::string extension = it->path().extension().string();
    if (extension == kTemporarySuffix && fs::file_time_type::clock::now() - used > kAbandoned)
      unlink(it->path().c_str());
    if (extension != kEntrySuffix) continue;
    total += bytes;
    files.push_back({it->path(), bytes, used});
  }
  if (total <= limit_bytes_) return;
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.used < b.used; });
  for (const File& old : files) {
    if (total <= limit_bytes_ / 4 * 3) break;  // some room, so that not every store evicts
    unlink(old.path.c_str());
    total -= old.bytes;
  }
}

}  // namespace gpuprobe::compile
