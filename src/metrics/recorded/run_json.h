// The parts of a report, read from a cursor. Problems are left in the cursor's Problem.
#pragma once

#include "core/run.h"
#include "metrics/recorded/cursor.h"

namespace gpuprobe::recorded {

Environment read_environment(const Cursor& json);
DeviceSpec read_device(const Cursor& json);
Calibration read_calibration(const Cursor& json);
Site read_site(const Cursor& json);
/// `environment` is the report's; a run may have its own.
Run read_run(const Cursor& json, const Environment& environment);

}  // namespace gpuprobe::recorded
