#include "metrics/cupti/inject/injected_log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

namespace gpuprobe::cupti {

void log_to_stderr(int verbosity) {
  auto logger =
      std::make_shared<spdlog::logger>("gpuprobe", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_pattern("%n: [%P] %v");
  logger->set_error_handler([](const std::string&) {});
  logger->set_level(verbosity > 1 ? spdlog::level::debug : spdlog::level::err);
  spdlog::set_default_logger(logger);
}

}  // namespace gpuprobe::cupti
