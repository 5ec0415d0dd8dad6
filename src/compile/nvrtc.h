// NVRTC, loaded at run time so that the binary starts where there is no CUDA toolkit.
//
//   Result<Nvrtc> nvrtc = Nvrtc::load();
//   Result<Nvrtc::Output> out = nvrtc->compile({"x.cu", text}, {"-arch=sm_90"}, {"transpose<float>"});
#pragma once

#include <nvrtc.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/kernel.h"
#include "core/result.h"

namespace gpuprobe::compile {

class Nvrtc {
 public:
  struct Output {
    std::string ptx;
    std::vector<std::uint8_t> cubin;
    std::vector<std::string> lowered_names;  ///< one for each name expression
  };

  /// Loads the library that find_nvrtc() finds, else what the loader's path has. It stays loaded until the
  /// process ends. Errors: kMachine naming every place that was tried.
  static Result<Nvrtc> load();

  /// "NVRTC 13.0".
  const std::string& version() const { return version_; }
  const std::filesystem::path& path() const { return path_; }
  /// Compute capabilities it compiles for, as 90 for sm_90.
  const std::vector<int>& architectures() const { return architectures_; }

  /// Compiles to PTX and cubin at once (`options` must name a real architecture). Errors: kKernel with the
  /// compiler's log for the user's source; kMachine for what the compiler itself cannot do.
  Result<Output> compile(const Source& source, const std::vector<std::string>& options,
                         const std::vector<std::string>& name_expressions) const;

 private:
  // The functions that are used, with the types of nvrtc.h.
  struct Api {
    decltype(&nvrtcVersion) version = nullptr;
    decltype(&nvrtcGetErrorString) error_string = nullptr;
    decltype(&nvrtcGetNumSupportedArchs) architecture_count = nullptr;
    decltype(&nvrtcGetSupportedArchs) architectures = nullptr;
    decltype(&nvrtcCreateProgram) create = nullptr;
    decltype(&nvrtcDestroyProgram) destroy = nullptr;
    decltype(&nvrtcCompileProgram) compile = nullptr;
    decltype(&nvrtcGetProgramLogSize) log_size = nullptr;
    decltype(&nvrtcGetProgramLog) log = nullptr;
    decltype(&nvrtcGetPTXSize) ptx_size = nullptr;
    decltype(&nvrtcGetPTX) ptx = nullptr;
    decltype(&nvrtcGetCUBINSize) cubin_size = nullptr;
    decltype(&nvrtcGetCUBIN) cubin = nullptr;
    decltype(&nvrtcAddNameExpression) add_name = nullptr;
    decltype(&nvrtcGetLoweredName) lowered_name = nullptr;
  };
  class Program;

  /// An error text of the loader, or nothing if all functions are there.
  std::string bind(void* library);

  Api api_;
  std::string version_;
  std::filesystem::path path_;
  std::vector<int> architectures_;
};

}  // namespace gpuprobe::compile
