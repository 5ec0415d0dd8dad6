// Flags that are wrong, files that are not what they should be, streams that take nothing: the command line
// as a user in a hurry meets it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "program.h"

namespace gpuprobe {
namespace {

using Arguments = std::vector<std::string>;

const char* const kSource = R"(
__global__ void scale(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
template <class T, int kTile> __global__ void tile(T* out) { out[threadIdx.x] = kTile; }
)";
const std::string kBlock = R"toml(/* gpuprobe
[[kernel]]
name = "scale"
vars = { n = 1024 }
grid = ["ceildiv(n, 256)"]
block = [256]
args = ["in:f32[n] = random", "out:f32[n]", "n:i32 = n"]
*/
)toml";

class HostileFlags : public testing::Test {
 protected:
  void SetUp() override {
    folder.write("k.cu", kSource);
    folder.write("b.cu", kBlock + kSource);
  }
  Ended run(Arguments arguments, const std::string& file = "b.cu") const {
    arguments.insert(arguments.begin(), {"run", file, "--source", "model"});
    return run_gpuprobe(arguments, folder);
  }
  void refused(const Arguments& arguments, const std::string& named, const std::string& file = "b.cu") const {
    const Ended ended = run(arguments, file);
    std::string what;
    for (const std::string& one : arguments) what += one.substr(0, 80) + " ";
    EXPECT_TRUE(ended.code == 2 || (ended.code == 4 && ended.error.find("compile") != std::string::npos))
        << what << "\ncode " << ended.code << " signal " << ended.signal << "\n"
        << ended.error;
    EXPECT_NE(ended.error.find(named), std::string::npos) << what << "\n" << ended.error;
    EXPECT_TRUE(ended.output.empty()) << what;
  }
  Folder folder;
};

TEST_F(HostileFlags, ValuesThatCannotBe) {
  for (const char* flag : {"--grid", "--block", "--cluster", "--shared"})
    for (const char* value :
         {"x", "1,", ",1", "1,2,3,4", "-1", "1.5", "1/0", "9223372036854775808", "((", "1;2", "4e9"})
      refused({std::string(flag) + "=" + value}, std::string(flag).substr(2));
  refused({"--grid=0"}, "grid");
  refused({"--block=2048"}, "block");
  refused({"--var", "n"}, "n");
  refused({"--var", "=1"}, "=1");
  refused({"--var", "n="}, "n");
  refused({"--var", "n=1,,2"}, "n");
  refused({"--var", "n=abc"}, "abc");
  refused({"--var", "2n=1"}, "2n");
  refused({"--arg", "nonsense"}, "nonsense");
  refused({"--arg", "x:f32[1]"}, "argument");
  refused({"--check", "out"}, "check");
  refused({"--check-kernel", "nosuch"}, "nosuch");
  refused({"--within", "-1"}, "within");
  refused({"--within", "x"}, "within");
  refused({"--maxrregcount", "0"}, "maxrregcount");
  refused({"--maxrregcount", "256"}, "maxrregcount");
  refused({"--maxrregcount", "x"}, "maxrregcount");
  refused({"--std", "c++98"}, "c++98");
  refused({"--nvrtc", "--nonsense"}, "--nonsense");
  refused({"-D", "1A=1"}, "1A");
  refused({"--kernel", "nosuch"}, "nosuch");
  refused({"--kernel", "tile"}, "tile", "k.cu");
  refused({"--kernel", "tile<float>", "--grid", "1", "--block", "32", "--arg", "out:f32[32]"}, "tile",
          "k.cu");
  refused({"--kernel", "tile<float,", "--grid", "1", "--block", "32", "--arg", "out:f32[32]"}, "tile",
          "k.cu");
  refused({"--kernel", "scale", "--grid", "1"}, "block", "k.cu");
  refused({"--kernel", "scale", "--grid", "1", "--block", "32"}, "argument 1", "k.cu");
  refused({"--expect", "x"}, "x");
  refused({"--fail-on", "x"}, "x");
  refused({"--arch", "sm_1"}, "sm_1");
  refused({"--nosuch"}, "--nosuch");
  refused({"--format", "yaml"}, "yaml");
  refused({"--timeout", "0"}, "timeout");
  refused({"--try", "x"}, "x");
  refused({std::string(100000, 'x')}, "xxx");
}

TEST_F(HostileFlags, WithoutALaunchTheKernelsAreListed) {
  const Ended ended = run({}, "k.cu");
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.error.find("scale(const float* in, float* out, int n)"), std::string::npos) << ended.error;
  EXPECT_NE(ended.error.find("tile<...>"), std::string::npos) << ended.error;
}

