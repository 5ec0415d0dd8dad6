#include "cli/user_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "cli/judge.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/suggest.h"
#include "kernels/user/scan.h"

namespace gpuprobe::cli {
namespace {

constexpr const char* kLaunchHeading = "Launch (wins over the comment block of the file)";
constexpr const char* kCompilerHeading = "Compiler";
constexpr const char* kCheckHeading = "Check of the result";

/// "a, b(c, d)" at its top-level commas.
std::vector<std::string> split_expressions(const std::string& text) {
  std::vector<std::string> parts;
  int depth = 0;
  std::string part;
  for (const char c : text) {
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c == ',' && depth == 0) {
      parts.push_back(std::move(part));
      part.clear();
    } else {
      part += c;
    }
  }
  parts.push_back(std::move(part));
  return parts;
}

/// "transpose<float, 32>" names the kernel "transpose".
std::string base_name(const std::string& expression) {
  return expression.substr(0, expression.find('<'));
}

std::string kernel_list(const std::vector<user::FoundKernel>& kernels) {
  std::string list;
  for (const user::FoundKernel& kernel : kernels) {
    std::string parameters;
    for (const user::FoundParameter& parameter : kernel.parameters)
      parameters += fmt::format("{}{}{}{}", parameters.empty() ? "" : ", ", parameter.type,
                                parameter.name.empty() ? "" : " ", parameter.name);
    list += fmt::format("\n  line {}: {}{}({})", kernel.line, kernel.name, kernel.is_template ? "<...>" : "",
                        parameters);
  }
  return list;
}

Result<std::vector<std::pair<std::string, std::vector<user::Number>>>> parse_vars(
    const std::vector<std::string>& texts) {
  std::vector<std::pair<std::string, std::vector<user::Number>>> vars;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || !user::is_identifier(std::string_view(text).substr(0, equals)))
      return fail(ErrorCode::kUsage, fmt::format("--var '{}' has no name and value", text.substr(0, 80)),
                  "Write --var n=1024.");
    std::vector<user::Number> values;
    for (const std::string& one : split_expressions(text.substr(equals + 1))) {
      const auto value = user::evaluate(one, {});
      if (!value) {
        Error error = value.error();
        error.what = fmt::format("--var {}: {}", text.substr(0, equals), error.what);
        return tl::unexpected(std::move(error));
      }
      values.push_back(*value);
    }
    vars.emplace_back(text.substr(0, equals), std::move(values));
  }
  return vars;
}

/// `entry` with what the flags say put over it.
Status apply_flags(const LaunchFlags& flags, user::LaunchEntry& entry) {
  auto vars = parse_vars(flags.vars);
  if (!vars) return tl::unexpected(vars.error());
  for (auto& [name, values] : *vars) {
    const auto known = std::find_if(entry.vars.begin(), entry.vars.end(),
                                    [&, &wanted = name](const auto& var) { return var.first == wanted; });
    if (known == entry.vars.end())
      entry.vars.emplace_back(name, std::move(values));
    else
      known->second = std::move(values);
  }
  if (!flags.grid.empty()) entry.grid = split_expressions(flags.grid);
  if (!flags.block.empty()) entry.block = split_expressions(flags.block);
  if (!flags.cluster.empty()) entry.cluster = split_expressions(flags.cluster);
  if (!flags.shared.empty()) entry.shared = flags.shared;
  if (!flags.args.empty()) entry.args = flags.args;
  if (!flags.check.empty()) entry.check = flags.check;
  if (!flags.check_kernel.empty()) entry.check_kernel = flags.check_kernel;
  if (flags.within >= 0) entry.within = flags.within;
  for (const std::string& define : flags.defines) entry.options.push_back("-D" + define);
  for (const std::string& directory : flags.include_directories) entry.options.push_back("-I" + directory);
  if (!flags.standard.empty()) entry.options.push_back("-std=" + flags.standard);
  if (flags.fast_math) entry.options.push_back("--use_fast_math");
  if (flags.max_registers > 0) entry.options.push_back(fmt::format("--maxrregcount={}", flags.max_registers));
  entry.options.insert(entry.options.end(), flags.nvrtc.begin(), flags.nvrtc.end());
  return {};
}

