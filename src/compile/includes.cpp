#include "compile/includes.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>

namespace gpuprobe::compile {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 2000;         ///< more than any kernel's own headers
constexpr std::uintmax_t kMostBytes = 64 << 20;  ///< of one file

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  return text;
}

/// The operand of an #include in `line` (with its quotes), or nothing.
std::optional<std::string_view> operand(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with('#')) return std::nullopt;
  line = trimmed(line.substr(1));
  if (!line.starts_with("include")) return std::nullopt;
  return trimmed(line.substr(7));
}

/// The name between the delimiters; empty if `operand` is not a literal name.
std::string_view literal_name(std::string_view operand) {
  if (operand.empty() || (operand.front() != '"' && operand.front() != '<')) return {};
  const std::size_t end = operand.find(operand.front() == '"' ? '"' : '>', 1);
  return end == std::string_view::npos ? std::string_view{} : operand.substr(1, end - 1);
}

std::optional<std::string> read(const fs::path& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (error || size > kMostBytes) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (size > 0 && !(text << file.rdbuf())) return std::nullopt;
  return std::move(text).str();
}

}  // namespace

std::vector<std::string> user_include_directories(const std::vector<std::string>& options) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string& option = options[i];
    if ((option == "-I" || option == "--include-path") && i + 1 < options.size())
      result.push_back(options[++i]);
    else if (option.starts_with("-I"))
      result.emplace_back(trimmed(std::string_view(option).substr(2)));
    else if (option.starts_with("--include-path="))
      result.push_back(option.substr(15));
  }
  return result;
}

std::optional<std::vector<Source>> user_includes(const Source& source,
                                                 const std::vector<std::string>& directories) {
  std::vector<Source> found;
  std::set<std::string> seen;
  // `at` walks over the sources still to be scanned; -1 is the first one.
  for (std::ptrdiff_t at = -1; at < static_cast<std::ptrdiff_t>(found.size()); ++at) {
    const Source current = at < 0 ? source : found[static_cast<std::size_t>(at)];
    std::istringstream lines(current.text);
    for (std::string line; std::getline(lines, line);) {
      const auto name_operand = operand(line);
      if (!name_operand) continue;
      const std::string_view name = literal_name(*name_operand);
      if (name.empty()) return std::nullopt;
      std::vector<fs::path> candidates;
      if (fs::path(name).is_absolute()) {
        candidates.emplace_back(name);
      } else {
        candidates.push_back(fs::path(current.file).parent_path() / name);
        for (const std::string& directory : directories) candidates.push_back(fs::path(directory) / name);
      }
      // All that exist count: which of them the compiler takes depends on the kind of quotes.
      for (const fs::path& path : candidates) {
        std::error_code error;
        if (!fs::is_regular_file(path, error) ||
            !seen.insert(fs::weakly_canonical(path, error).string()).second)
          continue;
        auto text = read(path);
        if (!text || found.size() >= kMostFiles) return std::nullopt;
        found.push_back({path.string(), std::move(*text)});
      }
    }
  }
  return found;
}

}  // namespace gpuprobe::compile
