// The built-in kernels as commands: the parameters of each family become options.
//
//   gpuprobe transpose --variant tiled --pad 4
#pragma once

#include <map>
#include <memory>
#include <string>

#include "cli/command.h"
#include "kernels/family.h"

namespace gpuprobe::cli {

/// Values of kernel options as typed, by parameter name; what was not typed is absent.
using TypedValues = std::map<std::string, std::string, std::less<>>;

/// Adds one option for each parameter of `family`. `values` must outlive the parsing.
void add_family_options(CLI::App& app, const KernelFamily& family, TypedValues& values);

/// The same options, each taking a list ("8,16,32"), which is kept as typed.
void add_family_list_options(CLI::App& app, const KernelFamily& family, TypedValues& lists);

/// The kernel that the typed values describe. Errors: kUsage naming the option.
Result<Kernel> build_kernel(const KernelFamily& family, const TypedValues& values);

/// `values` with the options of a cure or a planted variant ("--variant tiled --pad 2") typed after them.
TypedValues with_options(TypedValues values, const std::string& options);

/// Adds a command that profiles it for every family.
void add_kernel_commands(CLI::App& app, Actions& actions);

}  // namespace gpuprobe::cli
