#include "metrics/cupti/cublas.h"

#include <fmt/format.h>

#include "metrics/cupti/library_search.h"
#include "metrics/cupti/shared_library.h"

namespace gpuprobe::cupti {
namespace {

constexpr const char* kGetCublas =
    "Install the cuBLAS of the CUDA toolkit (Debian and Ubuntu: package libcublas), set GPUPROBE_CUBLAS to "
    "the "
    "folder that holds libcublas.so, or choose a variant that gpuprobe compiles (--variant tiled).";

template <class Function>
void look_up(const SharedLibrary& library, const char* name, Function& function, std::string& lacking) {
  function = reinterpret_cast<Function>(library.symbol(name));
  if (!function) lacking = name;
}

}  // namespace

Result<CublasApi> load_cublas() {
  const auto candidates = library_candidates({"libcublas.so",
                                              "GPUPROBE_CUBLAS",
                                              {},
                                              {"cu13/lib", "cublas/lib"},
                                              {"libcublas.so.13", "libcublas.so.12", "libcublas.so"}});
  // libcublas needs libcublasLt of the same folder and carries no path to it.
  for (const std::string& candidate : candidates)
    preload_neighbours(candidate, {"libcublasLt.so.13", "libcublasLt.so.12"});
  auto library = SharedLibrary::open(candidates);
  if (!library)
    return fail(ErrorCode::kMachine, "cuBLAS (libcublas.so) was not found. " + library.error().what,
                kGetCublas);
  CublasApi api;
  std::string lacking;
  look_up(*library, "cublasCreate_v2", api.Create, lacking);
  look_up(*library, "cublasDestroy_v2", api.Destroy, lacking);
  look_up(*library, "cublasSetMathMode", api.SetMathMode, lacking);
  look_up(*library, "cublasGetVersion_v2", api.GetVersion, lacking);
  look_up(*library, "cublasGetStatusString", api.GetStatusString, lacking);
  look_up(*library, "cublasSgemm_v2", api.Sgemm, lacking);
  if (!lacking.empty())
    return fail(ErrorCode::kMachine,
                fmt::format("The cuBLAS library {} is too old: it has no {}.", library->path(), lacking),
                kGetCublas);
  library->keep_loaded();
  return api;
}

Result<const CublasApi*> cublas_api() {
  static const Result<CublasApi> kLoaded = load_cublas();
  if (!kLoaded) return tl::unexpected(kLoaded.error());
  return &*kLoaded;
}

gpuprobe::Status check_cublas(const CublasApi& api, CublasApi::Status status, const std::string& doing) {
  if (status == CublasApi::kSuccess) return {};
  const char* text = api.GetStatusString(status);
  return fail(
      ErrorCode::kMachine,
      fmt::format("cuBLAS failed while {}: {} (status {}).", doing, text ? text : "no text",
                  static_cast<int>(status)),
      "Check that libcublas is not newer than the driver and that the GPU has free memory, or choose a "
      "variant that gpuprobe compiles (--variant tiled).");
}

}  // namespace gpuprobe::cupti
