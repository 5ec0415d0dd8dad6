#include "compile/includes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "unit/compile/compiled.h"

namespace gpuprobe::compile {
namespace {

using testing::ElementsAre;

TEST(Includes, FindsTheDirectoriesAmongOptions) {
  EXPECT_THAT(
      user_include_directories({"-Ia", "-DX", "-I", "b", "--include-path=c", "-I d", "--include-path", "e"}),
      ElementsAre("a", "b", "c", "d", "e"));
  EXPECT_TRUE(user_include_directories({"-I"}).at(0).empty());
}

TEST(Includes, FollowsFilesOfTheUserOnly) {
  const ScopedDirectory directory;
  const auto write = [&](const char* name, const char* text) {
    std::ofstream(directory.path() / name) << text;
  };
  std::filesystem::create_directory(directory.path() / "lib");
  write("one.cuh", "  #  include <two.cuh>\n");
  write("lib/two.cuh", "#include \"one.cuh\"\n#include \"three.cuh\"\n");  // a cycle, and a missing one
  const Source source{(directory.path() / "x.cu").string(),
                      "#include \"one.cuh\"\n#include <cuda_fp16.h>\nint x;\n"};
  const auto files = user_includes(source, {(directory.path() / "lib").string()});
  ASSERT_TRUE(files.has_value());
  ASSERT_EQ(files->size(), 2u);
  EXPECT_EQ((*files)[1].file, (directory.path() / "lib" / "two.cuh").string());
}

TEST(Includes, GivesUpOnNamesMadeByMacros) {
  EXPECT_FALSE(user_includes({"x.cu", "#include HEADER\n"}, {}).has_value());
  EXPECT_FALSE(user_includes({"x.cu", "#include \"unfinished\n"}, {}).has_value());
  EXPECT_TRUE(user_includes({"x.cu", ""}, {}).has_value());
}

}  // namespace
}  // namespace gpuprobe::compile
