#include "diagnose/phrase.h"

#include <fmt/format.h>

namespace gpuprobe::diagnose {
namespace {

/// True if `options` ("--variant tiled --pad") sets --`name`.
bool sets(const std::string& options, const std::string& name) {
  const std::string flag = (name.size() == 1 ? "-" : "--") + name;
  for (std::size_t at = options.find(flag); at != std::string::npos; at = options.find(flag, at + 1)) {
    const std::size_t end = at + flag.size();
    const bool starts = at == 0 || options[at - 1] == ' ';
    if (starts && (end == options.size() || options[end] == ' ' || options[end] == '=')) return true;
  }
  return false;
}

}  // namespace

std::string place(const Site& site) {
  if (site.line > 0) return fmt::format("{}:{}", site.file, site.line);
  return site.instruction;
}

std::string at_place(const std::vector<Site>& sites) {
  if (sites.empty()) return "";
  const std::string where = place(sites.front());
  return where.empty() ? "" : " at " + where;
}

std::string per_request(double actual, double ideal, std::string_view unit) {
  return fmt::format("{:.1f} {} a request where {:.1f} would do", actual, unit, ideal);
}

std::string grouped(double count) {
  std::string digits = fmt::format("{:.0f}", count);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string counted(double count, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

std::string own_cure(const Run& run, FindingKind kind) {
  std::string text;
  for (const KernelCure& cure : run.cures) {
    if (cure.finding != to_string(kind)) continue;
    std::string command = "gpuprobe " + run.kernel;
    for (const auto& [name, value] : run.options) {
      if (sets(cure.options, name)) continue;
      command += (name.size() == 1 ? " -" : " --") + name;
      if (value != "true") command += " " + value;
    }
    text += fmt::format("{}{} {} ({})", text.empty() ? "" : ", or ", command, cure.options, cure.text);
  }
  return text;
}

}  // namespace gpuprobe::diagnose
