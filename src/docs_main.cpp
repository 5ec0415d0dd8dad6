// Build-time helper: writes the manual page and the shell completions from gpuprobe's own option definitions.
//
//   gpuprobe_docs man FRAME > gpuprobe.1          gpuprobe_docs completion bash|zsh|fish > FILE
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "cli/command_line.h"
#include "cli/docs/completions.h"
#include "cli/docs/man_page.h"
#include "cli/version.h"

int main(int argc, char** argv) {
  using namespace gpuprobe::cli;
  const std::string what = argc == 3 ? argv[1] : "";
  const CommandLine line;
  if (what == "man") {
    std::ifstream frame(argv[2]);
    const std::string text{std::istreambuf_iterator<char>(frame), std::istreambuf_iterator<char>()};
    if (text.empty()) {
      std::cerr << "gpuprobe_docs: cannot read " << argv[2] << "\n";
      return 2;
    }
    std::cout << man_page(text, describe(line.app()), kVersion);
    return 0;
  }
  const auto shell = what == "completion" ? shell_from_string(argv[2]) : std::nullopt;
  if (!shell) {
    std::cerr << "usage: gpuprobe_docs man FRAME | completion bash|zsh|fish\n";
    return 2;
  }
  std::cout << completion_script(*shell, describe(line.app()));
  return 0;
}
