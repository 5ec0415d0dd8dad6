// `gpuprobe list`: what can be run.
#include "cli/command.h"
#include "cli/output.h"
#include "cli/table.h"
#include "kernels/family.h"

namespace gpuprobe::cli {
namespace {

Result<int> list() {
  Table table({"kernel", "what it shows"});
  for (const KernelFamily& family : kernel_families()) table.add({family.name, family.summary});
  return write_stdout(render(table, TableFormat::kText)).map([] { return 0; });
}

void define(CLI::App& app, Actions& actions) {
  actions[&app] = list;
}

}  // namespace

Command list_command() {
  return {"list", "the built-in kernels, one line each", kAskGroup, define};
}

}  // namespace gpuprobe::cli
