// The spool that an injected profiler leaves, whole and cut anywhere.
#include "metrics/recorded/spool.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "inject/settings.h"
#include "inject/spool_file.h"
#include "support/report_builder.h"
#include "support/temporary_folder.h"

namespace gpuprobe::recorded {
namespace {

using cupti::LaunchFate;
using testing::Contains;
using testing::HasSubstr;

Run kernel_run(const std::string& name) {
  Run run = test::sample_report().runs.front().run;
  run.kernel = name;
  run.source = Origin::kMeasured;
  run.resources = {{}};
  run.resources[0].name_expression = name;
  run.resources[0].lowered_name = "_Z" + name;
  run.resources[0].registers = 32;
  return run;
}

/// What the injected library writes for a small program: two kernels, five launches, one not selected.
std::string written_spool(const std::string& folder) {
  auto file = inject::SpoolFile::open(folder, "program");
  EXPECT_TRUE(file);
  Run seen = kernel_run("add");
  seen.counters = {};
  (*file)->kernel(1, seen);
  (*file)->kernel(1, kernel_run("add"));
  (*file)->launch(1, LaunchFate::kMeasured, "");
  (*file)->launch(1, LaunchFate::kCounted, "");
  (*file)->launch(1, LaunchFate::kCounted, "");
  (*file)->kernel(2, kernel_run("ncclAllReduce"));
  (*file)->launch(2, LaunchFate::kSkipped, "it communicates");
  (*file)->launch(2, LaunchFate::kSkipped, "it communicates");
  (*file)->not_selected();
  (*file)->graph();
  (*file)->note("a note with \"quotes\" and \xff no UTF-8");
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream stream(entry.path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }
  return "";
}

TEST(Spool, NeverWritesIntoAFileOfTheProgram) {
  const test::TemporaryFolder folder;
  auto file = inject::SpoolFile::open(folder.path(), "program");
  ASSERT_TRUE(file);
  const std::string own = folder.path() + "/own.txt";
  for (int descriptor = 3; descriptor < 256; ++descriptor) {
    // Whichever number the spool has: now it is one of the program's own file.
    const auto link = std::filesystem::path("/proc/self/fd") / std::to_string(descriptor);
    std::error_code error;
    if (std::filesystem::read_symlink(link, error).extension() != ".jsonl" || error) continue;
    const int other = ::open(own.c_str(), O_WRONLY | O_CREAT, 0600);
    ASSERT_EQ(::dup2(other, descriptor), descriptor);
    ::close(other);
    (*file)->note("lost");
    file->reset();
    EXPECT_EQ(::close(descriptor), 0) << "the spool closed a descriptor of the program";
  }
  ASSERT_TRUE(std::filesystem::exists(own));
  EXPECT_EQ(std::filesystem::file_size(own), 0U);
}

TEST(Spool, AccountsForEveryLaunch) {
  const test::TemporaryFolder folder;
  written_spool(folder.path());
  const auto spool = read_spool(folder.path());
  ASSERT_TRUE(spool) << spool.error().what;
  ASSERT_EQ(spool->kernels.size(), 2u);
  EXPECT_EQ(spool->kernels[0].measured, 1u);
  EXPECT_EQ(spool->kernels[0].counted, 2u);
  EXPECT_EQ(spool->kernels[1].skipped, 2u);
  EXPECT_EQ(spool->kernels[1].why_skipped.at("it communicates"), 2u);
  EXPECT_EQ(spool->not_selected, 1u);
  EXPECT_EQ(spool->graphs, 1u);
  EXPECT_EQ(spool->processes, 1);
  EXPECT_THAT(spool->notes, Contains(HasSubstr("\"quotes\"")));
  const gpuprobe::Run& run = spool->kernels[0].run;
  EXPECT_EQ(run.source, Origin::kMeasured);
  const auto wanted = kernel_run("add").counters;
  for (const auto& [name, metric] : wanted.all()) {
    EXPECT_EQ(run.counters.number(name), wanted.number(name)) << name;
    const Value* value = run.counters.value(name);
    EXPECT_TRUE(!value || value->origin == Origin::kMeasured) << name;
  }
}

TEST(Spool, CutAnywhereKeepsWhatWasFinished) {
  const test::TemporaryFolder folder;
  const std::string text = written_spool(folder.path());
  std::uint64_t before = 0;
  for (std::size_t length = 0; length <= text.size(); length += 1 + length / 40) {
    Spool spool;
    read_spool_text(std::string_view(text).substr(0, length), "cut", spool);
    std::uint64_t launches = 0;
    for (const SpooledKernel& kernel : spool.kernels) launches += kernel.launches();
    EXPECT_GE(launches, before) << length;
    before = launches;
    const bool whole = length == 0 || text[length - 1] == '\n';
    const bool said = std::any_of(spool.notes.begin(), spool.notes.end(), [](const std::string& note) {
      return note.find("was killed while") != std::string::npos;
    });
    EXPECT_EQ(said, !whole) << length;
  }
}

TEST(Spool, PassesOverWhatItCannotRead) {
  Spool spool;
  read_spool_text(
      "{}\nnonsense\n[1]\n{\"id\": 1, \"launch\": \"measured\"}\n{\"gpuprobe_spool\": 99}\n"
      "{\"id\": \"x\", \"kernel\": {}}\n\n{\"note\": 3}\n",
      "broken", spool);
  EXPECT_GE(spool.notes.size(), 6u);
  EXPECT_THAT(spool.notes, Contains(HasSubstr("line 2 is not JSON")));
  EXPECT_THAT(spool.notes, Contains(HasSubstr("not described")));
}

TEST(Spool, AddsProcessesUp) {
  const test::TemporaryFolder folder;
  const std::string text = written_spool(folder.path());
  Spool spool;
  read_spool_text(text, "one", spool);
  read_spool_text(text, "two", spool);
  ASSERT_EQ(spool.kernels.size(), 2u);
  EXPECT_EQ(spool.kernels[0].measured, 2u);
  EXPECT_EQ(spool.kernels[0].counted, 4u);
  EXPECT_EQ(spool.kernels[0].processes, 2);
  EXPECT_EQ(spool.processes, 2);
}

TEST(Spool, OfAFolderThatIsGoneIsAnError) {
  const auto spool = read_spool("/nonexistent/spool");
  ASSERT_FALSE(spool);
  EXPECT_EQ(spool.error().code, ErrorCode::kMachine);
}

TEST(InjectionSettings, GoThroughTheEnvironment) {
  inject::Settings settings;
  settings.folder = "/tmp/x y";
  settings.selection = {"a=b", 3, 4, "range", 1.5, 2};
  for (const auto& [name, value] : inject::environment_of(settings)) ::setenv(name.c_str(), value.c_str(), 1);
  const inject::Settings read = inject::settings_from_environment();
  for (const auto& [name, value] : inject::environment_of(settings)) ::unsetenv(name.c_str());
  EXPECT_EQ(inject::environment_of(read), inject::environment_of(settings));
  EXPECT_EQ(inject::settings_from_environment().folder, "");
}

}  // namespace
}  // namespace gpuprobe::recorded
