#include "model/simt/decode/decoder.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "model/ptx/locations.h"
#include "model/simt/decode/instruction_decoder.h"

namespace gpuprobe::simt {
namespace {

void names_of(const ptx::Operand& operand, std::vector<std::string>& names) {
  if (!operand.symbol.empty() && operand.kind != ptx::Operand::Kind::kSpecial)
    names.push_back(operand.symbol);
  for (const ptx::Operand& element : operand.elements) names_of(element, names);
}

}  // namespace

Result<std::shared_ptr<const Program>> Program::load(const ptx::Module& module, const std::string& entry,
                                                     DeviceMemory& memory) {
  Decoder decoder(module, memory);
  auto image = decoder.decode(entry);
  if (!image) return tl::unexpected(image.error());
  return *image;
}

Result<std::shared_ptr<const ProgramImage>> Decoder::decode(const std::string& entry) {
  image_ = std::make_shared<ProgramImage>();
  if (auto done = collect(entry); !done) return tl::unexpected(done.error());
  if (auto done = lay_out_variables(); !done) return tl::unexpected(done.error());
  mark_recursion();

  image_->carry = 0;
  std::uint32_t next = 64;  // the carry flag has a cache line of its own
  for (FunctionLayout& layout : layouts_)
    if (auto done = lay_out_function(layout, next); !done) return tl::unexpected(done.error());
  image_->constants_begin = next;
  image_->shared_bytes = shared_end_;
  image_->dynamic_shared_begin = (shared_end_ + shared_align_ - 1) / shared_align_ * shared_align_;

  std::int32_t begin = 0;
  for (FunctionLayout& layout : layouts_) {
    layout.entry_point = begin;
    image_->functions[static_cast<std::size_t>(layout.index)].entry_point = begin;
    begin += static_cast<std::int32_t>(layout.function->body.size()) + 1;
  }
  for (FunctionLayout& layout : layouts_)
    if (auto done = decode_function(layout); !done) return tl::unexpected(done.error());

  std::vector<std::int64_t> known(layouts_.size(), -1);
  image_->static_local_bytes =
      static_cast<std::uint32_t>(std::min<std::int64_t>(deepest_local(0, known), 512 << 10));
  image_->register_bytes = image_->constants_begin + static_cast<std::uint32_t>(image_->constants.size());
  const ptx::Function& function = *layouts_[0].function;
  image_->entry_parameters = function.parameters;
  for (const ptx::Parameter& parameter : function.parameters)
    image_->parameter_bytes = std::max(image_->parameter_bytes, parameter.offset + parameter.bytes);
  return std::shared_ptr<const ProgramImage>(image_);
}

void Decoder::collect_symbols(const ptx::Function& function, std::vector<std::string>& names) const {
  for (const ptx::Instruction& instruction : function.body)
    for (const ptx::Operand& operand : instruction.operands) names_of(operand, names);
  for (const auto& [name, targets] : function.call_targets)
    names.insert(names.end(), targets.begin(), targets.end());
  for (const ptx::Variable& variable : function.variables)
    for (const auto& relocation : variable.relocations) names.push_back(relocation.symbol);
}

Status Decoder::collect(const std::string& entry) {
  const ptx::Function* first = module_.find(entry);
  if (first == nullptr || !first->is_entry) {
    std::string known;
    for (const ptx::Function& function : module_.functions)
      if (function.is_entry) known += (known.empty() ? "" : ", ") + function.name;
    return fail(ErrorCode::kUsage, fmt::format("there is no kernel '{}' in this module", entry),
                known.empty() ? "the module has no kernel at all" : "it has: " + known);
  }
  std::vector<std::string> names;
  std::set<std::string> seen;
  const auto add_function = [&](const ptx::Function& function) {
    function_of_[function.name] = static_cast<int>(layouts_.size());
    FunctionLayout layout;
    layout.function = &function;
    layout.index = static_cast<int>(layouts_.size());
    layout.flow = ptx::analyse(function);
    layouts_.push_back(std::move(layout));
    collect_symbols(function, names);
  };
  add_function(*first);
  seen.insert(entry);
  while (!names.empty()) {
    const std::string name = std::move(names.back());
    names.pop_back();
    if (!seen.insert(name).second) continue;
    if (const ptx::Function* function = module_.find(name); function != nullptr && !function->is_entry) {
      add_function(*function);
      continue;
    }
    for (const ptx::Variable& variable : module_.variables) {
      if (variable.name != name) continue;
      variables_.push_back(&variable);
      for (const auto& relocation : variable.relocations) names.push_back(relocation.symbol);
    }
  }
  image_->functions.resize(layouts_.size());
  for (const FunctionLayout& layout : layouts_) {
    image_->functions[static_cast<std::size_t>(layout.index)].name = layout.function->name;
    // By its place in the module, so that tables of functions mean the same to every entry of it.
    const auto number = static_cast<std::size_t>(layout.function - module_.functions.data());
    image_->function_at.resize(std::max(image_->function_at.size(), number + 1), -1);
    image_->function_at[number] = layout.index;
    symbols_[layout.function->name] = {Symbol::Kind::kFunction, kFunctionWindow + 16 * number, 0, 0};
  }
  // In the order of the module, so that addresses do not depend on who refers to a variable first.
  std::sort(variables_.begin(), variables_.end());
  variables_.erase(std::unique(variables_.begin(), variables_.end()), variables_.end());
  return {};
}

void Decoder::mark_recursion() {
  const std::size_t count = layouts_.size();
  calls_.assign(count, {});
  bool indirect = false;
  for (const FunctionLayout& layout : layouts_) {
    std::vector<std::string> names;
    collect_symbols(*layout.function, names);
    for (const std::string& name : names)
      if (const auto found = function_of_.find(name); found != function_of_.end())
        calls_[static_cast<std::size_t>(layout.index)].push_back(found->second);
    for (const ptx::Instruction& instruction : layout.function->body)
      indirect |= instruction.opcode == "call" && instruction.operands.size() > 1 &&
                  instruction.operands[1].kind == ptx::Operand::Kind::kRegister;
  }
  for (std::size_t start = 0; start < count; ++start) {
    // Reaches itself? With calls through pointers, any function but the entry may.
    std::vector<bool> seen(count, false);
    std::vector<int> work = calls_[start];
    while (!work.empty()) {
      const auto function = static_cast<std::size_t>(work.back());
      work.pop_back();
      if (seen[function]) continue;
      seen[function] = true;
      work.insert(work.end(), calls_[function].begin(), calls_[function].end());
    }
    image_->functions[start].is_recursive = seen[start] || (indirect && start != 0);
  }
}

std::int64_t Decoder::deepest_local(int function, std::vector<std::int64_t>& known) const {
  const auto f = static_cast<std::size_t>(function);
  if (known[f] >= 0) return known[f];
  if (known[f] == -2) return 0;  // recursion: the rest is made room for as it happens
  known[f] = -2;
  std::int64_t below = 0;
  for (const int callee : calls_[f]) below = std::max(below, deepest_local(callee, known));
  known[f] = image_->functions[f].local_bytes + below;
  return known[f];
}

InstructionInfo Decoder::info(const ptx::Function& function, const ptx::Instruction& instruction) const {
  InstructionInfo result;
  result.text = instruction.opcode;
  for (const std::string& modifier : instruction.modifiers) result.text += "." + modifier;
  result.function = function.name;
  result.ptx_line = instruction.text_line;
  for (const ptx::SourceLocation* location : ptx::location_chain(function, instruction.location)) {
    const auto file = module_.files.find(location->file);
    const Location at{file == module_.files.end() ? std::string() : file->second, location->line};
    if (location == &function.locations[static_cast<std::size_t>(instruction.location)])
      result.location = at;
    else
      result.inlined_at.push_back(at);
  }
  return result;
}

Status Decoder::decode_function(FunctionLayout& layout) {
  const ptx::Function& function = *layout.function;
  for (std::size_t i = 0; i < function.body.size(); ++i) {
    const ptx::Instruction& instruction = function.body[i];
    const auto number = static_cast<std::int32_t>(image_->instructions.size());
    image_->instructions.push_back(info(function, instruction));
    InstructionDecoder decoder(*this, layout, static_cast<int>(i));
    if (!decoder.decode()) {
      const InstructionInfo& where = image_->instructions.back();
      std::string source =
          where.location.line > 0 ? fmt::format(" ({}:{})", where.location.file, where.location.line) : "";
      return fail(ErrorCode::kMachine,
                  fmt::format("{} at PTX line {} of {}{}: {}", where.text, where.ptx_line, function.name,
                              source, decoder.problem()),
                  "this kernel cannot be predicted: measure it on a GPU with --source gpu");
    }
    MicroOp op = decoder.op();
    op.instruction = number;
    op.position = layout.flow.position[i];
    image_->code.push_back(op);
  }
  // Falling off the end is a return.
  MicroOp end;
  end.flow = FlowKind::kReturn;
  end.leaves = function.is_entry;
  end.position = layout.flow.position[function.body.size()];
  end.instruction = static_cast<std::int32_t>(image_->instructions.size());
  InstructionInfo last;
  if (!function.body.empty()) last = image_->instructions.back();
  last.text = "ret";
  last.function = function.name;
  image_->instructions.push_back(last);
  image_->code.push_back(end);
  if (!function.is_entry) return {};
  // Jumps that only lead out; bounded, for a loop of bare jumps leads nowhere.
  for (int round = 0; round < 4; ++round)
    for (std::size_t i = 0; i < function.body.size(); ++i) {
      MicroOp& op = image_->code[static_cast<std::size_t>(layout.entry_point) + i];
      if (op.guard != kNoSlot) continue;
      op.leaves = op.flow == FlowKind::kReturn || op.flow == FlowKind::kExit ||
                  (op.flow == FlowKind::kBranch &&
                   op.branch->targets[0].pc < static_cast<std::int32_t>(image_->code.size()) &&
                   image_->code[static_cast<std::size_t>(op.branch->targets[0].pc)].leaves);
    }
  return {};
}

Symbol Decoder::find_symbol(const FunctionLayout& layout, const std::string& name) const {
  if (const auto local = layout.symbols.find(name); local != layout.symbols.end()) return local->second;
  if (const auto global = symbols_.find(name); global != symbols_.end()) {
    Symbol symbol = global->second;
    return symbol;
  }
  return {};
}

std::optional<int> Decoder::function_index(const std::string& name) const {
  const auto found = function_of_.find(name);
  return found == function_of_.end() ? std::nullopt : std::optional<int>(found->second);
}

std::uint32_t Decoder::constant_word(std::uint32_t value) {
  const auto [known, is_new] = words_.try_emplace(value, 0);
  if (!is_new) return known->second;
  auto& bytes = image_->constants;
  known->second = image_->constants_begin + static_cast<std::uint32_t>(bytes.size());
  for (int i = 0; i < kLanes; ++i) {
    const auto* raw = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), raw, raw + 4);
  }
  return known->second;
}

std::uint32_t Decoder::constant_pair(std::uint64_t value) {
  const auto [known, is_new] = pairs_.try_emplace(value, 0);
  if (!is_new) return known->second;
  auto& bytes = image_->constants;
  known->second = image_->constants_begin + static_cast<std::uint32_t>(bytes.size());
  for (int i = 0; i < kLanes; ++i) {
    const auto* raw = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), raw, raw + 8);
  }
  return known->second;
}

std::uint32_t Decoder::special(Special which, bool is_64) {
  const auto [known, is_new] = specials_.try_emplace({which, is_64}, 0);
  if (!is_new) return known->second;
  auto& bytes = image_->constants;
  known->second = image_->constants_begin + static_cast<std::uint32_t>(bytes.size());
  bytes.resize(bytes.size() + (is_64 ? 8 : 4) * kLanes);
  image_->specials.push_back({which, is_64, known->second});
  return known->second;
}

}  // namespace gpuprobe::simt
