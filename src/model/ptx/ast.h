// A PTX module as parsed: close to the text, names resolved to indices, nothing interpreted.
//
//   @%p1 ld.shared.v2.f32 {%f1, %f2}, [%r4+16];
//   -> opcode "ld", modifiers {"shared","v2","f32"}, guard %p1, operands {vector{%f1,%f2}, address{%r4,+16}}
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gpuprobe::ptx {

enum class Space { kGeneric, kReg, kParam, kGlobal, kShared, kLocal, kConst };

/// A `.loc` position. `inlined_at` is the index (into Function::locations) of the call site, or -1.
struct SourceLocation {
  int file = 0;  ///< key of Module::files; 0 = none
  int line = 0;
  int column = 0;
  int inlined_at = -1;   ///< always smaller than the location's own index, so a chain ends
  std::string function;  ///< inlined function's (mangled) name, if given
};

struct Register {
  std::string name;  ///< "%r12"; unique in the function: a second declaration in another scope is "%r12@2"
  std::string type;  ///< "b32", "f64", "pred" ...
};

/// One operand. A symbol is the unique name of a Function::variables entry, a parameter of the function, a
/// module variable or a function. Which fields are used depends on `kind`.
struct Operand {
  enum class Kind {
    kRegister,  ///< reg (negated: "!%p1")
    kInteger,   ///< integer (unsigned 64-bit literals keep their bits; WARP_SZ is 32)
    kFloat32,   ///< integer holds the 32 bits of a 0f literal
    kFloat64,   ///< integer holds the 64 bits of a 0d literal or a decimal float
    kSymbol,    ///< symbol (+ offset): the address of a variable or a function name
    kSpecial,   ///< symbol: special register name, "%tid.x"
    kAddress,   ///< [reg + offset] (reg >= 0), [symbol + offset] or [integer]; elements: coordinates of
                ///< "[tex, {x, y}]"
    kVector,    ///< elements; also the lists of a call
    kLabel,     ///< target: instruction index inside the function body
    kSink,      ///< "_"
  };
  Kind kind = Kind::kInteger;
  int reg = -1;  ///< index into Function::registers
  bool negated = false;
  std::int64_t integer = 0;
  std::string symbol;
  std::int64_t offset = 0;
  std::vector<Operand> elements;
  int target = -1;
  std::optional<int> pair_reg;  ///< "%p1|%p2": the second destination register
};

/// call:    operands are always {vector of returns, callee (symbol or register), vector of arguments} and,
/// for an
///          indirect call, the symbol of its Function::prototypes or Function::call_targets entry.
/// brx.idx: operands are {register, symbol of its Function::branch_targets entry}.
struct Instruction {
  std::string opcode;                  ///< "ld", "mad", "bar", "mma" ...
  std::vector<std::string> modifiers;  ///< in order, without dots
  int guard = -1;                      ///< predicate register, -1 = none
  bool guard_negated = false;
  std::vector<Operand> operands;
  int location = -1;  ///< index into Function::locations, -1 = none
  int text_line = 0;  ///< 1-based line of the PTX text
};

/// A declared variable (module or function scope).
struct Variable {
  std::string name;
  Space space = Space::kGlobal;
  std::string type;  ///< of an element: "b8", "f32" ...
  std::uint32_t align = 1;
  std::uint64_t bytes = 0;  ///< 0 for an extern unsized array (dynamic shared memory)
  bool is_extern = false;
  std::vector<std::uint8_t> initial;  ///< the first bytes (at most `bytes`); the rest is zero
  /// Initial words that are addresses of other symbols: byte offset -> symbol + addend.
  struct Relocation {
    std::uint64_t offset = 0;
    std::string symbol;
    std::int64_t addend = 0;
    std::uint32_t bytes = 8;
    std::uint32_t shift = 0;  ///< bits: the stored value is (address >> shift), cut to `bytes`
    bool is_generic = false;  ///< "generic(symbol)": the generic address, not the one in the symbol's space
  };
  std::vector<Relocation> relocations;
};

struct Parameter {
  std::string name;
  std::string type;  ///< "u64", "b8" ...
  std::uint32_t align = 1;
  std::uint32_t bytes = 0;   ///< whole size, arrays included
  std::uint32_t offset = 0;  ///< in the parameter block, naturally aligned
  int reg = -1;  ///< of a `.reg` parameter: index into Function::registers (its space is not .param)
};

/// What an indirect call passes: `.callprototype`.
struct Prototype {
  std::vector<Parameter> parameters;
  std::vector<Parameter> returns;
  bool is_noreturn = false;
};

struct Function {
  std::string name;
  bool is_entry = false;
  bool is_declaration = false;  ///< no body (extern, or forward)
  bool is_noreturn = false;     ///< .noreturn
  std::map<std::string, std::vector<std::uint32_t>>
      bounds;  ///< "maxntid" -> {256, 1, 1}, "minnctapersm" -> {2} ...
  std::vector<Parameter> parameters;
  std::vector<Parameter> returns;   ///< .func only
  std::vector<Register> registers;  ///< those that the body uses, not all of a declared range
  std::vector<Variable> variables;  ///< .shared/.local/.param/.const declared inside
  std::vector<Instruction> body;
  std::map<std::string, int> labels;  ///< label -> index into body (== body.size() for a trailing label)
  std::map<std::string, std::vector<int>> branch_targets;        ///< .branchtargets tables for brx.idx
  std::map<std::string, std::vector<std::string>> call_targets;  ///< .calltargets tables
  std::map<std::string, Prototype> prototypes;                   ///< .callprototype
  std::vector<SourceLocation> locations;
};

struct Module {
  std::string version;  ///< "9.0"
  std::string target;   ///< "sm_90"
  int address_size = 64;
  std::map<int, std::string> files;  ///< .file index -> path
  std::vector<Variable> variables;
  std::vector<Function> functions;             ///< each name once: a definition takes its declaration's place
  std::map<std::string, std::string> aliases;  ///< other names of functions

  /// The function with a body of that name or alias, or nullptr.
  const Function* find(const std::string& name) const {
    const auto alias = aliases.find(name);
    const auto& wanted = alias == aliases.end() ? name : alias->second;
    for (const auto& function : functions)
      if (function.name == wanted && !function.is_declaration) return &function;
    return nullptr;
  }
};

}  // namespace gpuprobe::ptx
