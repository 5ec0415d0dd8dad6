// `gpuprobe source KERNEL`: the CUDA source of a built-in kernel with the macros that an invocation compiles
// it with.
#include <memory>

#include "cli/command.h"
#include "cli/kernel_commands.h"
#include "cli/output.h"

namespace gpuprobe::cli {
namespace {

Result<int> print_source(const KernelFamily& family, const TypedValues& values) {
  const auto kernel = build_kernel(family, values);
  if (!kernel) return tl::unexpected(kernel.error());
  std::string macros;
  for (const auto& [name, value] : kernel->defines) macros += "#define " + name + " " + value + "\n";
  const std::string text =
      "// " + kernel->source.file + ", as these options compile it\n" + macros + "\n" + kernel->source.text;
  return write_stdout(text).map([] { return 0; });
}

void define(CLI::App& app, Actions& actions) {
  for (const KernelFamily& family : kernel_families()) {
    auto values = std::make_shared<TypedValues>();
    CLI::App& sub = add_subcommand(app, family.name, family.summary, kKernelGroup);
    add_family_options(sub, family, *values);
    actions[&sub] = [&family, values] { return print_source(family, *values); };
  }
}

}  // namespace

Command source_command() {
  return {"source", "print the CUDA source of a kernel", kAskGroup, define};
}

}  // namespace gpuprobe::cli
