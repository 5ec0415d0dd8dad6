#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "kernels/user/argument.h"
#include "kernels/user/launch_case.h"
#include "kernels/user/launch_entry.h"

namespace gpuprobe::user {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kTranspose = R"toml(
[[kernel]]
name   = "transpose_tile"
vars   = { n = 4096, tile = [16, 32] }
define = { TILE = "tile" }
grid   = ["ceildiv(n, tile)", "ceildiv(n, tile)"]
block  = ["tile", 32]
shared = "tile * tile * 4"
args   = ["n:i32 = n", "in:f32[n*n] = random", "out:f32[n*n] = zeros"]
options = ["--maxrregcount=40"]
finding = "bank-conflict-load"
expect = ["global.load.sectors_per_request == 4"]
)toml";

std::vector<LaunchEntry> entries(std::string_view toml) {
  auto parsed = parse_entries(toml, "t.cu", 1);
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().what);
  return parsed.value_or(std::vector<LaunchEntry>{});
}
std::string entry_error(std::string_view toml) {
  const auto parsed = parse_entries(toml, "t.cu", 10);
  EXPECT_FALSE(parsed) << toml;
  return parsed ? "" : parsed.error().what;
}
std::string expand_error(const std::string& facts) {
  const auto list = entries("[[kernel]]\nname = \"k\"\n" + facts);
  if (list.empty()) return "no entry";
  const auto cases = expand(list[0], Source{"t.cu", ""}, ".");
  EXPECT_FALSE(cases) << facts;
  return cases ? "" : cases.error().what + " " + cases.error().hint;
}

TEST(LaunchBlock, IsTheFirstMarkedComment) {
  const auto block = find_launch_block("// x\n/* gpuprobexyz */\n/* gpuprobe\n[[kernel]]\n*/ int a;");
  ASSERT_TRUE(block);
  EXPECT_EQ(block->text, "\n[[kernel]]\n");
  EXPECT_EQ(block->first_line, 3);
  EXPECT_FALSE(find_launch_block("__global__ void k() {}"));
}

TEST(LaunchEntry, MatrixOfVariablesBecomesOneCaseEach) {
  const auto list = entries(kTranspose);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_THAT(list[0].finding, ElementsAre("bank-conflict-load"));
  const auto cases = expand(list[0], Source{"t.cu", "text"}, ".");
  ASSERT_TRUE(cases) << cases.error().what;
  ASSERT_EQ(cases->size(), 2u);
  const Kernel& first = (*cases)[0].kernel;
  EXPECT_EQ(first.steps[0].launch.grid, (Dim3{256, 256, 1}));
  EXPECT_EQ(first.steps[0].launch.block, (Dim3{16, 32, 1}));
  EXPECT_EQ(first.steps[0].launch.dynamic_shared, 1024u);
  EXPECT_THAT(first.defines, ElementsAre(std::pair<std::string, std::string>("TILE", "16")));
  EXPECT_EQ((*cases)[1].kernel.steps[0].launch.block.x, 32u);
  ASSERT_EQ(first.buffers.size(), 2u);
  EXPECT_EQ(first.buffers[0].count, 4096u * 4096u);
  EXPECT_EQ(first.buffers[0].init.kind, BufferInit::Kind::kRandom);
  const auto& n = std::get<Scalar>(first.steps[0].args[0]);
  std::int32_t value = 0;
  std::memcpy(&value, n.bits.data(), sizeof value);
  EXPECT_EQ(value, 4096);
}

TEST(LaunchEntry, MistakesNameTheLine) {
  EXPECT_THAT(entry_error("[[kernel]]\nname = \"k\"\nblok = 1"), HasSubstr("t.cu:12: unknown key 'blok'"));
  EXPECT_THAT(entry_error("[[kernel]]\ngrid = 1"), HasSubstr("does not name its kernel"));
  EXPECT_THAT(entry_error("[[kernel]]\nname = 3"), HasSubstr("'name' must be a string"));
  EXPECT_THAT(entry_error("[kernel]\nname = \"k\""), HasSubstr("unexpected 'kernel'"));
  EXPECT_THAT(entry_error("[[kernel]]\nname = \"k"), HasSubstr("not TOML"));
  EXPECT_THAT(entry_error("[[kernel]]\nname = \"k\"\nvars = 3"), HasSubstr("'vars' must be a table"));
  EXPECT_THAT(entry_error("[[kernel]]\nname = \"k\"\nvars = { n = \"4\" }"), HasSubstr("the variable 'n'"));
  EXPECT_THAT(entry_error("[[kernel]]\nname = \"k\"\nvars = { n = [] }"), HasSubstr("has no value"));
  EXPECT_THAT(entry_error("[[kernel]]\nname = \"k\"\ngrid = [[1]]"),
              HasSubstr("'grid' must be a string or a number"));
  EXPECT_THAT(entry_error("kernel = [1]"), HasSubstr("list of tables"));
  EXPECT_THAT(entry_error(""), HasSubstr("no [[kernel]] entry"));
  EXPECT_THAT(entry_error(std::string(100000, '[')), HasSubstr("t.cu:"));
}

