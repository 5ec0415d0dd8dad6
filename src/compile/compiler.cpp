#include "compile/compiler.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>

#include "compile/cache.h"
#include "compile/cubin.h"
#include "compile/digest.h"
#include "compile/includes.h"
#include "compile/nvrtc.h"
#include "compile/toolkit.h"

namespace gpuprobe::compile {
namespace {

namespace fs = std::filesystem;

/// Raised when the meaning of a cache entry changes without a new version of gpuprobe.
constexpr std::string_view kCacheFormat = "1";

bool sets_standard(const std::string& option) {
  return option.starts_with("-std") || option.starts_with("--std");
}

/// The options that do not depend on where the toolkit is.
std::vector<std::string> own_options(const Kernel& kernel, std::string_view arch) {
  std::vector<std::string> options{fmt::format("-arch={}", arch), "-lineinfo"};
  if (std::none_of(kernel.compile_options.begin(), kernel.compile_options.end(), sets_standard))
    options.emplace_back("-std=c++17");
  for (const auto& [name, value] : kernel.defines) options.push_back(fmt::format("-D{}={}", name, value));
  options.insert(options.end(), kernel.compile_options.begin(), kernel.compile_options.end());
  return options;
}

/// Options whose values name files that the key does not cover.
bool reads_hidden_files(const std::vector<std::string>& options) {
  return std::any_of(options.begin(), options.end(), [](const std::string& option) {
    return option.starts_with("-include") || option.starts_with("--pre-include") ||
           option.starts_with("--options-file") || option.starts_with("-optf") ||
           option.find("-pch") != std::string::npos;
  });
}

/// The cache key, or "" if this compilation cannot be cached.
std::string cache_key(const Kernel& kernel, std::string_view arch, const std::vector<std::string>& options,
                      const fs::path& library) {
  if (reads_hidden_files(options)) return {};
  const auto includes = user_includes(kernel.source, user_include_directories(options));
  if (!includes) return {};
  Digest digest;
  for (const std::string_view field : {std::string_view(GPUPROBE_VERSION), kCacheFormat, arch})
    digest.add_field(field);
  digest.add_field(library_identity(library));
  digest.add_field(kernel.source.file);
  digest.add_field(kernel.source.text);
  const auto add_list = [&](const std::vector<std::string>& list) {
    digest.add_field(std::to_string(list.size()));
    for (const std::string& item : list) digest.add_field(item);
  };
  add_list(options);
  add_list(kernel.entries());
  for (const Source& file : *includes) {
    digest.add_field(file.file);
    digest.add_field(file.text);
  }
  return digest.hex();
}

/// NVRTC makes the source's name absolute in the PTX. Reports show the name that the kernel has.
std::string with_own_file_name(std::string ptx, const std::string& file) {
  std::error_code error;
  const fs::path absolute = (fs::current_path(error) / file).lexically_normal();
  if (error || fs::path(file).is_absolute()) return ptx;
  for (std::size_t at = ptx.find("\t.file\t"); at != std::string::npos; at = ptx.find("\t.file\t", at + 1)) {
    const std::size_t open = ptx.find('"', at);
    const std::size_t close = open == std::string::npos ? open : ptx.find('"', open + 1);
    if (close == std::string::npos) break;
    if (fs::path(ptx.substr(open + 1, close - open - 1)).lexically_normal() == absolute)
      ptx.replace(open + 1, close - open - 1, file);
  }
  return ptx;
}

/// "transpose<float, 32>" of a mangled symbol; a name that is not mangled stays as it is.
std::string readable_name(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0 || !text) return symbol;
  std::string name = text.get();
  // A template's demangled name starts with its return type and ends with its parameters.
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    if (name[i] == '(' && depth == 0) {
      name.resize(i);
      break;
    }
  }
  if (name.starts_with("void ")) name.erase(0, 5);
  return name;
}

