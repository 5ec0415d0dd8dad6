// A user's .cu file on its way to kernels: its text, the launch facts in its comment block or in flags, and
// the compiler flags. Flags win over the block.
//
//   auto file = UserFile::read("transpose.cu");
//   auto cases = user_cases(*file, flags);            // each ready for profile()
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "kernels/user/launch_case.h"
#include "kernels/user/launch_entry.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gpuprobe::cli {

struct UserFile {
  Source source;
  std::string directory;                   ///< of the file: where its includes and data files are looked for
  std::vector<user::LaunchEntry> entries;  ///< of its comment block; empty if it has none

  /// Errors: kUsage for an unreadable file or a block that cannot be read.
  static Result<UserFile> read(const std::string& path);
};

/// What the command line says about the launch; empty members say nothing.
struct LaunchFlags {
  std::string kernel;
  std::vector<std::string> vars;     ///< "n=1024"
  std::vector<std::string> defines;  ///< "TILE=32", as the compiler's -D
  std::string grid, block, cluster;  ///< "128,128"
  std::string shared;
  std::vector<std::string> args;
  std::vector<std::string> include_directories;
  std::string standard;
  bool fast_math = false;
  int max_registers = 0;
  std::vector<std::string> nvrtc;
  std::string check;
  std::string check_kernel;
  double within = -1.0;
};

void add_launch_flags(CLI::App& app, LaunchFlags& flags);

/// The runs that file and flags describe together. Errors: kUsage; without any launch facts the message lists
/// the kernels of the file.
Result<std::vector<user::LaunchCase>> user_cases(const UserFile& file, const LaunchFlags& flags);

/// The same runs with `change` ("TILE=16") made: a number of the launch facts of that name is set, otherwise
/// the macro is defined. Errors: kUsage.
Result<std::vector<user::LaunchCase>> user_cases_with(const UserFile& file, const LaunchFlags& flags,
                                                      const std::string& change);

/// The runs of one entry, with the directory of its file as an include path.
Result<std::vector<user::LaunchCase>> expand_entry(const user::LaunchEntry& entry, const UserFile& file);

}  // namespace gpuprobe::cli
