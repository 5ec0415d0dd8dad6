// Launch facts that are wrong in every way that came to mind: each is refused with exit code 2 (4 if it is
// the compiler that refuses) and a message that names the place, quickly and in little memory.
#include <algorithm>
#include <string>
#include <vector>

#include "program.h"

namespace gpuprobe {
namespace {

constexpr long kMostMemory = 400 * 1024;  ///< KiB: the compiler's own, and some

const char* const kSource = R"(
__global__ void scale(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
)";

/// A block that is right, as lines; a mutation replaces the line of one key or adds one.
struct Block {
  std::vector<std::pair<std::string, std::string>> lines{
      {"name", "\"scale\""},
      {"vars", "{ n = 1024 }"},
      {"grid", "[\"ceildiv(n, 256)\"]"},
      {"block", "[256]"},
      {"args", R"(["in:f32[n] = random", "out:f32[n]", "n:i32 = n"])"},
  };
  Block& set(const std::string& key, const std::string& value) {
    const auto known =
        std::find_if(lines.begin(), lines.end(), [&](const auto& line) { return line.first == key; });
    if (known == lines.end())
      lines.emplace_back(key, value);
    else
      known->second = value;
    return *this;
  }
  std::string text() const {
    std::string toml = "[[kernel]]\n";
    for (const auto& [key, value] : lines) toml += key + " = " + value + "\n";
    return toml;
  }
};

std::string file_of(const std::string& toml) {
  return "/* gpuprobe\n" + toml + "*/\n" + kSource;
}

void expect_refused(const std::string& text, const std::string& what,
                    const std::vector<std::string>& named = {"bad.cu:"}) {
  const Folder folder;
  folder.write("bad.cu", text);
  const Ended ended = run_gpuprobe({"run", "bad.cu", "--source", "model"}, folder);
  const bool compiler = ended.code == 4 && ended.error.find("does not compile") != std::string::npos;
  EXPECT_TRUE(ended.code == 2 || compiler)
      << what << "\ncode " << ended.code << " signal " << ended.signal << "\n"
      << ended.error.substr(0, 2000);
  for (const std::string& word : named)
    EXPECT_NE(ended.error.find(word), std::string::npos) << what << " is refused without '" << word << "':\n"
                                                         << ended.error.substr(0, 2000);
  EXPECT_LT(ended.error.size(), 8192u) << what;
  EXPECT_LT(ended.peak_kib, kMostMemory) << what;
  EXPECT_TRUE(ended.output.empty()) << what;
}

void expect_block_refused(const Block& block, const std::vector<std::string>& named = {"bad.cu:"}) {
  expect_refused(file_of(block.text()), block.text().substr(0, 600), named);
}

TEST(HostileBlocks, TheBlockThatIsMutatedIsRight) {
  const Folder folder;
  folder.write("good.cu", file_of(Block().text()));
  const Ended ended = run_gpuprobe({"run", "good.cu", "--source", "model", "-q"}, folder);
  EXPECT_EQ(ended.code, 0) << ended.error;
}

TEST(HostileBlocks, ValuesOfTheWrongKind) {
  const std::vector<std::string> texts{"true", "7", "1.5", "[\"a\"]", "{ a = 1 }", "1979-05-27"};
  for (const char* key : {"file", "name", "check", "check_kernel"})
    for (const std::string& value : texts) expect_block_refused(Block().set(key, value), {"bad.cu:", key});
  const std::vector<std::string> lists{"true", "{ a = 1 }", "07:32:00", "[[1]]", "[true]", "[{ a = 1 }]"};
  for (const char* key : {"grid", "block", "cluster", "args", "options", "finding", "also", "expect",
                          "fail_on", "arch", "source"})
    for (const std::string& value : lists) expect_block_refused(Block().set(key, value), {"bad.cu:", key});
  for (const char* value :
       {"1", "\"x\"", "true", "[1]", "{ n = true }", "{ n = \"a\" }", "{ n = [] }", "{ n = [[1]] }",
        "{ n = { a = 1 } }", "{ n = 1979-05-27 }", "{ a = \"b\", b = \"a\" }"})
    expect_block_refused(Block().set("vars", value), {"bad.cu:", "var"});
  for (const char* value : {"1", "\"x\"", "[1]", "{ A = true }", "{ A = [1] }", "{ A = { b = 1 } }"})
    expect_block_refused(Block().set("define", value), {"bad.cu:"});
  for (const char* value : {"true", "[1]", "{ a = 1 }", "\"x\"", "-1", "1.5", "\"1/0\"", "300000", "nan"})
    expect_block_refused(Block().set("shared", value), {"bad.cu:", "shared"});
  for (const char* value : {"true", "\"x\"", "-1", "nan", "inf", "[1, 2]"})
    expect_block_refused(Block().set("within", value).set("check_kernel", "\"scale\""),
                         {"bad.cu:", "within"});
}

TEST(HostileBlocks, ExpressionsThatHaveNoValue) {
  std::vector<std::string> wrong{"",
                                 " ",
                                 "n +",
                                 "(n",
                                 "n)",
                                 "1/0",
                                 "n % 0",
                                 "0",
                                 "-1",
                                 "1.5",
                                 "nope",
                                 "ceildiv(n)",
                                 "ceildiv(1, 0)",
                                 "min()",
                                 "foo(1)",
                                 "0x",
                                 "1e999",
                                 "2 ** 3",
                                 "n n",
                                 "n; n",
                                 "$(n)",
                                 "n,",
                                 "1e",
                                 "1.2.3",
                                 "n & 1",
                                 "99999999999999999999",
                                 "0xfffffffffffffffff",
                                 "9223372036854775807 + 1",
                                 "9223372036854775807 * 2",
                                 "-9223372036854775807 - 2",
                                 "4611686018427387904"};
  wrong.push_back(std::string(200, '(') + "1" + std::string(200, ')'));
  wrong.push_back(std::string(5000, '-') + "1");
  wrong.push_back(std::string(100000, '('));
  for (const std::string& expression : wrong) {
    expect_block_refused(Block().set("grid", "[\"" + expression + "\"]"), {"bad.cu:", "grid"});
    expect_block_refused(Block().set("block", "[\"" + expression + "\", 1]"), {"bad.cu:", "block"});
  }
}

TEST(HostileBlocks, LaunchesOverTheLimits) {
  for (const char* value :
       {"[]", "[2147483648]", "[1, 65536]", "[1, 1, 65536]", "[1, 1, 1, 1]", "[0]", "[1, 0]"})
    expect_block_refused(Block().set("grid", value), {"bad.cu:", "grid"});
  for (const char* value : {"[]", "[1025]", "[1024, 2]", "[1, 1, 65]", "[0]", "[32, 32, 32]", "[1, 2, 3, 4]"})
    expect_block_refused(Block().set("block", value), {"bad.cu:", "block"});
  for (const char* value : {"[17]", "[3]", "[0]", "[1, 1, 1, 1]", "[-2]"})
    expect_block_refused(Block().set("cluster", value), {"bad.cu:", "cluster"});
}

TEST(HostileBlocks, ArgumentsThatCannotBe) {
  for (const char* argument : {"n",
                               "n:",
                               ":i32 = 1",
                               "n:i32",
                               "n:i32 =",
                               "n:i33 = 1",
                               "n:i8 = 200",
                               "n:u8 = -1",
                               "n:u32 = -1",
                               "n:i32 = 1.5",
                               "n:i32 = 3000000000",
                               "n:b4 = 1",
                               "n:b0 = 0",
                               "x:b99999999999[1]",
                               "x:f32[",
                               "x:f32[]",
                               "x:f32[0]",
                               "x:f32[-1]",
                               "x:f32[1.5]",
                               "x:f32[4611686018427387904]",
                               "x:f32[9223372036854775807]",
                               "x:f64[1152921504606846976]",
                               "x:f32[n] =",
                               "x:f32[n] = random(1)",
                               "x:f32[n] = random(2, 1)",
                               "x:f32[n] = random(1, 1)",
                               "x:f32[n] = random(a, b)",
                               "x:f32[n] = random(1, 2, 3)",
                               "x:f32[n] = fill()",
                               "x:f32[n] = fill(x)",
                               "x:f32[n] = mod(0)",
                               "x:f32[n] = mod(-1)",
                               "x:f32[n] = file()",
                               "x:f32[n] = file(x)",
                               "x:f32[n] = bogus",
                               "x:f32[n] = zeros()",
                               "x:f32[n] = iota(3)",
                               "x:f32[n]] = zeros",
                               "1x:i32 = 1",
                               "x y:i32 = 1",
                               "x:f32[m] = zeros",
                               "in:f32[n]",
                               ":",
                               "=",
                               "x:[n]",
                               "x:f32[n][n]",
                               "x:f32[n] zeros",
                               "é:i32 = 1",
                               "x:f32 [n",
                               "x:random"}) {
    const std::string args = std::string("[\"in:f32[n]\", \"") + argument + "\", \"n:i32 = n\"]";
    expect_block_refused(Block().set("args", args), {"bad.cu:", "argument"});
  }
  // These are read, and then do not fit: the file, the type, the memory.
  for (const char* argument :
       {"out:f32[n] = file('nosuch.bin')", "out:u8[n] = fill(300)", "out:i8[n] = random(0, 1000)"}) {
    std::string quoted = argument;
    std::replace(quoted.begin(), quoted.end(), '\'', '"');
    expect_block_refused(Block().set("args", "['in:f32[n]', '" + quoted + "', 'n:i32 = n']"), {"out"});
  }
}

TEST(HostileBlocks, ArgumentsThatTheKernelDoesNotTake) {
  const auto refused = [](const std::string& args, const std::vector<std::string>& named) {
    expect_block_refused(Block().set("args", args), named);
  };
  refused("[]", {"argument 1", "missing", "float const*"});
  refused(R"(["in:f32[n]", "out:f32[n]"])", {"argument 3", "missing", "int"});
  refused(R"(["in:f32[n]", "out:f32[n]", "n:i32 = n", "m:i32 = n"])", {"argument 4 'm'", "one too many"});
  refused(R"(["in:f32[n]", "out:f32[n]", "n:i64 = n"])", {"argument 3 'n'", "scale", "i64", "int"});
  refused(R"(["in:f32[n]", "out:f32[n]", "n:i16 = 7"])", {"argument 3 'n'", "i16", "int"});
  refused(R"(["in:f32[n]", "out:f32[n]", "n:f32 = n"])", {"argument 3 'n'", "f32", "int"});
  refused(R"(["in:f32[n]", "out:f32[n]", "n:i32[4]"])", {"argument 3 'n'", "i32[4]", "int"});
  refused(R"(["in:f32[n]", "out:f32[n]", "n:b12 = 0"])", {"argument 3 'n'", "b12", "int"});
  refused(R"(["in:f32 = 1", "out:f32[n]", "n:i32 = n"])", {"argument 1 'in'", "f32", "float const*"});
  refused(R"(["in:f64[n]", "out:f32[n]", "n:i32 = n"])", {"argument 1 'in'", "f64[1024]", "float const*"});
  refused(R"(["in:f32[n]", "out:i32[n]", "n:i32 = n"])", {"argument 2 'out'", "i32[1024]", "float*"});
  refused(R"(["n:i32 = n", "in:f32[n]", "out:f32[n]"])", {"argument 1 'n'", "i32", "float const*"});
}

TEST(HostileBlocks, StructsByTheirSize) {
  const std::string source =
      "/* gpuprobe\n[[kernel]]\nname = \"k\"\ngrid = 1\nblock = 32\nargs = [\"s:TYPE\", \"p:b12[32]\"]\n*/\n"
      "struct Six { short v[6]; };\n"
      "__global__ void k(Six s, Six* p) { p[threadIdx.x] = s; }\n";
  const auto with = [&](const std::string& type) {
    std::string text = source;
    return text.replace(text.find("TYPE"), 4, type);
  };
  expect_refused(with("b8 = 0"), "b8", {"argument 1 's'", "Six", "12 bytes"});
  expect_refused(with("b12[4]"), "b12[4]", {"argument 1 's'", "Six", "12 bytes"});
  const Folder folder;
  folder.write("good.cu", with("b12 = 0"));
  EXPECT_EQ(run_gpuprobe({"run", "good.cu", "--source", "model", "-q"}, folder).code, 0);
}

TEST(HostileBlocks, WordsThatNobodyKnows) {
  expect_block_refused(Block().set("colour", "\"red\""), {"bad.cu:", "colour"});
  expect_block_refused(Block().set("Grid", "[1]"), {"bad.cu:", "Grid"});
  expect_block_refused(Block().set("finding", "\"no-such-finding\""), {"bad.cu:", "no-such-finding"});
  expect_block_refused(Block().set("also", "[\"bank\"]"), {"bad.cu:", "bank"});
  expect_block_refused(Block().set("fail_on", "[\"bank\"]"), {"bad.cu:", "bank"});
  expect_block_refused(Block().set("expect", "[\"nonsense\"]"), {"bad.cu:", "nonsense"});
  expect_block_refused(Block().set("expect", "[\"global.load.requests ~ 4\"]"),
                       {"bad.cu:", "global.load.requests"});
  expect_block_refused(Block().set("expect", "[\"no.such.metric == 4\"]"), {"bad.cu:", "no.such.metric"});
  expect_block_refused(Block().set("arch", "[\"sm_1\"]"), {"bad.cu:", "sm_1"});
  expect_block_refused(Block().set("source", "[\"cloud\"]"), {"bad.cu:", "cloud"});
  expect_block_refused(Block().set("name", "\"nosuch\""), {"nosuch"});
  expect_block_refused(Block().set("name", "\"\""), {"bad.cu:"});
  expect_block_refused(Block().set("check_kernel", "\"nosuch\""), {"nosuch"});
  expect_block_refused(Block().set("options", "[\"--no-such-option\"]"), {"--no-such-option"});
  expect_block_refused(Block().set("define", "{ \"A B\" = 1 }"), {"A B"});
  expect_block_refused(Block().set("define", "{ \"\" = 1 }"), {"bad.cu:"});
  for (const char* check : {"out", "out == 3", "out == file(ref.bin)", "nosuch == file(\"r\")",
                            "out == file(\"\")", "out == file(\"r\") within", "out == file(\"r\") within x",
                            "out == file(\"r\") within -1", "n == file(\"r\")", "out = file(\"r\")"})
    expect_block_refused(Block().set("check", std::string("'") + check + "'"), {"bad.cu:", "check"});
}

TEST(HostileBlocks, TextThatIsNotToml) {
  const std::string head = "[[kernel]]\nname = \"scale\"\n";
  for (const std::string& tail : std::vector<std::string>{"grid = [1\n",
                                                          "grid = \"1\n",
                                                          "grid = 1]\n",
                                                          "grid 1\n",
                                                          "grid = \n",
                                                          "= 1\n",
                                                          "grid = 1 2\n",
                                                          "vars = { n = 1\n",
                                                          "vars = { n 1 }\n",
                                                          "name = \"again\"\n",
                                                          "grid = 1\ngrid = 2\n",
                                                          "[kernel]\n",
                                                          "[kernel.x]\na = 1\n[[kernel.x]]\n",
                                                          "grid = \"\\q\"\n",
                                                          "grid = \"\\uD800\"\n",
                                                          "grid = 'a\n",
                                                          "grid = \"\"\"a\n",
                                                          "grid = [,]\n",
                                                          "grid = 0b2\n",
                                                          "grid = 1_\n",
                                                          "grid = 01\n",
                                                          "grid = .5\n",
                                                          "grid = 1979-13-45\n",
                                                          "grid = 99999999999999999999\n",
                                                          "[[]]\n",
                                                          "[\n",
                                                          "]]\n",
                                                          "\"grid = 1\n",
                                                          "grid = {\n",
                                                          "grid = tru\n",
                                                          "gr id = 1\n",
                                                          "grid = \x01\n",
                                                          "grid = \"\x02\"\n",
                                                          "grid = \xff\xfe\n",
                                                          "grid = \"\xc3\x28\"\n",
                                                          "# \xf0\x28\x8c\x28\n",
                                                          "grid = \xe2\x80\x9c"
                                                          "1\xe2\x80\x9d\n"})
    expect_refused(file_of(head + tail), head + tail);
  expect_refused(file_of(head + bytes("grid = 1\0 2\n")), "a NUL");
  expect_refused(file_of("kernel = 1\n"), "a number instead of entries");
  expect_refused(file_of("[kernel]\nname = \"scale\"\n"), "a table instead of a list");
  expect_refused(file_of("name = \"scale\"\n"), "a fact outside of an entry");
  expect_refused(file_of("kernel = [1, 2]\n"), "a list of numbers");
  expect_refused(file_of(""), "an empty block");
  expect_refused(file_of("# nothing\n"), "a comment alone");
  expect_refused(file_of("[[kernel]]\n"), "an entry without facts");
  expect_refused("/* gpuprobe\n[[kernel]]\nname = \"scale\n" + std::string(kSource), "a comment without end");
}

TEST(HostileBlocks, TooMuchOfEverything) {
  expect_refused(file_of(std::string(10 << 20, 'x')), "10 MB of one letter");
  expect_refused(file_of("a = " + std::string(10 << 20, '[')), "10 MB of brackets");
  expect_refused(file_of("a = " + std::string(1 << 20, '{')), "1 MB of braces");
  expect_refused(file_of("[[kernel]]\nname = \"" + std::string(10 << 20, 'n') + "\"\n"), "a name of 10 MB");
  expect_refused(file_of("[" +
                         [] {
                           std::string path = "a";
                           for (int i = 0; i < 20000; ++i) path += ".a";
                           return path;
                         }() +
                         "]\n"),
                 "a table 20000 deep");
  std::string keys = "[[kernel]]\n";
  for (int i = 0; i < 50000; ++i) keys += "k" + std::to_string(i) + " = 1\n";
  expect_refused(file_of(keys), "50000 unknown keys");
  std::string vars = "{ n = 1";
  for (int i = 0; i < 200; ++i) vars += ", v" + std::to_string(i) + " = [1, 2]";
  expect_block_refused(Block().set("vars", vars + " }"), {"bad.cu:", "10000 runs"});
  std::string values = "{ n = [1";
  for (int i = 0; i < 10001; ++i) values += ", 1";
  expect_block_refused(Block().set("vars", values + "] }"), {"bad.cu:", "10000 runs"});
  std::string args = "[\"in:f32[n]\"";
  for (int i = 0; i < 5000; ++i) args += ", \"a" + std::to_string(i) + ":i32 = 1\"";
  expect_block_refused(Block().set("args", args + "]"), {"argument"});
}

}  // namespace
}  // namespace gpuprobe
