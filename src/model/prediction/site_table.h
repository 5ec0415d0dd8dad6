// Gathers the counts of instructions into sites: one for each source line, kind of access and width.
//
//   SiteTable sites("transpose/kernel.cu");
//   sites.add(program->instruction(i), entry, record, is_merged);
//   run.sites = sites.take();                                  // in line order
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/site.h"
#include "model/prediction/step_runner.h"
#include "model/simt/machine.h"

namespace gpuprobe::prediction {

class SiteTable {
 public:
  /// `source_file` is the kernel's own file, as it is to be shown.
  explicit SiteTable(std::string source_file) : source_file_(std::move(source_file)) {}

  void add(const simt::InstructionInfo& info, const std::string& function, const ScaledRecord& record,
           bool is_merged);
  std::vector<Site> take();

 private:
  struct Entry {
    Site site;
    double lanes = 0;
    double same_word = 0;
    WorstAccess worst;
  };
  using Key = std::tuple<std::string, int, std::string, AccessKind, std::uint32_t>;

  std::string source_file_;
  std::map<Key, Entry> entries_;
};

/// Shows the kernel's own file under its own name, whatever directory the compiler put before it.
std::string shown_file(const std::string& path, const std::string& source_file);
/// The innermost place of an instruction that lies in the kernel's own file; its innermost place if none
/// does.
Location own_place(const simt::InstructionInfo& info, const std::string& source_file);

}  // namespace gpuprobe::prediction
