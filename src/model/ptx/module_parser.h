// The recursive-descent parser behind ptx::parse(). Its parts: module_parser.cpp (directives of the module,
// function headers), variables.cpp (declarations and initial values), function_parser.cpp (bodies),
// operands.cpp.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "model/ptx/ast.h"
#include "model/ptx/debug_strings.h"
#include "model/ptx/lexer.h"
#include "model/ptx/scopes.h"

namespace gpuprobe::ptx {

/// What the declarators of a variable or parameter have in common: everything before the names.
struct DeclarationHead {
  Space space = Space::kGlobal;
  std::string_view type;
  std::uint32_t type_bytes = 0;  ///< of one element of the vector type
  std::uint32_t vector = 1;      ///< 2 or 4 for .v2 and .v4
  std::uint64_t align = 0;       ///< 0 = not given
};

/// "[2][3]" behind a name.
struct Dimensions {
  std::vector<std::uint64_t> sizes;
  bool is_unsized = false;  ///< the first one is "[]" (and not in `sizes`)
  std::uint64_t product = 1;
};

class ModuleParser {
 public:
  explicit ModuleParser(std::string_view text) : lexer_(text) {}
  /// Throws SyntaxError.
  Module parse();

 private:
  // module_parser.cpp
  void parse_module_directive();
  void parse_file();
  void parse_alias();
  void parse_function(bool is_entry);
  void parse_bounds(Function& function);
  std::vector<Parameter> parse_parameters(Scopes* scopes);
  Parameter parse_parameter(Scopes* scopes);
  void add_function(Function function, int line);
  void skip_pragma();
  void skip_attribute();

  // variables.cpp
  DeclarationHead parse_head(Space space);
  Dimensions parse_dimensions();
  void parse_variables(Space space, bool is_extern, Scopes* scopes, std::vector<Variable>& out);
  void parse_initial(Variable& variable, const DeclarationHead& head, Dimensions& dimensions);
  void parse_initial_level(Variable& variable, const DeclarationHead& head, const Dimensions& dimensions,
                           std::size_t level, std::uint64_t first, std::uint64_t room, std::uint64_t& used);
  void parse_initial_value(Variable& variable, const DeclarationHead& head, std::uint64_t offset);
  void add_module_variable(Variable variable, int line);

  // function_parser.cpp
  void parse_body(Function& function, Scopes& scopes);
  void parse_statement(Function& function, Scopes& scopes);
  void parse_body_directive(Function& function, Scopes& scopes);
  void parse_registers(Scopes& scopes);
  void parse_location(Function& function);
  void parse_labelled(Function& function, Scopes& scopes);
  void parse_instruction(Function& function, Scopes& scopes);
  void parse_call(const Function& function, Scopes& scopes, Instruction& instruction);

  // operands.cpp
  Operand parse_operand(Scopes& scopes);
  Operand parse_named(Scopes& scopes);
  Operand parse_address(Scopes& scopes);
  Operand parse_list(Scopes& scopes, char close);
  int parse_register(Scopes& scopes);
  std::string parse_symbol(Scopes& scopes);
  std::string symbol_named(std::string_view name, int line, const Scopes& scopes) const;

  Lexer lexer_;
  Module module_;
  DebugStrings debug_strings_;
  std::unordered_set<std::string> module_names_;            ///< variables and functions
  std::unordered_map<std::string, std::size_t> functions_;  ///< name -> index into module_.functions
  std::unordered_map<std::string, std::size_t> variables_;  ///< name -> index into module_.variables
  std::uint64_t initial_bytes_ = 0;
  std::vector<std::pair<std::string, int>> initial_symbols_;  ///< used in initial values, with their lines

  // Locations of the function at hand.
  using Position = std::tuple<int, int, int>;  ///< file, line, column
  int location_ = -1;
  std::map<Position, int> latest_location_;
  std::map<std::tuple<Position, int, std::string>, int> known_locations_;
};

}  // namespace gpuprobe::ptx
