#include "cli/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace gpuprobe::cli {
namespace {

spdlog::logger& logger() {
  static const std::shared_ptr<spdlog::logger> kLogger = [] {
    auto made =
        std::make_shared<spdlog::logger>("gpuprobe", std::make_shared<spdlog::sinks::stderr_sink_st>());
    made->set_pattern("%n: %v");
    // A log that cannot be written (stderr closed) must not end the program.
    made->set_error_handler([](const std::string&) {});
    spdlog::set_default_logger(made);
    return made;
  }();
  return *kLogger;
}

}  // namespace

void set_log_level(int verbosity) {
  using spdlog::level::level_enum;
  level_enum level = spdlog::level::info;
  if (verbosity < 0) level = spdlog::level::err;
  if (verbosity == 1) level = spdlog::level::debug;
  if (verbosity > 1) level = spdlog::level::trace;
  logger().set_level(level);
}

void notice(std::string_view text) {
  logger().info("{}", text);
}
void warn(std::string_view text) {
  logger().warn("warning: {}", text);
}
void detail(std::string_view text) {
  logger().debug("{}", text);
}

void print_failure(std::string_view text) {
  logger().error("{}", text);
}

void print_error(const Error& error) {
  logger().error("error: {}", error.what);
  if (!error.hint.empty()) logger().error("       {}", error.hint);
}

}  // namespace gpuprobe::cli
