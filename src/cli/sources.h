// Which source answers: the GPU, the model, or both. Chosen once, before anything is compiled.
//
//   auto sources = Sources::open({.source = "auto"});     // kMachine if "gpu" was asked and cannot be had
//   sources->arch()                                        // what kernels must be compiled for
#pragma once

#include <memory>
#include <string>

#include "cli/options.h"
#include "core/counter_source.h"

namespace gpuprobe::cli {

class Sources {
 public:
  Sources(Sources&&) = default;
  Sources& operator=(Sources&&) = default;
  /// Leaves an open GPU to the end of the process: closing it in order takes 100 ms (H200), and nothing is
  /// lost.
  ~Sources();

  /// "auto" falls back to the model with a notice that says why. Errors: kMachine and kUsage.
  static Result<Sources> open(const SourceOptions& options);

  const std::string& arch() const { return arch_; }
  /// nullptr if nothing is measured.
  CounterSource* measuring() const { return gpu_.get(); }
  /// True if a prediction is wanted as a run of its own.
  bool predicts() const { return predicts_; }
  /// The model of the device in use: what predicts, and what works out the addresses behind a measured
  /// access.
  CounterSource& model() const { return *model_; }

 private:
  Sources() = default;

  std::string arch_;
  std::unique_ptr<CounterSource> gpu_;
  std::unique_ptr<CounterSource> model_;
  bool predicts_ = false;
};

}  // namespace gpuprobe::cli
