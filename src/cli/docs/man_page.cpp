#include "cli/docs/man_page.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "cli/options.h"

namespace gpuprobe::cli {
namespace {

constexpr std::array<std::string_view, 4> kCommonGroups{kSourceHeading, kMeasureHeading, kGateHeading,
                                                        kOutputHeading};

bool is_common(const OptionDoc& option) {
  return std::find(kCommonGroups.begin(), kCommonGroups.end(), option.group) != kCommonGroups.end();
}

void replace_all(std::string& text, std::string_view what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

std::string option_entry(const OptionDoc& option) {
  return ".TP\n.B " + roff(option_heading(option)) + "\n" + roff(option.description) + "\n";
}

/// "--source, --arch": the last (longest) name of each.
std::string names_of(const std::vector<const OptionDoc*>& options) {
  std::string names;
  for (const OptionDoc* option : options) names += (names.empty() ? "" : ", ") + option->names.back();
  return names;
}

std::string paragraphs(const std::string& text) {
  std::string out = roff(text);
  replace_all(out, "\n\n", "\n.PP\n");
  return out + "\n";
}

std::string command_section(const CommandDoc& command) {
  std::string out = ".SS " + roff(usage_line(command)) + "\n" + roff(command.summary) + ".\n";
  if (!command.description.empty()) out += ".PP\n" + paragraphs(command.description);
  std::vector<const OptionDoc*> common;
  for (const OptionDoc& option : command.options) {
    if (is_common(option)) {
      common.push_back(&option);
    } else {
      out += option_entry(option);
    }
  }
  if (!common.empty()) out += ".PP\nCommon options: " + roff(names_of(common)) + ".\n";
  for (const CommandDoc& child : command.children) out += command_section(child);
  return out;
}

void collect_common(const CommandDoc& command, std::vector<OptionDoc>& found) {
  for (const OptionDoc& option : command.options) {
    const bool known = std::any_of(found.begin(), found.end(), [&option](const OptionDoc& other) {
      return other.names == option.names && other.description == option.description;
    });
    if (is_common(option) && !known) found.push_back(option);
  }
  for (const CommandDoc& child : command.children) collect_common(child, found);
}

std::string common_options(const CommandDoc& program) {
  std::vector<OptionDoc> options;
  collect_common(program, options);
  std::string out;
  for (std::string_view group : kCommonGroups) {
    out += ".SS " + roff(std::string(group)) + "\n";
    for (const OptionDoc& option : options)
      if (option.group == group) out += option_entry(option);
  }
  return out;
}

}  // namespace

std::string roff(const std::string& text) {
  std::string out;
  bool line_start = true;
  for (char c : text) {
    // A dot or an apostrophe at the start of a line would be a request.
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    line_start = c == '\n';
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string man_page(const std::string& frame, const CommandDoc& program, const std::string& version) {
  std::string commands;
  for (const CommandDoc& command : program.children) commands += command_section(command);
  std::string page = frame;
  replace_all(page, "@VERSION@", roff(version));
  replace_all(page, "@COMMANDS@\n", commands);
  replace_all(page, "@COMMON_OPTIONS@\n", common_options(program));
  return page;
}

}  // namespace gpuprobe::cli
