#include "kernels/user/launch_entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "kernels/user/toml_text.h"

namespace gpuprobe::user {
namespace {

constexpr std::string_view kOpening = "/* gpuprobe";

constexpr std::size_t kLongestName = 4096;  ///< of a kernel: longer ones are no name expressions
constexpr std::size_t kLongestShown = 80;   ///< characters of a wrong word in a message

/// Reads one entry; remembers the first error, so that reading code stays a plain list of keys.
class EntryReader {
 public:
  EntryReader(std::string_view file, int first_line) : file_(file), first_line_(first_line) {}

  std::string place(const toml::node& node) const {
    return fmt::format("{}:{}", file_, first_line_ - 1 + static_cast<int>(node.source().begin.line));
  }

  void fail_at(const toml::node& node, const std::string& what, const std::string& hint) {
    if (!error_) error_ = Error{ErrorCode::kUsage, fmt::format("{}: {}", place(node), what), hint};
  }

  /// A string, or a number written where an expression is expected.
  std::string expression(const toml::node& node, std::string_view key) {
    if (const auto text = node.value_exact<std::string>()) return *text;
    if (const auto integer = node.value_exact<std::int64_t>()) return fmt::format("{}", *integer);
    if (const auto number = node.value_exact<double>()) return fmt::format("{:#.17g}", *number);
    fail_at(node, fmt::format("'{}' must be a string or a number", key), "Put an expression in quotes.");
    return {};
  }

  std::string text(const toml::node& node, std::string_view key) {
    if (const auto value = node.value_exact<std::string>()) return *value;
    fail_at(node, fmt::format("'{}' must be a string", key), "Put the value in double quotes.");
    return {};
  }

  /// A list; a single value counts as a list of one.
  std::vector<std::string> list(const toml::node& node, std::string_view key) {
    std::vector<std::string> values;
    if (const toml::array* array = node.as_array()) {
      for (const toml::node& element : *array) values.push_back(expression(element, key));
    } else {
      values.push_back(expression(node, key));
    }
    return values;
  }

  Number number(const toml::node& node, std::string_view key) {
    if (const auto integer = node.value_exact<std::int64_t>()) return Number{*integer};
    if (const auto value = node.value_exact<double>()) return Number{*value};
    fail_at(node, fmt::format("the variable '{}' must be a number or an array of numbers", key),
            "Variables hold numbers; write expressions where they are used.");
    return Number{std::int64_t{0}};
  }

  double bound(const toml::node& node, std::string_view key) {
    const double value = as_double(number(node, key));
    if (!std::isfinite(value) || value < 0)
      fail_at(node, fmt::format("'{}' is {}", key, value), "An error bound is a number of at least 0.");
    return value;
  }

  void variables(const toml::node& node, LaunchEntry& entry) {
    const toml::table* table = node.as_table();
    if (!table) return fail_at(node, "'vars' must be a table", "Write vars = { n = 4096, tile = [16, 32] }.");
    for (const auto& [key, value] : *table) {
      std::vector<Number> values;
      if (const toml::array* array = value.as_array()) {
        for (const toml::node& element : *array) values.push_back(number(element, key.str()));
      } else {
        values.push_back(number(value, key.str()));
      }
      if (!is_identifier(key.str()))
        fail_at(value,
                fmt::format("the variable '{}' has no name that an expression could use",
                            key.str().substr(0, kLongestShown)),
                "Name it with letters, digits and _.");
      if (values.empty())
        fail_at(value, fmt::format("the variable '{}' has no value", key.str()),
                "Give it at least one number.");
      entry.vars.emplace_back(std::string(key.str()), std::move(values));
    }
  }

  void definitions(const toml::node& node, LaunchEntry& entry) {
    const toml::table* table = node.as_table();
    if (!table) return fail_at(node, "'define' must be a table", "Write define = { TILE = \"tile\" }.");
    for (const auto& [key, value] : *table) {
      if (!is_identifier(key.str()))
        fail_at(value, fmt::format("'{}' is not a macro's name", key.str().substr(0, kLongestShown)),
                "Write define = { TILE = \"tile\" }.");
      entry.defines.emplace_back(std::string(key.str()), expression(value, key.str()));
    }
  }

  const std::optional<Error>& error() const { return error_; }

