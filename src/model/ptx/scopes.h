// The names inside one function body. PTX scopes `{ }` nest and may declare a name again (every call sequence
// declares `param0`); the parsed function is flat, so the second `param0` becomes `param0@2` ('@' occurs in
// no PTX name).
//
//   scopes.open();  scopes.declare_range("%r", "b32", 5);  scopes.find_register("%r4") == 7;  scopes.close();
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "model/ptx/ast.h"

namespace gpuprobe::ptx {

/// Names are views into the module's text, which outlives the parser. Declaring a name twice in one scope
/// throws.
class Scopes {
 public:
  /// `taken` are the names of the module, which a local name must not look like after flattening.
  Scopes(Function& function, const std::unordered_set<std::string>& taken);

  void open() { levels_.emplace_back(); }
  /// Resolves the label uses of the scope that it can; the others pass to the enclosing one. Throws for an
  /// unknown label when the outermost scope closes.
  void close();
  std::size_t depth() const { return levels_.size(); }

  int declare_register(std::string_view name, std::string_view type, int line);
  void declare_range(std::string_view prefix, std::string_view type, std::uint64_t count, int line);
  /// Index into Function::registers; a register of a range enters there when it is first used. -1 if not
  /// declared.
  int find_register(std::string_view name);

  /// A variable, table or prototype; returns its name in the flat function. Parameters keep theirs.
  std::string declare_symbol(std::string_view name, int line);
  void declare_parameter(std::string_view name, int line);
  /// The name in the flat function, or nothing if no open scope declares it.
  std::optional<std::string> find_symbol(std::string_view name) const;

  void declare_label(std::string_view name, int line);
  void use_label(std::string_view name, int line, int instruction, int operand);  ///< filled in at close()
  void use_label(std::string_view name, int line, const std::string& table);      ///< appended, in order

 private:
  struct Range {
    std::string_view type;
    std::uint64_t count = 0;
  };
  struct LabelUse {
    std::string_view name;
    int line = 0;
    int instruction = -1;
    int operand = -1;
    std::string table;
    std::size_t entry = 0;
  };
  struct Level {
    std::unordered_map<std::string_view, int> registers;
    std::unordered_map<std::string_view, Range> ranges;
    std::unordered_map<std::string_view, std::string> symbols;
    std::unordered_map<std::string_view, int> labels;
    std::vector<LabelUse> uses;
  };
  enum class Names { kRegisters, kSymbols };

  std::string unique(std::string_view name, Names names);
  int add_register(Level& level, std::string_view name, std::string_view type);
  void check_new(std::string_view name, int line) const;

  Function& function_;
  const std::unordered_set<std::string>& taken_;
  std::vector<Level> levels_;
  std::unordered_map<std::string, int> register_names_;  ///< how often each has been declared
  std::unordered_map<std::string, int> symbol_names_;
};

}  // namespace gpuprobe::ptx
