#include "cli/docs/completions.h"

#include <algorithm>
#include <vector>

namespace gpuprobe::cli {
namespace {

/// "transpose" of "gpuprobe transpose", "sweep transpose" of "gpuprobe sweep transpose".
std::string words_after_program(const CommandDoc& command) {
  return command.path.substr(command.path.find(' ') + 1);
}

std::string own_name(const CommandDoc& command) {
  return command.path.substr(command.path.rfind(' ') + 1);
}

std::string option_words(const CommandDoc& command) {
  std::string words;
  for (const OptionDoc& option : command.options)
    if (!option.positional)
      for (const std::string& name : option.names) words += (words.empty() ? "" : " ") + name;
  return words;
}

std::string child_words(const CommandDoc& command) {
  std::string words;
  for (const CommandDoc& child : command.children) words += (words.empty() ? "" : " ") + own_name(child);
  return words;
}

/// All commands below `command`, parents first.
std::vector<const CommandDoc*> flattened(const CommandDoc& command) {
  std::vector<const CommandDoc*> all;
  for (const CommandDoc& child : command.children) {
    all.push_back(&child);
    const auto below = flattened(child);
    all.insert(all.end(), below.begin(), below.end());
  }
  return all;
}

/// The values that an option is documented to take, from a placeholder such as "a|b|c".
std::string value_words(const OptionDoc& option) {
  std::string words = option.placeholder;
  if (words.find('|') == std::string::npos) return {};
  std::replace(words.begin(), words.end(), '|', ' ');
  return words;
}

/// bash and, through bashcompinit, zsh: the words typed so far select the list.
std::string bash_script(const CommandDoc& program) {
  std::string cases;
  for (const CommandDoc* command : flattened(program))
    cases += "    \"" + words_after_program(*command) + "\") words=\"" + child_words(*command) + " " +
             option_words(*command) + "\" ;;\n";
  return "_gpuprobe() {\n"
         "  local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
         "  local command=\"\" words=\"\" word\n"
         "  case \"$previous\" in --output|--baseline) COMPREPLY=($(compgen -f -- \"$current\")); return ;; "
         "esac\n"
         "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
         "    case \"$word\" in -*) break ;; *) command=\"${command:+$command }$word\" ;; esac\n"
         "  done\n"
         "  case \"$command\" in\n"
         "    \"\") words=\"" +
         child_words(program) + " " + option_words(program) + "\" ;;\n" + cases +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "  [ \"${#COMPREPLY[@]}\" -gt 0 ] || COMPREPLY=($(compgen -f -- \"$current\"))\n"
         "}\n"
         "complete -F _gpuprobe gpuprobe\n";
}

std::string fish_quoted(const std::string& text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string fish_option(const std::string& condition, const OptionDoc& option) {
  std::string line = "complete -c gpuprobe -n " + fish_quoted(condition);
  for (const std::string& name : option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.placeholder.empty() && !option.value_optional) line += " -r";
  if (const std::string values = value_words(option); !values.empty())
    line += " -f -a " + fish_quoted(values);
  return line + " -d " + fish_quoted(option.description) + "\n";
}

std::string fish_script(const CommandDoc& program) {
  std::string out;
  for (const CommandDoc& command : program.children)
    out += "complete -c gpuprobe -n __fish_use_subcommand -f -a " + own_name(command) + " -d " +
           fish_quoted(command.summary) + "\n";
  for (const CommandDoc& command : program.children) {
    const std::string condition = "__fish_seen_subcommand_from " + own_name(command);
    for (const CommandDoc& child : command.children)
      out += "complete -c gpuprobe -n " + fish_quoted(condition) + " -f -a " + own_name(child) + "\n";
    for (const OptionDoc& option : command.options)
      if (!option.positional) out += fish_option(condition, option);
  }
  return out;
}

}  // namespace

std::optional<Shell> shell_from_string(std::string_view name) {
  if (name == "bash") return Shell::kBash;
  if (name == "zsh") return Shell::kZsh;
  if (name == "fish") return Shell::kFish;
  return std::nullopt;
}

std::string completion_script(Shell shell, const CommandDoc& program) {
  switch (shell) {
    case Shell::kBash:
      return "# bash completion for gpuprobe, generated from its option definitions\n" + bash_script(program);
    case Shell::kZsh:
      return "#compdef gpuprobe\n# generated from gpuprobe's option definitions\n"
             "autoload -U +X bashcompinit && bashcompinit\n" +
             bash_script(program);
    case Shell::kFish:
      return "# fish completion for gpuprobe, generated from its option definitions\n" + fish_script(program);
  }
  return {};
}

}  // namespace gpuprobe::cli
