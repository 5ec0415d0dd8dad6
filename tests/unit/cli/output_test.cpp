#include "cli/output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace gpuprobe::cli {
namespace {

class OutputFile : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::temp_directory_path() /
                 ("gpuprobe_output_" + std::to_string(::getpid()) + "_" +
                  testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string path(const std::string& name) const { return (directory_ / name).string(); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(directory_), {}));
  }
  static std::string content(const std::string& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  std::filesystem::path directory_;
};

TEST_F(OutputFile, AppearsWholeWithOrdinaryPermissions) {
  auto output = Output::open(path("r.json"));
  ASSERT_TRUE(output);
  EXPECT_FALSE(std::filesystem::exists(path("r.json")));
  ASSERT_TRUE((*output)->write("report\n"));
  EXPECT_EQ(content(path("r.json")), "report\n");
  EXPECT_EQ(files(), 1u);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  struct stat status {};
  ASSERT_EQ(::stat(path("r.json").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0666 & ~mask);
}

TEST_F(OutputFile, LeavesTheOldFileAndNoOtherWhenNothingIsWritten) {
  std::ofstream(path("r.json")) << "old";
  ASSERT_TRUE(Output::open(path("r.json")));  // destroyed at once
  EXPECT_EQ(content(path("r.json")), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFile, ReplacesTheTargetOfALinkAndKeepsItsMode) {
  std::ofstream(path("target")) << "old";
  ASSERT_EQ(::chmod(path("target").c_str(), 0640), 0);
  std::filesystem::create_symlink(path("target"), path("link"));
  ASSERT_TRUE((*Output::open(path("link")))->write("new"));
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(content(path("target")), "new");
  struct stat status {};
  ASSERT_EQ(::stat(path("target").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST_F(OutputFile, FullDeviceIsAnErrorAndStaysADevice) {
  auto output = Output::open("/dev/full");
  ASSERT_TRUE(output);
  const Status written = (*output)->write("x");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kMachine);
  EXPECT_THAT(written.error().what, testing::HasSubstr("No space left"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST_F(OutputFile, UnwritablePathsAreUsageErrors) {
  for (const std::string& bad :
       {path("absent/r.json"), directory_.string(), std::string("/proc/gpuprobe.json")}) {
    const auto output = Output::open(bad);
    ASSERT_FALSE(output) << bad;
    EXPECT_EQ(output.error().code, ErrorCode::kUsage);
    EXPECT_THAT(output.error().what, testing::HasSubstr(bad));
  }
  EXPECT_EQ(files(), 0u);
}

TEST(Colour, FollowsTheModeAndNoColor) {
  EXPECT_TRUE(use_color("always", 1));
  EXPECT_FALSE(use_color("never", 1));
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(use_color("auto", 1));
  EXPECT_TRUE(use_color("always", 1));
  ::unsetenv("NO_COLOR");
}

}  // namespace
}  // namespace gpuprobe::cli
