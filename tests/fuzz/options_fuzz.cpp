// Any lines as the arguments of gpuprobe: an action, a text to print, or an error; nothing is run.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <variant>
#include <vector>

#include "cli/command_line.h"

namespace {

constexpr std::size_t kMaxArguments = 64;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> arguments{"gpuprobe"};
  std::string argument;
  for (std::size_t i = 0; i < size && arguments.size() < kMaxArguments; ++i) {
    if (data[i] == '\n') {
      arguments.push_back(argument);
      argument.clear();
    } else if (data[i] != 0) {
      argument += static_cast<char>(data[i]);
    }
  }
  if (!argument.empty()) arguments.push_back(argument);
  std::vector<const char*> argv;
  for (const std::string& one : arguments) argv.push_back(one.c_str());
  argv.push_back(nullptr);
  gpuprobe::cli::CommandLine line;
  const auto parsed = line.parse(static_cast<int>(arguments.size()), argv.data());
  if (!parsed) {
    require(parsed.error().code == gpuprobe::ErrorCode::kUsage, "the user can correct it");
    require(!parsed.error().what.empty() && !parsed.error().hint.empty(),
            "an error says what and what to do");
  } else if (const auto* text = std::get_if<std::string>(&*parsed)) {
    require(!text->empty(), "there is something to print");
  } else {
    require(static_cast<bool>(std::get<gpuprobe::cli::Action>(*parsed)), "there is something to do");
  }
  return 0;
}
