// How a user says what is right:  'out == file("ref.bin") within 1e-5'
//
// The file holds the expected elements of the buffer, raw and little-endian. `within` is a relative bound
// (absolute for values below 1); without it the elements must be equal.
#pragma once

#include <string_view>

#include "core/kernel.h"
#include "core/result.h"

namespace gpuprobe::user {

/// Adds the check that `text` describes to `kernel`. Errors (kUsage) quote the check and name what is wrong.
Status add_result_check(std::string_view text, std::string_view base_directory, Kernel& kernel);

}  // namespace gpuprobe::user
