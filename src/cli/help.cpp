#include "cli/help.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/table.h"

namespace gpuprobe::cli {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kIndent = 2;
constexpr std::size_t kTextColumn = 26;

OptionDoc describe_option(const CLI::Option& option) {
  OptionDoc doc;
  doc.positional = option.get_positional();
  if (doc.positional) doc.names.push_back(option.get_name(true));
  for (const std::string& name : option.get_snames()) doc.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) doc.names.push_back("--" + name);
  if (option.get_type_size() != 0 && !doc.positional) doc.placeholder = option.get_type_name();
  doc.value_optional = doc.positional ? !option.get_required() : option.get_expected_min() == 0;
  doc.description = option.get_description();
  doc.group = option.get_group();
  return doc;
}

std::string path_of(const CLI::App& app) {
  return app.get_parent() ? path_of(*app.get_parent()) + " " + app.get_name() : app.get_name();
}

/// "  heading   text", the text in a column of its own, below the heading where that is too long.
std::string entry(const std::string& heading, const std::string& text) {
  std::string body = wrap(text.empty() ? " " : text, kWidth, kTextColumn);
  const std::string start = std::string(kIndent, ' ') + heading;
  if (start.size() + 2 > kTextColumn) return start + "\n" + body;
  return start + body.substr(std::min(start.size(), body.size()));
}

/// Groups in order of first appearance.
template <class Item>
std::vector<std::string> groups_of(const std::vector<Item>& items) {
  std::vector<std::string> groups;
  for (const Item& item : items)
    if (std::find(groups.begin(), groups.end(), item.group) == groups.end()) groups.push_back(item.group);
  return groups;
}

}  // namespace

CommandDoc describe(const CLI::App& app) {
  CommandDoc doc;
  doc.path = path_of(app);
  doc.summary = app.get_description();
  doc.description = app.get_footer();
  doc.group = app.get_group();
  for (const CLI::Option* option : app.get_options()) doc.options.push_back(describe_option(*option));
  for (const CLI::App* child : app.get_subcommands({})) doc.children.push_back(describe(*child));
  return doc;
}

std::string option_heading(const OptionDoc& option) {
  std::string heading;
  for (const std::string& name : option.names) heading += (heading.empty() ? "" : ", ") + name;
  if (option.placeholder.empty()) return heading;
  return heading + (option.value_optional ? " [" + option.placeholder + "]" : " " + option.placeholder);
}

std::string usage_line(const CommandDoc& doc) {
  std::string line = doc.path;
  if (!doc.children.empty()) line += doc.path.find(' ') == std::string::npos ? " COMMAND" : " KERNEL";
  for (const OptionDoc& option : doc.options) {
    if (!option.positional) continue;
    line += option.value_optional ? " [" + option.names.front() + "]" : " " + option.names.front();
  }
  return line + " [options]";
}

std::string help_text(const CommandDoc& doc) {
  std::string out = wrap(doc.path + ": " + doc.summary, kWidth, 0);
  out += "\nusage: " + usage_line(doc) + "\n";
  if (!doc.description.empty()) out += "\n" + wrap(doc.description, kWidth, 0);
  for (const std::string& group : groups_of(doc.children)) {
    out += "\n" + group + ":\n";
    for (const CommandDoc& child : doc.children)
      if (child.group == group) out += entry(child.path.substr(child.path.rfind(' ') + 1), child.summary);
  }
  for (const std::string& group : groups_of(doc.options)) {
    out += "\n" + group + ":\n";
    for (const OptionDoc& option : doc.options)
      if (option.group == group) out += entry(option_heading(option), option.description);
  }
  return out;
}

}  // namespace gpuprobe::cli