tl::unexpected<Error> no_such_kernel(const std::string& wanted, const UserFile& file,
                                     const std::vector<user::FoundKernel>& kernels) {
  std::vector<std::string> names;
  for (const user::FoundKernel& kernel : kernels) names.push_back(kernel.name);
  if (kernels.empty())
    return fail(ErrorCode::kUsage, fmt::format("{} has no __global__ function", file.source.file),
                "Check the file.");
  if (wanted.empty())
    return fail(ErrorCode::kUsage,
                fmt::format("{} does not say what to launch; its kernels are:{}", file.source.file,
                            kernel_list(kernels)),
                "Name one with --kernel and give --grid, --block and --arg, or add a comment block "
                "(`gpuprobe init` writes a first one).");
  return fail(ErrorCode::kUsage,
              fmt::format("{} has no kernel '{}'{}; its kernels are:{}", file.source.file, wanted,
                          did_you_mean(base_name(wanted), names), kernel_list(kernels)),
              "Name one of these; a template needs its arguments: --kernel 'name<float, 32>'.");
}

/// The entries to run: those of the block that --kernel selects, or a new one made of flags alone.
Result<std::vector<user::LaunchEntry>> choose_entries(const UserFile& file, const LaunchFlags& flags) {
  std::vector<user::LaunchEntry> chosen;
  for (const user::LaunchEntry& entry : file.entries)
    if (flags.kernel.empty() || entry.name == flags.kernel ||
        (flags.kernel == base_name(flags.kernel) && base_name(entry.name) == flags.kernel))
      chosen.push_back(entry);
  if (!chosen.empty()) return chosen;
  const std::vector<user::FoundKernel> kernels = user::find_kernels(file.source.text);
  const bool known = std::any_of(kernels.begin(), kernels.end(), [&](const user::FoundKernel& kernel) {
    return kernel.name == base_name(flags.kernel);
  });
  // A kernel may come from an included file, so a complete set of flags is tried even if the text does not
  // show it.
  if (!known && (flags.kernel.empty() || flags.grid.empty()))
    return no_such_kernel(flags.kernel, file, kernels);
  user::LaunchEntry entry;
  entry.origin = file.source.file;
  entry.name = flags.kernel;
  return std::vector<user::LaunchEntry>{std::move(entry)};
}

}  // namespace

Result<UserFile> UserFile::read(const std::string& path) {
  auto text = read_text_file(path);
  if (!text) return tl::unexpected(text.error());
  // Some editors begin a file with a byte order mark, which the compiler takes for a part of the program.
  if (text->starts_with("\xef\xbb\xbf")) text->erase(0, 3);
  UserFile file;
  file.source = Source{path, std::move(*text)};
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  file.directory = directory.empty() ? "." : directory.string();
  if (const auto block = user::find_launch_block(file.source.text)) {
    auto entries = user::parse_entries(block->text, path, block->first_line);
    if (!entries) return tl::unexpected(entries.error());
    file.entries = std::move(*entries);
  }
  return file;
}