 private:
  std::string_view file_;
  int first_line_;
  std::optional<Error> error_;
};

using Reader = std::function<void(EntryReader&, const toml::node&, LaunchEntry&)>;

struct Key {
  std::string_view name;
  Reader read;
};

Reader text_into(std::string LaunchEntry::*member, std::string_view key) {
  return [=](EntryReader& reader, const toml::node& node, LaunchEntry& entry) {
    entry.*member = reader.text(node, key);
  };
}

Reader list_into(std::vector<std::string> LaunchEntry::*member, std::string_view key) {
  return [=](EntryReader& reader, const toml::node& node, LaunchEntry& entry) {
    entry.*member = reader.list(node, key);
  };
}

const std::array<Key, 19>& keys() {
  static const std::array<Key, 19> kKeys{{
      {"file", text_into(&LaunchEntry::file, "file")},
      {"name", text_into(&LaunchEntry::name, "name")},
      {"vars", [](EntryReader& r, const toml::node& n, LaunchEntry& e) { r.variables(n, e); }},
      {"define", [](EntryReader& r, const toml::node& n, LaunchEntry& e) { r.definitions(n, e); }},
      {"grid", list_into(&LaunchEntry::grid, "grid")},
      {"block", list_into(&LaunchEntry::block, "block")},
      {"cluster", list_into(&LaunchEntry::cluster, "cluster")},
      {"shared",
       [](EntryReader& r, const toml::node& n, LaunchEntry& e) { e.shared = r.expression(n, "shared"); }},
      {"args", list_into(&LaunchEntry::args, "args")},
      {"options", list_into(&LaunchEntry::options, "options")},
      {"check", text_into(&LaunchEntry::check, "check")},
      {"check_kernel", text_into(&LaunchEntry::check_kernel, "check_kernel")},
      {"within",
       [](EntryReader& r, const toml::node& n, LaunchEntry& e) { e.within = r.bound(n, "within"); }},
      {"finding", list_into(&LaunchEntry::finding, "finding")},
      {"also", list_into(&LaunchEntry::also, "also")},
      {"expect", list_into(&LaunchEntry::expect, "expect")},
      {"fail_on", list_into(&LaunchEntry::fail_on, "fail_on")},
      {"arch", list_into(&LaunchEntry::arch, "arch")},
      {"source", list_into(&LaunchEntry::sources, "source")},
  }};
  return kKeys;
}

std::string known_keys() {
  std::string list;
  for (const Key& key : keys()) list += (list.empty() ? "" : ", ") + std::string(key.name);
  return list;
}

LaunchEntry read_entry(EntryReader& reader, const toml::table& table) {
  LaunchEntry entry;
  entry.origin = reader.place(table);
  for (const auto& [name, node] : table) {
    const auto key = std::find_if(keys().begin(), keys().end(), [&, &text = name](const Key& candidate) {
      return candidate.name == text.str();
    });
    if (key == keys().end())
      reader.fail_at(node, fmt::format("unknown key '{}'", name.str().substr(0, kLongestShown)),
                     "Known keys: " + known_keys() + ".");
    else
      key->read(reader, node, entry);
  }
  if (entry.name.size() > kLongestName)
    reader.fail_at(table,
                   fmt::format("the name '{}...' has {} characters", entry.name.substr(0, kLongestShown),
                               entry.name.size()),
                   "Name a kernel, or write a name expression such as \"kernel<float, 32>\".");
  if (entry.name.empty())
    reader.fail_at(table, "this entry does not name its kernel",
                   "Add name = \"kernel_name\", or a name expression such as \"kernel<float, 32>\".");
  return entry;
}

}  // namespace

std::optional<CommentBlock> find_launch_block(std::string_view source) {
  std::size_t start = source.find(kOpening);
  while (start != std::string_view::npos) {
    const std::size_t after = start + kOpening.size();
    if (after == source.size() || source[after] == '\n' || source[after] == '\r' || source[after] == ' ') {
      const std::size_t end = source.find("*/", after);
      CommentBlock block;
      block.text = std::string(source.substr(after, end == std::string_view::npos ? end : end - after));
      block.first_line = 1 + static_cast<int>(std::count(
                                 source.begin(), source.begin() + static_cast<std::ptrdiff_t>(after), '\n'));
      return block;
    }
    start = source.find(kOpening, after);
  }
  return std::nullopt;
}

Result<std::vector<LaunchEntry>> parse_entries(std::string_view toml, std::string_view file, int first_line) {
  if (const auto line = line_beyond_ascii(toml))
    return fail(ErrorCode::kUsage,
                fmt::format("{}:{}: this is not TOML: a character beyond ASCII outside of quotes", file,
                            first_line - 1 + *line),
                "Put it in quotes or into a comment.");
  const toml::parse_result parsed = toml::parse(toml, file);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return fail(
        ErrorCode::kUsage,
        fmt::format("{}:{}: this is not TOML: {}", file,
                    first_line - 1 + static_cast<int>(error.source().begin.line), error.description()),
        "Launch facts are TOML with [[kernel]] entries; `gpuprobe run --help` shows one.");
  }
  EntryReader reader(file, first_line);
  std::vector<LaunchEntry> entries;
  for (const auto& [name, node] : parsed.table()) {
    const toml::array* array = name.str() == "kernel" ? node.as_array() : nullptr;
    if (!array) {
      reader.fail_at(node,
                     fmt::format("unexpected '{}' at the top level", name.str().substr(0, kLongestShown)),
                     "Every fact belongs to a [[kernel]] entry (with two brackets).");
      break;
    }
    for (const toml::node& element : *array) {
      if (const toml::table* table = element.as_table())
        entries.push_back(read_entry(reader, *table));
      else
        reader.fail_at(element, "'kernel' must be a list of tables", "Start each entry with [[kernel]].");
    }
  }
  if (reader.error()) return tl::unexpected<Error>(*reader.error());
  if (entries.empty())
    return fail(ErrorCode::kUsage, fmt::format("{}:{}: there is no [[kernel]] entry", file, first_line),
                "Add at least one; `gpuprobe run --help` shows one.");
  return entries;
}

}  // namespace gpuprobe::user
