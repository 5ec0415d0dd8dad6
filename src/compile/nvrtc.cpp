#include "compile/nvrtc.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "compile/toolkit.h"

namespace gpuprobe::compile {
namespace {

constexpr int kOldestMajor =
    12;  ///< 12.0 is the first whose cubin and PTX come from one compilation for all archs

/// A file name that the compiler can write into the PTX, where it quotes it without an escape.
std::string quotable(std::string name) {
  for (char& c : name)
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20) c = '_';
  return name;
}

/// What to do about a compilation that failed with this log.
std::string_view remedy(std::string_view log) {
  if (log.find("cannot open source file") != std::string_view::npos)
    return "The run-time compiler sees the toolkit's headers and those of -I, not the host's: use "
           "cuda/std/... in "
           "place of the standard library, and put what only the host needs inside #ifndef __CUDACC_RTC__.";
  if (log.find("not allowed in JIT mode") != std::string_view::npos)
    return "The run-time compiler takes device code only: put host functions inside #ifndef __CUDACC_RTC__, "
           "and "
           "include the parts of cub that are needed (cub/block/...) in place of cub/cub.cuh.";
  return "Correct the source, its macros or the entry's name expression.";
}

/// What NVRTC appends to the source to look up the names of the kernels.
constexpr std::string_view kNameMap = "__nv_name_map(";

/// If the log complains of nothing but the name of a kernel: that name and why, in one sentence.
std::optional<std::string> wrong_name(std::string_view log) {
  constexpr std::string_view kError = "): error: ";
  constexpr std::string_view kInput = "Input name expression was: \"";
  const std::size_t map = log.find(kNameMap);
  if (map == std::string_view::npos || log.substr(0, map).find(": error") != std::string_view::npos)
    return std::nullopt;
  const std::size_t reason = log.find(kError, map);
  const std::size_t input = log.find(kInput, map);
  if (reason == std::string_view::npos || input == std::string_view::npos) return std::nullopt;
  const std::string_view why =
      log.substr(reason + kError.size(), log.find('\n', reason) - reason - kError.size());
  std::string_view name = log.substr(input + kInput.size());
  name = name.substr(0, name.find('"'));
  name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
  return fmt::format("'{}' names no kernel: {}", name, why);
}

std::string loader_error() {
  const char* text = dlerror();
  return text == nullptr ? "no reason given" : text;
}

}  // namespace

/// Owns one program of the compiler.
class Nvrtc::Program {
 public:
  explicit Program(const Api& api) : api_(api) {}
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    if (handle_ != nullptr) api_.destroy(&handle_);
  }
  nvrtcProgram* out() { return &handle_; }
  nvrtcProgram get() const { return handle_; }

  std::string log() const {
    std::size_t size = 0;
    if (api_.log_size(handle_, &size) != NVRTC_SUCCESS || size == 0) return {};
    std::string text(size, '\0');
    if (api_.log(handle_, text.data()) != NVRTC_SUCCESS) return {};
    while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
    return text;
  }

 private:
  const Api& api_;
  nvrtcProgram handle_ = nullptr;
};

std::string Nvrtc::bind(void* library) {
  std::string missing;
  const auto get = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr && missing.empty()) missing = fmt::format("it has no function {}", name);
  };
  get(api_.version, "nvrtcVersion");
  get(api_.error_string, "nvrtcGetErrorString");
  get(api_.architecture_count, "nvrtcGetNumSupportedArchs");
  get(api_.architectures, "nvrtcGetSupportedArchs");
  get(api_.create, "nvrtcCreateProgram");
  get(api_.destroy, "nvrtcDestroyProgram");
  get(api_.compile, "nvrtcCompileProgram");
  get(api_.log_size, "nvrtcGetProgramLogSize");
  get(api_.log, "nvrtcGetProgramLog");
  get(api_.ptx_size, "nvrtcGetPTXSize");
  get(api_.ptx, "nvrtcGetPTX");
  get(api_.cubin_size, "nvrtcGetCUBINSize");
  get(api_.cubin, "nvrtcGetCUBIN");
  get(api_.add_name, "nvrtcAddNameExpression");
  get(api_.lowered_name, "nvrtcGetLoweredName");
  if (!missing.empty()) return missing;

  int major = 0;
  int minor = 0;
  if (api_.version(&major, &minor) != NVRTC_SUCCESS) return "it does not tell its version";
  if (major < kOldestMajor)
    return fmt::format("its version {}.{} is older than {}.0", major, minor, kOldestMajor);
  version_ = fmt::format("NVRTC {}.{}", major, minor);
  int count = 0;
  if (api_.architecture_count(&count) != NVRTC_SUCCESS || count <= 0) return "it knows no architecture";
  architectures_.resize(static_cast<std::size_t>(count));
  if (api_.architectures(architectures_.data()) != NVRTC_SUCCESS) return "it does not list its architectures";
  // The file it came from, for messages and for the cache.
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(api_.version), &info) != 0 && info.dli_fname != nullptr)
    path_ = info.dli_fname;
  return {};
}

