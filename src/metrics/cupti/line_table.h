// Source lines of machine instructions, from the line table in the cubin (as CUPTI reads it).
#pragma once

#include "core/compiled_kernel.h"
#include "metrics/cupti/cupti_api.h"
#include "metrics/cupti/sass_sites.h"

namespace gpuprobe::cupti {

/// Looks lines up in `compiled`, which must outlive the result. A path that ends like `source_file` is given
/// back as `source_file`, the name that the rest of gpuprobe knows.
LineLookup line_lookup(const CuptiApi& api, const CompiledKernel& compiled, std::string source_file);

/// True if `path` names the file `name` ("/tmp/x/transpose/kernel.cu" and "transpose/kernel.cu").
bool same_file(std::string_view path, std::string_view name);

}  // namespace gpuprobe::cupti