void add_launch_flags(CLI::App& app, LaunchFlags& flags) {
  const auto list = [&](const std::string& name, std::vector<std::string>& into, const std::string& help,
                        const std::string& placeholder, const char* heading) {
    add_option(app, name, into, help)->type_name(placeholder)->allow_extra_args(false)->group(heading);
  };
  add_option(app, "--kernel", flags.kernel,
             "kernel to run: a name, or a name expression such as 'transpose<float,32>'")
      ->type_name("NAME")
      ->group(kLaunchHeading);
  list("--var", flags.vars, "a number for the expressions below; several values make a matrix of runs",
       "NAME=VALUE[,..]", kLaunchHeading);
  add_option(app, "--grid", flags.grid, "blocks: one to three expressions")
      ->type_name("X[,Y[,Z]]")
      ->group(kLaunchHeading);
  add_option(app, "--block", flags.block, "threads of a block: one to three expressions")
      ->type_name("X[,Y[,Z]]")
      ->group(kLaunchHeading);
  add_option(app, "--cluster", flags.cluster, "blocks of a cluster: one to three expressions")
      ->type_name("X[,Y[,Z]]")
      ->group(kLaunchHeading);
  add_option(app, "--shared", flags.shared, "dynamic shared memory in bytes, an expression")
      ->type_name("BYTES")
      ->group(kLaunchHeading);
  list("--arg", flags.args, "the next argument: 'n:i32 = n' or 'in:f32[n*n] = random'", "'NAME:TYPE..'",
       kLaunchHeading);
  list("-D,--define", flags.defines, "define a macro", "NAME[=VALUE]", kCompilerHeading);
  list("-I,--include", flags.include_directories, "search this directory for included files", "DIR",
       kCompilerHeading);
  add_option(app, "--std", flags.standard, "language standard: c++14, c++17 or c++20 (default c++17)")
      ->type_name("STD")
      ->check(one_of("language standard", {"c++14", "c++17", "c++20"}))
      ->group(kCompilerHeading);
  add_flag(app, "--use-fast-math", flags.fast_math, "compile with fast, less exact arithmetic")
      ->group(kCompilerHeading);
  add_option(app, "--maxrregcount", flags.max_registers, "at most N registers a thread")
      ->type_name("N")
      ->check(whole_number(1, 255, "registers"))
      ->group(kCompilerHeading);
  list("--nvrtc", flags.nvrtc, "pass OPTION to the compiler as it is", "OPTION", kCompilerHeading);
  add_option(app, "--check", flags.check,
             "compare a buffer with a file: 'out == file(\"ref.bin\") within 1e-5'")
      ->type_name("'CHECK'")
      ->group(kCheckHeading);
  add_option(app, "--check-kernel", flags.check_kernel,
             "a second kernel of the file, with the same arguments, computes what is right")
      ->type_name("NAME")
      ->group(kCheckHeading);
  add_option(app, "--within", flags.within, "relative error allowed by --check-kernel (default 0: equal)")
      ->type_name("BOUND")
      ->check(in_range(0, std::numeric_limits<double>::infinity(), ""))
      ->group(kCheckHeading);
}

Result<std::vector<user::LaunchCase>> expand_entry(const user::LaunchEntry& entry, const UserFile& file) {
  if (Status known = check_words(entry); !known) return tl::unexpected(known.error());
  auto cases = user::expand(entry, file.source, file.directory);
  if (!cases) return cases;
  for (user::LaunchCase& one : *cases) one.kernel.compile_options.push_back("-I" + file.directory);
  return cases;
}

namespace {

/// Sets a number of the launch facts, or a macro in place of any of the same name.
Status apply_change(const std::string& change, user::LaunchEntry& entry) {
  const std::size_t equals = change.find('=');
  if (equals == std::string::npos || equals == 0)
    return fail(ErrorCode::kUsage, fmt::format("--try '{}' has no name and value", change),
                "Write --try TILE=16.");
  const std::string name = change.substr(0, equals);
  for (const auto& [known, values] : entry.vars)
    if (known == name) {
      LaunchFlags flags;
      flags.vars = {change};
      return apply_flags(flags, entry);
    }
  std::erase_if(entry.defines, [&](const auto& define) { return define.first == name; });
  std::erase_if(entry.options, [&](const std::string& option) {
    return option == "-D" + name || option.starts_with("-D" + name + "=");
  });
  entry.options.push_back("-D" + change);
  return {};
}

Result<std::vector<user::LaunchCase>> cases_of(const UserFile& file, const LaunchFlags& flags,
                                               const std::string* change) {
  auto entries = choose_entries(file, flags);
  if (!entries) return tl::unexpected(entries.error());
  std::vector<user::LaunchCase> all;
  for (user::LaunchEntry& entry : *entries) {
    if (Status applied = apply_flags(flags, entry); !applied) return tl::unexpected(applied.error());
    if (change)
      if (Status applied = apply_change(*change, entry); !applied) return tl::unexpected(applied.error());
    auto cases = expand_entry(entry, file);
    if (!cases) return cases;
    all.insert(all.end(), std::make_move_iterator(cases->begin()), std::make_move_iterator(cases->end()));
  }
  return all;
}

}  // namespace

Result<std::vector<user::LaunchCase>> user_cases(const UserFile& file, const LaunchFlags& flags) {
  return cases_of(file, flags, nullptr);
}

Result<std::vector<user::LaunchCase>> user_cases_with(const UserFile& file, const LaunchFlags& flags,
                                                      const std::string& change) {
  return cases_of(file, flags, &change);
}

}  // namespace gpuprobe::cli
