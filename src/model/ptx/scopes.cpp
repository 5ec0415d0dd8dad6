#include "model/ptx/scopes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "model/ptx/lexer.h"

namespace gpuprobe::ptx {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

Scopes::Scopes(Function& function, const std::unordered_set<std::string>& taken)
    : function_(function), taken_(taken) {}

std::string Scopes::unique(std::string_view name, Names names) {
  auto& used = names == Names::kRegisters ? register_names_ : symbol_names_;
  std::string result(name);
  int& count = used[result];
  ++count;
  if (count == 1 && names == Names::kSymbols && taken_.contains(result)) ++count;
  if (count > 1) result += fmt::format("@{}", count);
  return result;
}

void Scopes::check_new(std::string_view name, int line) const {
  const auto& level = levels_.back();
  if (level.registers.contains(name) || level.symbols.contains(name) || level.labels.contains(name))
    throw SyntaxError{line, fmt::format("{} is declared twice in one scope", quoted(name))};
}

int Scopes::add_register(Level& level, std::string_view name, std::string_view type) {
  const int index = static_cast<int>(function_.registers.size());
  function_.registers.push_back({unique(name, Names::kRegisters), std::string(type)});
  level.registers.emplace(name, index);
  return index;
}

int Scopes::declare_register(std::string_view name, std::string_view type, int line) {
  check_new(name, line);
  return add_register(levels_.back(), name, type);
}

void Scopes::declare_range(std::string_view prefix, std::string_view type, std::uint64_t count, int line) {
  if (!levels_.back().ranges.emplace(prefix, Range{type, count}).second)
    throw SyntaxError{line, fmt::format("the registers {} are declared twice in one scope", quoted(prefix))};
}

int Scopes::find_register(std::string_view name) {
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    if (const auto found = level->registers.find(name); found != level->registers.end()) return found->second;
    if (level->symbols.contains(name)) return -1;
    if (level->ranges.empty()) continue;
    // "%r12" can be number 12 of "%r" or number 2 of "%r1".
    for (std::size_t digits = 1; digits < name.size() && digits <= 9; ++digits) {
      const auto tail = name.substr(name.size() - digits);
      if (tail[0] < '0' || tail[0] > '9') break;
      if (tail[0] == '0' && digits > 1) continue;
      const auto range = level->ranges.find(name.substr(0, name.size() - digits));
      if (range == level->ranges.end()) continue;
      std::uint64_t number = 0;
      std::from_chars(tail.data(), tail.data() + tail.size(), number);
      if (number < range->second.count) return add_register(*level, name, range->second.type);
    }
  }
  return -1;
}

std::string Scopes::declare_symbol(std::string_view name, int line) {
  check_new(name, line);
  auto flat = unique(name, Names::kSymbols);
  levels_.back().symbols.emplace(name, flat);
  return flat;
}

void Scopes::declare_parameter(std::string_view name, int line) {
  check_new(name, line);
  levels_.back().symbols.emplace(name, std::string(name));
  ++symbol_names_[std::string(name)];
}

std::optional<std::string> Scopes::find_symbol(std::string_view name) const {
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level)
    if (const auto found = level->symbols.find(name); found != level->symbols.end()) return found->second;
  return std::nullopt;
}

void Scopes::declare_label(std::string_view name, int line) {
  check_new(name, line);
  const int index = static_cast<int>(function_.body.size());
  function_.labels.emplace(unique(name, Names::kSymbols), index);
  levels_.back().labels.emplace(name, index);
}

void Scopes::use_label(std::string_view name, int line, int instruction, int operand) {
  levels_.back().uses.push_back({name, line, instruction, operand, {}, 0});
}

void Scopes::use_label(std::string_view name, int line, const std::string& table) {
  auto& entries = function_.branch_targets[table];
  entries.push_back(-1);
  levels_.back().uses.push_back({name, line, -1, -1, table, entries.size() - 1});
}

void Scopes::close() {
  const Level level = std::move(levels_.back());
  levels_.pop_back();
  for (const auto& use : level.uses) {
    const auto label = level.labels.find(use.name);
    if (label == level.labels.end()) {
      if (levels_.empty()) throw SyntaxError{use.line, fmt::format("there is no label {}", quoted(use.name))};
      levels_.back().uses.push_back(use);
    } else if (use.instruction >= 0) {
      function_.body[at(use.instruction)].operands[at(use.operand)].target = label->second;
    } else {
      function_.branch_targets[use.table][use.entry] = label->second;
    }
  }
}

}  // namespace gpuprobe::ptx
