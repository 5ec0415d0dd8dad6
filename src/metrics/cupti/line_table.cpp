#include "metrics/cupti/line_table.h"

#include <cstdlib>
#include <cstring>
#include <memory>

namespace gpuprobe::cupti {
namespace {

struct Free {
  void operator()(char* text) const { std::free(text); }
};
using OwnedText = std::unique_ptr<char, Free>;  // CUPTI allocates, the caller frees

std::string joined(const OwnedText& folder, const OwnedText& file) {
  if (!file) return "";
  if (!folder || folder.get()[0] == '\0') return file.get();
  return std::string(folder.get()) + "/" + file.get();
}

}  // namespace

bool same_file(std::string_view path, std::string_view name) {
  if (path.size() < name.size() || name.empty()) return false;
  if (path.substr(path.size() - name.size()) != name) return false;
  return path.size() == name.size() || path[path.size() - name.size() - 1] == '/' || name.front() == '/';
}

LineLookup line_lookup(const CuptiApi& api, const CompiledKernel& compiled, std::string source_file) {
  return [&api, &compiled, source_file](const std::string& function, std::uint64_t offset) -> Location {
    CUpti_GetSassToSourceCorrelationParams params;
    std::memset(&params, 0, sizeof params);
    params.size = CUpti_GetSassToSourceCorrelationParamsSize;
    params.cubin = compiled.cubin.data();
    params.cubinSize = compiled.cubin.size();
    params.functionName = function.c_str();
    params.pcOffset = offset;
    if (api.GetSassToSourceCorrelation(&params) != CUPTI_SUCCESS) return {};
    const OwnedText file(params.fileName);
    const OwnedText folder(params.dirName);
    std::string path = joined(folder, file);
    if (same_file(path, source_file) || (file && same_file(source_file, file.get()))) path = source_file;
    return {path, static_cast<int>(params.lineNumber)};
  };
}

}  // namespace gpuprobe::cupti
