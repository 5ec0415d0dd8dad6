// Turns the functions that an entry reaches into micro-ops. Whatever is not supported is an error here,
// naming the instruction: nothing is ignored, and nothing is found out only while running.
//
//   Decoder decoder(module, memory);
//   auto image = decoder.decode("transpose_tile");
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "model/ptx/ast.h"
#include "model/ptx/flow.h"
#include "model/simt/lanes/lanes.h"
#include "model/simt/program_image.h"

namespace gpuprobe::simt {

/// Where a virtual register lives.
struct RegisterSlot {
  std::uint32_t offset = kNoSlot;
  std::uint32_t bytes = 4;  ///< 1 = predicate, 2, 4, 8, 16
};

/// What a name stands for.
struct Symbol {
  enum class Kind { kNone, kGlobal, kConst, kShared, kLocal, kParameter, kColumns, kFunction };
  Kind kind = Kind::kNone;
  std::uint64_t address =
      0;  ///< device address, or offset in the space; kFunction: kFunctionWindow + 16 x index
  std::uint32_t slot = 0;  ///< kColumns: first 64-bit slot
  std::uint64_t bytes = 0;
};

struct FunctionLayout {
  const ptx::Function* function = nullptr;
  int index = 0;
  ptx::Flow flow;
  std::vector<RegisterSlot> registers;
  std::map<std::string, Symbol> symbols;  ///< local names
  std::int32_t entry_point = 0;
};

class Decoder {
 public:
  Decoder(const ptx::Module& module, DeviceMemory& memory) : module_(module), memory_(memory) {}
  Result<std::shared_ptr<const ProgramImage>> decode(const std::string& entry);

  // What the decoding of one instruction uses.
  ProgramImage& image() { return *image_; }
  const ptx::Module& module() const { return module_; }
  Symbol find_symbol(const FunctionLayout& layout, const std::string& name) const;
  std::uint32_t constant_word(std::uint32_t value);
  std::uint32_t constant_pair(std::uint64_t value);
  std::uint32_t special(Special special, bool is_64);
  std::optional<int> function_index(const std::string& name) const;

 private:
  Status collect(const std::string& entry);
  void collect_symbols(const ptx::Function& function, std::vector<std::string>& names) const;
  void mark_recursion();
  Status lay_out_variables();
  Status lay_out_function(FunctionLayout& layout, std::uint32_t& next);
  Status lay_out_locals(FunctionLayout& layout, FunctionImage& out);
  Status decode_function(FunctionLayout& layout);
  InstructionInfo info(const ptx::Function& function, const ptx::Instruction& instruction) const;
  /// Local memory of the deepest chain of calls; `known` remembers the functions done, -2 = being looked at.
  std::int64_t deepest_local(int function, std::vector<std::int64_t>& known) const;
  Status initialise(const ptx::Variable& variable, std::uint64_t address);

  const ptx::Module& module_;
  DeviceMemory& memory_;
  std::shared_ptr<ProgramImage> image_;
  std::vector<FunctionLayout> layouts_;          ///< same order as image().functions
  std::vector<const ptx::Variable*> variables_;  ///< module variables that are used
  std::map<std::string, Symbol> symbols_;        ///< module scope
  std::map<std::string, int> function_of_;
  std::vector<std::vector<int>> calls_;           ///< call graph
  std::map<std::uint32_t, std::uint32_t> words_;  ///< constants: value -> slot
  std::map<std::uint64_t, std::uint32_t> pairs_;
  std::map<std::pair<Special, bool>, std::uint32_t> specials_;
  std::uint32_t shared_end_ = 0;
  std::uint32_t shared_align_ = 16;
};

}  // namespace gpuprobe::simt
