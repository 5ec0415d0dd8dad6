#include "compile/cache.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <fstream>

#include "unit/compile/compiled.h"

namespace gpuprobe::compile {
namespace {

namespace fs = std::filesystem;

CacheEntry sample(std::size_t cubin_bytes = 1000) {
  return {"NVRTC 13.0", "ptx \n text", std::vector<std::uint8_t>(cubin_bytes, 7), {"a", "b"}};
}

TEST(Cache, ReturnsWhatWasStored) {
  const ScopedDirectory directory;
  const Cache cache(directory.path() / "deep" / "er");
  EXPECT_FALSE(cache.load("key").has_value());
  EXPECT_TRUE(cache.store("key", sample()));
  EXPECT_EQ(cache.load("key"), sample());
  EXPECT_FALSE(cache.load("other").has_value());
}

TEST(Cache, EveryDamagedByteIsNoticed) {
  const ScopedDirectory directory;
  const Cache cache(directory.path());
  ASSERT_TRUE(cache.store("key", sample(10)));
  std::ifstream in(cache.file("key"), std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(in)), {});
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    if (good[i] == '\n' && i == 25 + 64) continue;  // the newline after the digest carries nothing
    std::ofstream(cache.file("key"), std::ios::binary) << bad;
    ASSERT_FALSE(cache.load("key").has_value()) << i;
    ASSERT_FALSE(fs::exists(cache.file("key"))) << "a damaged entry is removed";
  }
  for (std::size_t length = 0; length < good.size(); ++length) {
    std::ofstream(cache.file("key"), std::ios::binary) << good.substr(0, length);
    ASSERT_FALSE(cache.load("key").has_value()) << length;
  }
}

TEST(Cache, WithoutADirectoryNothingIsCached) {
  const Cache cache{fs::path{}};
  EXPECT_FALSE(cache.store("key", sample()));
  EXPECT_FALSE(cache.load("key").has_value());
}

TEST(Cache, ADirectoryThatCannotBeMadeIsNoError) {
  const ScopedDirectory directory;
  std::ofstream(directory.path() / "file") << "x";
  const Cache cache(directory.path() / "file" / "below");
  EXPECT_FALSE(cache.store("key", sample()));
  EXPECT_FALSE(cache.load("key").has_value());
}

TEST(Cache, AFullDiskIsNoError) {
  // /dev/full cannot hold a directory, so the nearest thing: a file size limit of this (child) process.
  const ScopedDirectory directory;
  const pid_t child = fork();
  if (child == 0) {
    const Cache cache(directory.path());
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100, 100};
    setrlimit(RLIMIT_FSIZE, &limit);
    const bool stored = cache.store("key", sample());
    _exit(!stored && !cache.load("key") && fs::is_empty(directory.path()) ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(Cache, KeepsToItsLimitAndDropsTheLeastRecentlyUsed) {
  const ScopedDirectory directory;
  const Cache cache(directory.path(), 10000);
  const auto age = [&](const std::string& key, int minutes) {
    fs::last_write_time(cache.file(key), fs::file_time_type::clock::now() - std::chrono::minutes(minutes));
  };
  for (const char* key : {"a", "b", "c"}) ASSERT_TRUE(cache.store(key, sample(3000)));
  age("a", 30);
  age("b", 20);
  age("c", 10);
  ASSERT_TRUE(cache.load("a").has_value());  // used now, so "b" is the oldest
  ASSERT_TRUE(cache.store("d", sample(3000)));
  EXPECT_TRUE(cache.load("a").has_value());
  EXPECT_FALSE(cache.load("b").has_value());
  EXPECT_TRUE(cache.load("d").has_value());
  std::uint64_t total = 0;
  for (const auto& file : fs::directory_iterator(directory.path())) total += file.file_size();
  EXPECT_LE(total, 10000u);
}

TEST(Cache, RemovesWhatACrashedWriterLeft) {
  const ScopedDirectory directory;
  const Cache cache(directory.path());
  const fs::path old = directory.path() / "key.1.0.tmp";
  const fs::path young = directory.path() / "key.2.0.tmp";
  std::ofstream(old) << "x";
  std::ofstream(young) << "x";
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
  ASSERT_TRUE(cache.store("key", sample()));
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(young));
}

TEST(Cache, ManyProcessesAtOnce) {
  const ScopedDirectory directory;
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      const Cache cache(directory.path(), 20000);  // small, so that they evict each other's entries too
      bool good = true;
      for (int round = 0; round < 50 && good; ++round) {
        const std::string key = "key" + std::to_string(round % 5);
        const auto entry = cache.load(key);
        good = !entry || *entry == sample(3000);
        cache.store(key, sample(3000));
      }
      _exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  for (const auto& file : fs::directory_iterator(directory.path()))
    EXPECT_NE(file.path().extension(), ".tmp");
}

}  // namespace
}  // namespace gpuprobe::compile
