// docs/accuracy.md is what `gpuprobe accuracy` writes from the recorded runs: nobody types into it.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "process.h"

namespace gpuprobe::cli_test {
namespace {

TEST(AccuracyDocument, IsWhatTheCommandWritesFromTheRecordings) {
  const Folder folder;
  Call call;
  call.arguments = {"accuracy",      "tests/cases",
                    "--from",        GPUPROBE_RECORDINGS "/runs.json",
                    "--nsight",      GPUPROBE_RECORDINGS "/nsight.csv",
                    "--nsight-runs", GPUPROBE_RECORDINGS "/nsight_runs.json"};
  call.folder = GPUPROBE_SOURCE;
  call.environment = {{"XDG_DATA_HOME", folder.path()}};  // no unit costs of this user
  const Outcome written = run(call);
  ASSERT_EQ(written.code, 0) << written.err;
  std::ifstream file(GPUPROBE_SOURCE "/docs/accuracy.md");
  const std::string kept{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(written.out, kept)
      << "write it anew, in a build of ci:\n  build/ci/src/gpuprobe accuracy tests/cases --from "
         "build/ci/tests/recordings/runs.json --nsight build/ci/tests/recordings/nsight.csv --nsight-runs "
         "build/ci/tests/recordings/nsight_runs.json --output docs/accuracy.md";
}

}  // namespace
}  // namespace gpuprobe::cli_test
