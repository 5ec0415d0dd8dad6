#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace gpuprobe::cli {
namespace {

constexpr std::size_t kBarWidth = 20;
constexpr const char* kClearLine = "\r\033[K";

}  // namespace

Progress::Progress(std::size_t total, bool wanted)
    : total_(total), visible_(wanted && ::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (visible_) std::fputs(kClearLine, stderr);
}

void Progress::step(const std::string& label) {
  if (!visible_) return;
  const std::size_t filled = total_ ? done_ * kBarWidth / total_ : 0;
  fmt::print(stderr, "{}[{:<{}}] {}/{} {}", kClearLine, std::string(filled, '#'), kBarWidth, done_ + 1,
             total_, label);
  std::fflush(stderr);
  ++done_;
}

}  // namespace gpuprobe::cli