Result<Nvrtc> Nvrtc::load() {
  ToolkitSearch search = find_nvrtc();
  std::vector<std::string> names;
  if (search.library) names.push_back(search.library->string());
  if (!nvrtc_is_chosen_by_user()) names.insert(names.end(), nvrtc_names().begin(), nvrtc_names().end());
  std::string reason;
  for (const std::string& name : names) {
    void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      reason = loader_error();
      continue;
    }
    Nvrtc nvrtc;
    const std::string missing = nvrtc.bind(library);
    if (missing.empty()) return nvrtc;  // never closed: it has threads and tables of its own
    reason = fmt::format("{}: {}", name, missing);
    dlclose(library);
  }
  if (!nvrtc_is_chosen_by_user()) search.tried.push_back("the loader's path");
  return fail(
      ErrorCode::kMachine,
      fmt::format("The CUDA run-time compiler (NVRTC) could not be loaded. Looked in: {}.{}",
                  fmt::join(search.tried, ", "), reason.empty() ? "" : fmt::format(" Last: {}.", reason)),
      "Install the CUDA toolkit (its NVRTC component, 12.6 or newer), or name the library with "
      "GPUPROBE_NVRTC=/path/to/libnvrtc.so.");
}

Result<Nvrtc::Output> Nvrtc::compile(const Source& source, const std::vector<std::string>& options,
                                     const std::vector<std::string>& name_expressions) const {
  const auto internal = [&](const char* call, nvrtcResult result) {
    return fail(
        ErrorCode::kMachine, fmt::format("{} failed in {}: {}.", version_, call, api_.error_string(result)),
        "Check that the toolkit is complete (libnvrtc-builtins beside libnvrtc) and that memory is left.");
  };
  Program program(api_);
  if (const auto r =
          api_.create(program.out(), source.text.c_str(), quotable(source.file).c_str(), 0, nullptr, nullptr);
      r != NVRTC_SUCCESS)
    return internal("nvrtcCreateProgram", r);
  for (const std::string& name : name_expressions)
    if (const auto r = api_.add_name(program.get(), name.c_str()); r != NVRTC_SUCCESS)
      return internal("nvrtcAddNameExpression", r);

  std::vector<const char*> pointers;
  for (const std::string& option : options) pointers.push_back(option.c_str());
  const nvrtcResult result = api_.compile(program.get(), static_cast<int>(pointers.size()), pointers.data());
  if (result == NVRTC_ERROR_COMPILATION || result == NVRTC_ERROR_INVALID_OPTION) {
    const std::string log = program.log();
    if (const auto why = wrong_name(log))
      return fail(
          ErrorCode::kUsage, fmt::format("{}: {}", source.file, *why),
          "Name it as from outside in C++: with its namespaces (a::b::k), and a template with its arguments "
          "(k<float, 32>); overloaded kernels need names of their own.");
    return fail(
        ErrorCode::kKernel, fmt::format("{} does not compile:\n{}", source.file, log),
        result == NVRTC_ERROR_COMPILATION ? std::string(remedy(log)) : "Correct the compile options.");
  }
  if (result != NVRTC_SUCCESS) {
    const std::string log = program.log();
    return fail(
        ErrorCode::kMachine,
        fmt::format("{} failed on {}: {}.{}{}", version_, source.file, api_.error_string(result),
                    log.empty() ? "" : "\n", log),
        "Check that the toolkit is complete (libnvrtc-builtins beside libnvrtc) and that memory is left.");
  }

  Output output;
  std::size_t size = 0;
  if (const auto r = api_.ptx_size(program.get(), &size); r != NVRTC_SUCCESS)
    return internal("nvrtcGetPTXSize", r);
  output.ptx.resize(size);
  if (const auto r = api_.ptx(program.get(), output.ptx.data()); r != NVRTC_SUCCESS)
    return internal("nvrtcGetPTX", r);
  while (!output.ptx.empty() && output.ptx.back() == '\0') output.ptx.pop_back();
  if (const auto r = api_.cubin_size(program.get(), &size); r != NVRTC_SUCCESS)
    return internal("nvrtcGetCUBINSize", r);
  output.cubin.resize(size);
  if (const auto r = api_.cubin(program.get(), reinterpret_cast<char*>(output.cubin.data()));
      r != NVRTC_SUCCESS)
    return internal("nvrtcGetCUBIN", r);
  for (const std::string& name : name_expressions) {
    const char* lowered = nullptr;
    if (const auto r = api_.lowered_name(program.get(), name.c_str(), &lowered);
        r != NVRTC_SUCCESS || !lowered)
      return internal("nvrtcGetLoweredName", r);
    output.lowered_names.emplace_back(lowered);
  }
  return output;
}

}  // namespace gpuprobe::compile
