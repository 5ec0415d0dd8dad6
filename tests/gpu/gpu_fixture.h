// What the tests on a real GPU share: one open source for the whole executable, and small kernels made on the
// spot. Without a GPU they skip with the reason; GPUPROBE_REQUIRE_GPU=1 makes that a failure;
// GPUPROBE_TEST_DEBUG=1 prints the steps of each measurement with their times.
#pragma once

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "compile/compiler.h"
#include "core/kernel.h"
#include "metrics/catalog.h"
#include "metrics/cupti/cupti_source.h"

namespace gpuprobe::gpu_test {

/// The source on device 0, opened on first use.
inline Result<std::unique_ptr<CounterSource>>& source() {
  static Result<std::unique_ptr<CounterSource>> opened = [] {
    if (std::getenv("GPUPROBE_TEST_DEBUG")) spdlog::set_level(spdlog::level::debug);
    return CuptiSource::open(
        0, [](const Kernel& kernel, std::string_view arch) { return compile::compile(kernel, arch); });
  }();
  return opened;
}

class OnGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (source()) return;
    const std::string why = source().error().what + " " + source().error().hint;
    if (std::getenv("GPUPROBE_REQUIRE_GPU")) FAIL() << why;
    GTEST_SKIP() << why;
  }
};

/// Compiles `kernel` for the device and measures it; a failure to compile ends the test run with its message.
inline Result<Run> measure(const Kernel& kernel, CollectOptions options = {}) {
  auto compiled = compile::compile(kernel, (*source())->device().arch);
  if (!compiled) return tl::unexpected(compiled.error());
  auto run = (*source())->collect(kernel, *compiled, options);
  if (run) derive_ratios(run->counters);
  return run;
}

/// The line of `text` in which `mark` stands, from 1; 0 if nowhere.
inline int line_of(const std::string& text, const std::string& mark) {
  int line = 1;
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return 0;
  for (std::size_t i = 0; i < at; ++i) line += text[i] == '\n';
  return line;
}

/// The only site of `access`, or nullptr if there is none or more than one.
inline const Site* only_site(const Run& run, AccessKind access) {
  const Site* found = nullptr;
  for (const Site& site : run.sites)
    if (site.access == access) {
      if (found) return nullptr;
      found = &site;
    }
  return found;
}

inline Buffer f32_buffer(std::string name, std::uint64_t count, BufferInit::Kind kind) {
  Buffer buffer;
  buffer.name = std::move(name);
  buffer.count = count;
  buffer.init.kind = kind;
  return buffer;
}

}  // namespace gpuprobe::gpu_test
