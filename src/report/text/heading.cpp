#include <fmt/core.h>

#include "report/format.h"
#include "report/text/sections.h"

namespace gpuprobe::report {
namespace {

std::string where(const Run& run) {
  const std::string& arch = run.device.arch.empty() ? run.environment.arch : run.device.arch;
  const std::string& name = run.device.name.empty() ? run.environment.device : run.device.name;
  if (name.empty()) return arch.empty() ? "an unknown device" : arch;
  return arch.empty() ? name : fmt::format("{} ({})", name, arch);
}

std::string shared_memory(const FunctionResources& resources, const Launch& launch) {
  if (resources.shared_static == 0 && launch.dynamic_shared == 0) return "no shared memory";
  if (launch.dynamic_shared == 0) return quantity(resources.shared_static, Unit::kByte) + " shared";
  if (resources.shared_static == 0) return quantity(launch.dynamic_shared, Unit::kByte) + " dynamic shared";
  return fmt::format("{} static + {} dynamic shared", quantity(resources.shared_static, Unit::kByte),
                     quantity(launch.dynamic_shared, Unit::kByte));
}

/// The resources of the step's entry; nullptr if the run does not know them.
const FunctionResources* resources_of(const Run& run, const Step& step) {
  for (const FunctionResources& resources : run.resources)
    if (resources.name_expression == step.entry) return &resources;
  return nullptr;
}

std::string launch_line(const Run& run, const Step& step) {
  if (step.is_library_call()) return step.entry + ", which launches kernels of its own choice";
  const Launch& launch = step.launch;
  std::string text = fmt::format("grid {}, block {}", dimensions(launch.grid), dimensions(launch.block));
  if (launch.cluster.count() > 1) text += ", cluster " + dimensions(launch.cluster);
  if (const FunctionResources* resources = resources_of(run, step)) {
    text +=
        ", " + counted(resources->registers, "register") + " a thread, " + shared_memory(*resources, launch);
    if (resources->local_bytes > 0)
      text += ", " + quantity(resources->local_bytes, Unit::kByte) + " local a thread";
  } else if (launch.dynamic_shared > 0) {
    text += ", " + quantity(launch.dynamic_shared, Unit::kByte) + " dynamic shared";
  }
  return text;
}

}  // namespace

std::string title_of(const Run& run) {
  std::string title = run.kernel.empty() ? "kernel" : run.kernel;
  for (const auto& [name, value] : run.options) {
    title += (name.size() == 1 ? " -" : " --") + name;
    if (!value.empty()) title += " " + value;
  }
  return printable(title);
}

std::string origin_of(const Run& run) {
  switch (run.source) {
    case Origin::kMeasured:
      return "measured on " + where(run);
    case Origin::kPredicted: {
      const std::string& arch = run.device.arch;
      if (arch.empty() || run.device.name.empty()) return "predicted for " + where(run);
      return fmt::format("predicted for {} ({})", arch, run.device.name);
    }
    case Origin::kRecorded:
      if (run.recorded_from == "predicted") return "recorded, predicted for " + where(run);
      if (run.recorded_from == "nsight-compute") return "recorded by Nsight Compute on " + where(run);
      return "recorded on " + where(run);
  }
  return {};
}

void write_heading(Page& page, const Run& run) {
  page.ends(title_of(run), Tone::kStrong, printable(origin_of(run)));
  if (run.steps.empty()) return;
  const Step* largest = &run.steps.front();
  for (const Step& step : run.steps)
    if (step.launch == run.main_launch()) {
      largest = &step;
      break;
    }
  std::string text;
  if (run.steps.size() > 1)
    text = fmt::format("{}, the largest {}: ", count(static_cast<double>(run.steps.size())) + " launches",
                       largest->entry);
  page.text(0, text + launch_line(run, *largest), Tone::kFaint);
}

}  // namespace gpuprobe::report
