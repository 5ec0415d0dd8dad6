// What a CUPTI result code means for the user: what happened, why, and what to do.
#pragma once

#include <cupti_result.h>

#include <string_view>

#include "core/result.h"

namespace gpuprobe::cupti {

/// The error for `result` while `doing` ("starting the range profiler"). kMachine for everything that the
/// machine, its driver or its settings cause; kDefect for results that only a wrong call of ours can give.
Error cupti_error(CUptiResult result, std::string_view doing);

/// Success, or the error above.
inline Status check_cupti(CUptiResult result, std::string_view doing) {
  if (result == CUPTI_SUCCESS) return {};
  return tl::unexpected(cupti_error(result, doing));
}

}  // namespace gpuprobe::cupti