Result<CompiledKernel> assemble(const Kernel& kernel, std::string_view arch, CacheEntry entry) {
  auto functions = read_cubin(entry.cubin);
  if (!functions) return tl::unexpected(functions.error());
  CompiledKernel compiled;
  compiled.arch = arch;
  compiled.compiler = std::move(entry.compiler);
  compiled.ptx = std::move(entry.ptx);
  compiled.cubin = std::move(entry.cubin);
  const std::vector<std::string> names = kernel.entries();
  if (names.empty()) {
    for (FunctionResources& function : *functions)
      function.name_expression = readable_name(function.lowered_name);
    compiled.functions = std::move(*functions);
    return compiled;
  }
  for (std::size_t i = 0; i < names.size() && i < entry.lowered_names.size(); ++i) {
    const auto found = std::find_if(
        functions->begin(), functions->end(),
        [&](const FunctionResources& function) { return function.lowered_name == entry.lowered_names[i]; });
    if (found == functions->end())
      return fail(ErrorCode::kKernel,
                  fmt::format("'{}' of {} is not a kernel.", names[i], kernel.source.file),
                  "Name a __global__ function.");
    compiled.functions.push_back(*found);
    compiled.functions.back().name_expression = names[i];
  }
  return compiled;
}

std::string known_architectures(const Nvrtc& nvrtc) {
  std::vector<std::string> names;
  for (const int number : nvrtc.architectures()) names.push_back(fmt::format("sm_{}", number));
  return fmt::format("{}", fmt::join(names, ", "));
}

Status check_architecture(const Nvrtc& nvrtc, std::string_view arch) {
  // "sm_90a" is the family-specific variant of 90.
  std::string_view digits = arch.starts_with("sm_") ? arch.substr(3) : std::string_view{};
  while (!digits.empty() && (digits.back() == 'a' || digits.back() == 'f')) digits.remove_suffix(1);
  for (const int number : nvrtc.architectures())
    if (std::to_string(number) == digits) return {};
  return fail(ErrorCode::kMachine,
              fmt::format("{} cannot compile for {}; it knows {}.", nvrtc.version(), arch,
                          known_architectures(nvrtc)),
              "Choose one of these with --arch, or use a CUDA toolkit that supports this GPU.");
}

}  // namespace

Result<CompiledKernel> compile(const Kernel& kernel, std::string_view arch, const CompileOptions& how) {
  if (!kernel.steps.empty() && kernel.entries().empty()) {  // library calls alone: nothing of ours runs
    CompiledKernel nothing;
    nothing.arch = arch;
    return nothing;
  }
  const std::vector<std::string> options = own_options(kernel, arch);
  const Cache cache;
  std::string key;
  const auto from_cache = [&](const fs::path& library) -> std::optional<CompiledKernel> {
    key = cache_key(kernel, arch, options, library);
    auto entry = key.empty() ? std::nullopt : cache.load(key);
    if (!entry) return std::nullopt;
    auto compiled = assemble(kernel, arch, std::move(*entry));
    if (!compiled) return std::nullopt;  // compiled again below, which gives the same error or cures it
    compiled->from_cache = true;
    return std::move(*compiled);
  };
  // Where the library is on disk is known without loading it, which alone takes longer than a cache hit.
  const auto library = find_nvrtc().library;
  if (library && how.use_cache)
    if (auto hit = from_cache(*library)) return std::move(*hit);

  const auto nvrtc = Nvrtc::load();
  if (!nvrtc) return tl::unexpected(nvrtc.error());
  if (const Status known = check_architecture(*nvrtc, arch); !known) return tl::unexpected(known.error());
  if (!library && how.use_cache)
    if (auto hit = from_cache(nvrtc->path())) return std::move(*hit);

  std::vector<std::string> all_options = options;
  for (const std::string& directory : include_directories(nvrtc->path()))
    all_options.push_back("-I" + directory);
  auto output = nvrtc->compile(kernel.source, all_options, kernel.entries());
  if (!output) return tl::unexpected(output.error());
  CacheEntry entry{nvrtc->version(), with_own_file_name(std::move(output->ptx), kernel.source.file),
                   std::move(output->cubin), std::move(output->lowered_names)};
  if (!key.empty()) cache.store(key, entry);
  return assemble(kernel, arch, std::move(entry));
}

}  // namespace gpuprobe::compile
