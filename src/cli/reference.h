// `check_kernel`: a second, simple kernel of the same file computes what the first must produce.
//
//   add_reference(launch_case, sources, collect);   // runs the reference now and adds the comparison to the
//   kernel
#pragma once

#include "cli/sources.h"
#include "core/counter_source.h"
#include "kernels/user/launch_case.h"

namespace gpuprobe::cli {

/// Runs the reference kernel of `one` with the same launch and arguments and adds a check of every buffer
/// that it changes. Does nothing if the case names none. Errors: those of compiling and running the
/// reference.
Status add_reference(user::LaunchCase& one, const Sources& sources, const CollectOptions& options);

}  // namespace gpuprobe::cli
