// `gpuprobe doctor`: what this machine can do, tried out, with the remedy for what it cannot.
#include <fmt/format.h>

#include <filesystem>
#include <functional>

#include "cli/calibration_store.h"
#include "cli/command.h"
#include "cli/environment.h"
#include "cli/output.h"
#include "cli/table.h"
#include "compile/cache.h"
#include "compile/compiler.h"
#include "metrics/cupti/cupti_source.h"

namespace gpuprobe::cli {
namespace {

/// One line of the answer: "ok" with a fact, or "no" with cause and remedy.
std::string finding(const std::string& what, const Result<std::string>& outcome) {
  if (outcome) return fmt::format("ok  {:<10} {}\n", what, *outcome);
  return fmt::format("no  {:<10} {}\n{}", what, outcome.error().what, wrap(outcome.error().hint, 80, 15));
}

Result<std::string> try_compiler() {
  Kernel kernel;
  kernel.name = "doctor";
  kernel.source = {"doctor.cu", "__global__ void nothing() {}\n"};
  kernel.steps = {{"nothing", Launch{}, {}}};
  return compile::compile(kernel, "sm_90", {.use_cache = false}).map([](const CompiledKernel& compiled) {
    return compiled.compiler + " compiles for sm_90";
  });
}

Result<std::string> try_gpu() {
  return CuptiSource::probe(0).map([] { return std::string("device 0 can be used"); });
}

Result<std::string> try_counters() {
  auto source = CuptiSource::open(
      0, [](const Kernel& kernel, std::string_view arch) { return compile::compile(kernel, arch); });
  if (!source) return tl::unexpected(source.error());
  const DeviceSpec& device = (*source)->device();
  return fmt::format("{} ({}, {}): counters can be read", device.name, device.arch, device.chip);
}

Result<std::string> try_calibration() {
  auto source = CuptiSource::open_without_counters(0);
  if (!source) return tl::unexpected(source.error());
  const std::string& name = (*source)->device().name;
  if (const auto costs = calibration_for(name)) return "unit costs from " + costs->source;
  return fail(ErrorCode::kMachine,
              "the unit costs of " + name + " were not measured: gains are wide intervals",
              "run `gpuprobe calibrate` once on this machine");
}

Result<std::string> try_cache() {
  const compile::Cache cache;
  const std::string place = cache.file("probe").parent_path().string();
  if (place.empty())
    return fail(ErrorCode::kMachine, "compiled kernels are not kept: neither XDG_CACHE_HOME nor HOME is set",
                "set XDG_CACHE_HOME to a directory of yours to save about 0.1 s a run");
  if (!cache.store("doctor", {}))
    return fail(
        ErrorCode::kMachine, "compiled kernels cannot be kept in " + place,
        "make it writable and give it space, or set XDG_CACHE_HOME to another directory, to save about 0.1 s "
        "a run");
  std::error_code ignored;
  std::filesystem::remove(cache.file("doctor"), ignored);
  return "compiled kernels are kept in " + place;
}

/// What was chosen by the environment; "" if nothing.
std::string settings() {
  std::string text;
  for (const auto& [name, value] : environment_settings())
    text += fmt::format("{}    {}={}\n", text.empty() ? "\nSet in the environment (man gpuprobe):\n" : "",
                        name, value);
  return text;
}

Result<int> examine() {
  const Result<std::string> compiler = try_compiler();
  const Result<std::string> gpu = try_gpu();
  std::string text = finding("compiler", compiler) + finding("cache", try_cache()) + finding("GPU", gpu);
  bool measures = false;
  if (gpu) {
    const Result<std::string> counters = try_counters();
    measures = counters.has_value();
    text += finding("counters", counters) + finding("costs", try_calibration());
  }
  text += fmt::format("\nThis machine can {}.\n", !compiler  ? "only read recorded reports"
                                                  : measures ? "measure and predict"
                                                             : "predict, not measure");
  text += settings();
  if (Status written = write_stdout(text); !written) return tl::unexpected(written.error());
  return compiler ? 0 : static_cast<int>(ErrorCode::kMachine);
}

void define(CLI::App& app, Actions& actions) {
  actions[&app] = examine;
}

}  // namespace

Command doctor_command() {
  return {"doctor", "what this machine can measure and predict", kAskGroup, define};
}

}  // namespace gpuprobe::cli
