// What the parser knows about a command, as plain data: the one origin of --help, the man page and the shell
// completions.
//
//   const CommandDoc doc = describe(app);  std::fputs(help_text(doc).c_str(), stdout);
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace gpuprobe::cli {

struct OptionDoc {
  std::vector<std::string> names;  ///< "-v", "--verbose"; one bare name ("FILE") for a positional
  std::string placeholder;         ///< "FILE"; empty for a flag
  bool value_optional = false;     ///< the option may stand without its value
  bool positional = false;
  std::string description;
  std::string group;  ///< heading in --help
};

struct CommandDoc {
  std::string path;         ///< "gpuprobe sweep transpose"
  std::string summary;      ///< one line
  std::string description;  ///< paragraphs; may be empty
  std::string group;
  std::vector<OptionDoc> options;
  std::vector<CommandDoc> children;
};

/// Options in the order of their definition, children in the order in which --help lists them.
CommandDoc describe(const CLI::App& app);

/// At most 80 columns.
std::string help_text(const CommandDoc& doc);

/// "--output FILE", "--pad [P]", "-v, --verbose": the names and the value as help and manual show them.
std::string option_heading(const OptionDoc& option);

/// "gpuprobe transpose [options]".
std::string usage_line(const CommandDoc& doc);

}  // namespace gpuprobe::cli
