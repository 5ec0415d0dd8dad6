// `gpuprobe init`: a first gpuprobe.toml from the .cu files at hand.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/command.h"
#include "cli/log.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/session.h"
#include "kernels/user/launch_entry.h"
#include "kernels/user/scan.h"

namespace gpuprobe::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSuiteFile = "gpuprobe.toml";

struct State {
  std::string directory = ".";
  std::string output;
  bool force = false;
  LogOptions log;
};

Result<std::vector<fs::path>> cuda_files(const std::string& directory) {
  std::vector<fs::path> found;
  std::error_code error;
  fs::recursive_directory_iterator walk(directory, fs::directory_options::skip_permission_denied, error);
  for (; !error && walk != fs::recursive_directory_iterator(); walk.increment(error)) {
    if (walk->path().filename().string().rfind('.', 0) == 0 && walk->is_directory(error))
      walk.disable_recursion_pending();
    if (walk->path().extension() == ".cu" && walk->is_regular_file(error)) found.push_back(walk->path());
  }
  if (error)
    return fail(ErrorCode::kUsage, fmt::format("cannot search '{}': {}", directory, error.message()),
                "Give a directory that can be read.");
  std::sort(found.begin(), found.end());
  return found;
}

Result<int> init(const State& state) {
  set_log_level(state.log.level());
  const auto files = cuda_files(state.directory);
  if (!files) return tl::unexpected(files.error());
  std::string text =
      "# What `gpuprobe check` runs. Adapt sizes, grids and arguments; add what must hold under expect or "
      "fail_on.\n";
  std::size_t kernels = 0;
  for (const fs::path& path : *files) {
    const auto source = read_text_file(path.string());
    if (!source) return tl::unexpected(source.error());
    const std::string relative = path.lexically_proximate(state.directory).string();
    for (const user::FoundKernel& kernel : user::find_kernels(*source)) {
      text += "\n" + user::first_entry(kernel, relative);
      ++kernels;
    }
  }
  if (kernels == 0)
    return fail(ErrorCode::kUsage,
                fmt::format("there is no __global__ function in a .cu file below '{}'", state.directory),
                "Run it where your kernels are, or name their directory.");
  const std::string path = state.output.empty()
                               ? (fs::path(state.directory) / kSuiteFile).lexically_normal().string()
                               : state.output;
  std::error_code error;
  const bool is_there = fs::exists(fs::symlink_status(path, error));  // a link that leads nowhere, too
  if (path != "-" && is_there && !state.force)
    return fail(ErrorCode::kUsage, fmt::format("'{}' exists already", path),
                "Give --force to replace it, or --output - to see what would be written.");
  auto output = Output::open(path);
  if (!output) return tl::unexpected(output.error());
  if (Status written = (*output)->write(text); !written) return tl::unexpected(written.error());
  notice(fmt::format("{} kernels of {} files written to {}", kernels, files->size(),
                     path == "-" ? "stdout" : path));
  return 0;
}

void define(CLI::App& app, Actions& actions) {
  auto state = std::make_shared<State>();
  add_option(app, "DIRECTORY", state->directory, "where to look for .cu files (default: here)");
  add_option(app, "--output", state->output,
             "write to FILE (default: gpuprobe.toml in DIRECTORY); '-' is stdout")
      ->type_name("FILE")
      ->group(kOutputHeading);
  add_flag(app, "--force", state->force, "replace a file that exists")->group(kOutputHeading);
  add_log_options(app, state->log);
  actions[&app] = [state] { return init(*state); };
}

}  // namespace

Command init_command() {
  return {"init", "write a first gpuprobe.toml from the .cu files at hand", kOwnCodeGroup, define};
}

}  // namespace gpuprobe::cli