TEST_F(HostileFlags, FlagsWinOverTheBlock) {
  const Ended ended =
      run({"--var", "n=512", "--block", "64", "--grid", "ceildiv(n, 64)", "--format", "json"});
  EXPECT_EQ(ended.code, 0) << ended.error;
  EXPECT_NE(ended.output.find("\"block\": [64, 1, 1]"), std::string::npos) << ended.output.substr(0, 2000);
  EXPECT_NE(ended.output.find("\"grid\": [8, 1, 1]"), std::string::npos);
}

TEST_F(HostileFlags, NameExpressionsAndChecks) {
  EXPECT_EQ(run({"--kernel", "tile<float, 7>", "--grid", "1", "--block", "32", "--arg", "out:f32[32]", "-q"},
                "k.cu")
                .code,
            0);
  std::string sevens;
  for (int i = 0; i < 32; ++i) sevens += bytes("\0\0\xe0\x40");  // 7.0f
  folder.write("ref.bin", sevens);
  const Arguments launch{"--kernel",
                         "tile<float,7>",
                         "--grid",
                         "1",
                         "--block",
                         "32",
                         "--arg",
                         "out:f32[32]",
                         "-q",
                         "--check",
                         "out == file(\"ref.bin\") within 1e-5"};
  EXPECT_EQ(run(launch, "k.cu").code, 0);
  Arguments other = launch;
  other[1] = "tile<float,8>";
  const Ended wrong = run(other, "k.cu");
  EXPECT_EQ(wrong.code, 4) << wrong.output << wrong.error;
  folder.write("ref.bin", sevens.substr(0, 100));
  const Ended shorter = run(launch, "k.cu");
  EXPECT_EQ(shorter.code, 2) << shorter.error;
  EXPECT_NE(shorter.error.find("ref.bin"), std::string::npos) << shorter.error;
}

TEST_F(HostileFlags, ClustersArePredictedOnlyWhereTheyDoNotMatter) {
  EXPECT_EQ(run({"--cluster", "2", "-q"}).code, 0);
  folder.write(
      "cluster.cu",
      "__global__ void c(int* out) {\n  unsigned n;\n"
      "  asm volatile(\"mov.u32 %0, %%cluster_nctarank;\" : \"=r\"(n));\n  out[blockIdx.x] = n;\n}\n");
  const Arguments launch{"--kernel", "c", "--grid", "4", "--block", "32", "--arg", "out:i32[4]", "-q"};
  EXPECT_EQ(run(launch, "cluster.cu").code, 0);
  Arguments clustered = launch;
  clustered.insert(clustered.end(), {"--cluster", "2"});
  const Ended ended = run(clustered, "cluster.cu");
  EXPECT_EQ(ended.code, 3);
  EXPECT_NE(ended.error.find("clusters of several blocks"), std::string::npos) << ended.error;
}

TEST_F(HostileFlags, CompileErrorsAsTheCompilerGivesThem) {
  folder.write("broken.cu",
               kBlock + "#define X 1\n__global__ void scale(float* p) {\n  p[0] = undeclared;\n}\n");
  const Ended ended = run({}, "broken.cu");
  EXPECT_EQ(ended.code, 4);
  EXPECT_NE(ended.error.find("broken.cu(11): error: identifier \"undeclared\""), std::string::npos)
      << ended.error;
}

TEST_F(HostileFlags, FilesFromElsewhere) {
  // What editors of other systems write.
  std::string crlf;
  for (const char c : kBlock + kSource) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  folder.write("crlf.cu", crlf);
  EXPECT_EQ(run({"-q"}, "crlf.cu").code, 0);
  folder.write("bom.cu", "\xef\xbb\xbf" + kBlock + kSource);
  const Ended bom = run({"-q"}, "bom.cu");
  EXPECT_EQ(bom.code, 0) << bom.error;
  std::filesystem::create_symlink(folder / "b.cu", folder / "link.cu");
  EXPECT_EQ(run({"-q"}, "link.cu").code, 0);
  folder.write("a folder/with spaces é.cu", kBlock + kSource);
  EXPECT_EQ(run({"-q"}, "a folder/with spaces é.cu").code, 0);

  std::filesystem::create_symlink("loop.cu", folder / "loop.cu");
  refused({}, "loop.cu", "loop.cu");
  refused({}, "nosuch.cu", "nosuch.cu");
  refused({}, "a folder", "a folder");
  refused({}, "/dev/null", "/dev/null");
  folder.write("empty.cu", "");
  refused({}, "empty.cu", "empty.cu");
  folder.write("binary.cu", bytes("\x7f"
                                  "ELF\0\0\xff\xfe garbage \0"));
  refused({}, "binary.cu", "binary.cu");
}