TEST(LaunchCase, ImpossibleLaunchesAreNamed) {
  EXPECT_THAT(expand_error("block = 32"), HasSubstr("'k' has no grid"));
  EXPECT_THAT(expand_error("grid = 0\nblock = 32"), HasSubstr("grid.x is 0"));
  EXPECT_THAT(expand_error("grid = [1, 70000]\nblock = 32"), HasSubstr("grid.y is 70000"));
  EXPECT_THAT(expand_error("grid = 1\nblock = [64, 64]"), HasSubstr("4096 threads"));
  EXPECT_THAT(expand_error("grid = [1,1,1,1]\nblock = 1"), HasSubstr("grid has 4 values"));
  EXPECT_THAT(expand_error("grid = 3\nblock = 1\ncluster = 2"), HasSubstr("whole number of clusters"));
  EXPECT_THAT(expand_error("grid = 1\nblock = 1\nshared = -1"), HasSubstr("shared is -1"));
  EXPECT_THAT(expand_error("grid = 1\nblock = 1\nargs = [\"a:i32 = 1\", \"a:i32 = 2\"]"),
              HasSubstr("two arguments"));
  EXPECT_THAT(expand_error("grid = 1\nblock = 1\ncheck = \"nonsense\""), HasSubstr("cannot be read"));
  EXPECT_THAT(expand_error("grid = 1\nblock = 1\ncheck = 'o == file(\"x\")'"), HasSubstr("no buffer 'o'"));
}

std::string argument_error(std::string_view text) {
  const auto parsed = parse_argument(text, {}, ".");
  EXPECT_FALSE(parsed) << text;
  return parsed ? "" : parsed.error().what;
}

TEST(Argument, EveryInitHasItsForm) {
  const auto init = [](std::string_view text) {
    return std::get<Buffer>(parse_argument(text, {}, "d").value()).init;
  };
  EXPECT_EQ(init("a:f32[4]").kind, BufferInit::Kind::kZeros);
  EXPECT_EQ(init("a:f32[4] = shuffle").kind, BufferInit::Kind::kShuffle);
  EXPECT_EQ(init("a:f32[4] = random(-1, 1)").low, -1.0);
  EXPECT_EQ(init("a:f32[4] = random( min(3, 4), 8 )").low, 3.0);
  EXPECT_EQ(init("a:u8[4] = mod(3)").modulo, 3u);
  EXPECT_EQ(init("a:i32[4] = fill(2 * 3)").value, 6.0);
  EXPECT_EQ(init("a:b12[4] = file(\"x.bin\")").path, "d/x.bin");
  EXPECT_EQ(init("a:b12[4] = file(\"/x.bin\")").path, "/x.bin");
}

TEST(Argument, ScalarsHoldTheirOwnRepresentation) {
  const auto bits = [](std::string_view text) {
    return std::get<NamedScalar>(parse_argument(text, {}, ".").value()).scalar.bits;
  };
  EXPECT_THAT(bits("a:u8 = 255"), ElementsAre(255));
  EXPECT_THAT(bits("a:i16 = -2"), ElementsAre(0xFE, 0xFF));
  EXPECT_THAT(bits("a:f16 = 1"), ElementsAre(0x00, 0x3C));
  EXPECT_THAT(bits("a:bf16 = 1"), ElementsAre(0x80, 0x3F));
  EXPECT_THAT(bits("a:f32 = 0.5"), ElementsAre(0, 0, 0, 0x3F));
  EXPECT_EQ(bits("a:b12 = 0").size(), 12u);
}

TEST(Argument, MistakesSayWhatIsWrong) {
  EXPECT_THAT(argument_error("n = 4"), HasSubstr("no ':'"));
  EXPECT_THAT(argument_error("1n:i32 = 4"), HasSubstr("'1n' is not a name"));
  EXPECT_THAT(argument_error("n:int = 4"), HasSubstr("'int' is not a type"));
  EXPECT_THAT(argument_error("n:i32"), HasSubstr("a scalar needs"));
  EXPECT_THAT(argument_error("n:i32 ="), HasSubstr("nothing stands after"));
  EXPECT_THAT(argument_error("n:i32 = 1.5"), HasSubstr("not a whole number"));
  EXPECT_THAT(argument_error("n:u8 = 256"), HasSubstr("256 does not fit in u8"));
  EXPECT_THAT(argument_error("n:u64 = -1"), HasSubstr("does not fit"));
  EXPECT_THAT(argument_error("a:f32[0] = zeros"), HasSubstr("the element count is 0"));
  EXPECT_THAT(argument_error("a:f32[4 = zeros"), HasSubstr("']' is missing"));
  EXPECT_THAT(argument_error("a:f32[99999999999999] = zeros"), HasSubstr("the element count is"));
  EXPECT_THAT(argument_error("a:f32[4] = twos"), HasSubstr("'twos' is not a way"));
  EXPECT_THAT(argument_error("a:f32[4] = random(1)"), HasSubstr("takes two values"));
  EXPECT_THAT(argument_error("a:f32[4] = random(2,1)"), HasSubstr("lo < hi"));
  EXPECT_THAT(argument_error("a:f32[4] = mod(0)"), HasSubstr("mod is 0"));
  EXPECT_THAT(argument_error("a:f32[4] = file(x)"), HasSubstr("double quotes"));
  EXPECT_THAT(argument_error("a:b0[4]"), HasSubstr("'b0' is not a type"));
}

}  // namespace
}  // namespace gpuprobe::user