TEST_F(HostileFlags, StreamsThatTakeNothing) {
  const Ended full = run_gpuprobe({"run", "b.cu", "--source", "model"}, folder, 30, "/dev/full");
  EXPECT_EQ(full.code, 3) << full.error;
  EXPECT_NE(full.error.find("No space left"), std::string::npos) << full.error;
  EXPECT_EQ(run({"--output", "/dev/full"}).code, 3);
  refused({"--output", "nosuch/folder/x.json"}, "nosuch");
  refused({"--output", "."}, "'.'");
  const Ended check = run_gpuprobe({"check", "b.cu", "--source", "model"}, folder, 30, "/dev/full");
  EXPECT_EQ(check.code, 3) << check.error;
  const Ended silent = run_gpuprobe({"check", "nosuch.toml"}, folder, 30, "stdout.txt", "/dev/full");
  EXPECT_EQ(silent.code, 2);
}

TEST_F(HostileFlags, Suites) {
  const auto check = [&](const std::string& toml, int code, const std::string& named) {
    folder.write("gpuprobe.toml", toml);
    const Ended ended = run_gpuprobe({"check", "--source", "model"}, folder);
    EXPECT_EQ(ended.code, code) << toml << "\n" << ended.error << ended.output;
    EXPECT_NE((ended.error + ended.output).find(named), std::string::npos) << toml << "\n"
                                                                           << ended.error << ended.output;
  };
  const std::string facts =
      "name = \"scale\"\nvars = { n = 1024 }\ngrid = [4]\nblock = [256]\n"
      "args = [\"in:f32[n]\", \"out:f32[n]\", \"n:i32 = n\"]\n";
  check("[[kernel]]\nfile = \"k.cu\"\n" + facts, 0, "1 passed");
  check("\xef\xbb\xbf[[kernel]]\r\nfile = \"k.cu\"\r\n" + facts, 0, "1 passed");
  check("[[kernel]]\n" + facts, 2, "gpuprobe.toml:1");
  check("[[kernel]]\nfile = \"nosuch.cu\"\n" + facts, 2, "nosuch.cu");
  check("[[kernel]]\nfile = \".\"\n" + facts, 2, "gpuprobe.toml:1");
  check("[[kernel]]\nfile = \"k.cu\"\narch = [\"sm_80\", \"sm_90\"]\n" + facts, 0, "2 passed");
  check("[[kernel]]\nfile = \"k.cu\"\nexpect = [\"global.load.requests == 1\"]\n" + facts, 1, "1 failed");
  check("[[kernel]]\nfile = \"k.cu\"\nexpect = [\"time.duration < 1\"]\n" + facts, 3, "1 not judged");
  check("[[kernel]]\nfile = \"k.cu\"\nsource = [\"gpu\"]\n" + facts, 3, "not judged");
  check("[[kernel]]\nfile = \"k.cu\"\nsource = [\"gpu\"]\n" + facts + "[[kernel]]\nfile = \"k.cu\"\n" + facts,
        3, "1 passed");
  check("[[kernel]]\nfile = \"k.cu\"\nname = \"nosuch\"\ngrid = 1\nblock = 1\n", 1, "1 failed");
  check("[[kernel]]\nfile = \"k.cu\"\nname = \"scale\"\ngrid = 1\nblock = 1\n", 1, "argument 1");
  check("[[kernel]]\nfile = \"k.cu\"\nfinding = \"nosuch\"\n" + facts, 2, "nosuch");
  check("[[kernel]]\nfile = \"k.cu\"\nexpect = [\"nosuch < 1\"]\n" + facts, 2, "nosuch");
  check("", 2, "gpuprobe.toml");
  check(std::string(1 << 20, '['), 2, "gpuprobe.toml:1");
  EXPECT_EQ(run_gpuprobe({"check", "nosuch.toml"}, folder).code, 2);
  EXPECT_EQ(run_gpuprobe({"check", "k.cu"}, folder).code, 2);
  EXPECT_EQ(run_gpuprobe({"check", "/dev/null"}, folder).code, 2);
  folder.write("nothing/here.txt", "");
  EXPECT_EQ(run_gpuprobe({"check", "nothing"}, folder).code, 2);
  EXPECT_EQ(run_gpuprobe({"check", "b.cu", "--jobs", "0"}, folder).code, 2);
}

TEST_F(HostileFlags, InitWritesOnceAndReadsAnything) {
  folder.write("garbage.cu", bytes("__global__ void (((((((( \"unclosed /* __global__ \0\xff void f("));
  folder.write("deep.cu", "__global__ void f(" + std::string(200000, '(') + "\n");
  std::string many;
  for (int i = 0; i < 2000; ++i) many += "__global__ void k" + std::to_string(i) + "(int a) {}\n";
  folder.write("many.cu", many);
  folder.write("quote\"d.cu", "__global__ void quoted(float* x) {}\n");
  const Ended first = run_gpuprobe({"init"}, folder);
  EXPECT_EQ(first.code, 0) << first.error;
  const std::string written = folder.read("gpuprobe.toml");
  EXPECT_NE(written.find("\"in:f32[n] = random\""), std::string::npos) << written.substr(0, 1000);
  EXPECT_NE(written.find("k1999"), std::string::npos);
  const Ended second = run_gpuprobe({"init"}, folder);
  EXPECT_EQ(second.code, 2);
  EXPECT_NE(second.error.find("exists already"), std::string::npos) << second.error;
  EXPECT_EQ(folder.read("gpuprobe.toml"), written);
  EXPECT_EQ(run_gpuprobe({"init", "nosuch"}, folder).code, 2);
  EXPECT_EQ(run_gpuprobe({"init", "k.cu"}, folder).code, 2);
  EXPECT_EQ(run_gpuprobe({"init", "--output", "/dev/full", "--force"}, folder).code, 3);
  // A link that leads nowhere is there too.
  std::filesystem::remove(folder / "gpuprobe.toml");
  std::filesystem::create_symlink(folder / "elsewhere.toml", folder / "gpuprobe.toml");
  EXPECT_EQ(run_gpuprobe({"init"}, folder).code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder / "elsewhere.toml"));
}

TEST_F(HostileFlags, WhatInitWritesCanBeChecked) {
  std::filesystem::remove(folder / "b.cu");
  folder.write("sub/q\"uote.cu", "__global__ void quoted(float* x, unsigned char* y, double z, long m) {}\n");
  folder.write(
      "k.cu",
      "__global__ void scale(const float* in, float* out, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = 2 * in[i];\n}\n");
  EXPECT_EQ(run_gpuprobe({"init"}, folder).code, 0);
  const Ended ended = run_gpuprobe({"check", "--source", "model"}, folder);
  EXPECT_EQ(ended.code, 0) << ended.error << ended.output << folder.read("gpuprobe.toml");
}

TEST_F(HostileFlags, ReportsThatAreNone) {
  const auto refuse = [&](const std::string& name, const std::string& text, const std::string& named) {
    folder.write(name, text);
    const Ended ended = run_gpuprobe({"diagnose", name}, folder);
    EXPECT_EQ(ended.code, 2) << name << " " << ended.signal << ended.error;
    EXPECT_NE(ended.error.find(named), std::string::npos) << name << "\n" << ended.error;
    EXPECT_EQ(ended.output, "");
    EXPECT_LT(ended.error.size(), 4096u);
    EXPECT_LT(ended.peak_kib, 1024 * 1024);
  };
  refuse("empty", "", "empty");
  refuse("space", " \n\n", "space");
  refuse("text", "hello, world\n", "text");
  refuse("brace", "{", "brace");
  refuse("object.json", "{}", "object.json");
  refuse("list.json", "[]", "list.json");
  refuse("null.json", "null", "null.json");
  refuse("deep.json", std::string(1 << 20, '['), "deep.json");
  refuse("version.json", "{\"schema_version\": 999, \"runs\": []}", "version.json");
  refuse("runs.json", "{\"schema_version\": 1, \"runs\": 7}", "runs.json");
  refuse("binary", bytes("\x00\xff\x01\x80"), "binary");
  refuse("big", std::string(64 << 20, 'x'), "big");
  refuse("profile.ncu-rep", bytes("NVR\0\x04\0\0\0") + std::string(4096, '\x12'),
         "ncu --import profile.ncu-rep --csv --page raw");
  refuse("renamed.csv", bytes("NVR\0\x04\0\0\0") + std::string(4096, '\x12'),
         "ncu --import renamed.csv --csv --page raw");
  refuse("header.csv", "\"ID\",\"Kernel Name\"\n", "header.csv");
  refuse("quote.csv", "\"ID\",\"Kernel Name\n", "quote.csv");
  refuse("commas.csv", std::string(1 << 20, ','), "commas.csv");
  for (const char* path : {"/dev/null", ".", "nosuch"})
    EXPECT_EQ(run_gpuprobe({"diagnose", path}, folder).code, 2) << path;
}

}  // namespace
}  // namespace gpuprobe
