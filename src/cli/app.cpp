#include "cli/app.h"

#include <exception>
#include <string>

#include "cli/command_line.h"
#include "cli/interrupt.h"
#include "cli/log.h"
#include "cli/output.h"

namespace gpuprobe::cli {
namespace {

Result<int> run_command(int argc, char** argv) {
  CommandLine line;
  const auto parsed = line.parse(argc, argv);
  if (!parsed) return tl::unexpected(parsed.error());
  if (const std::string* text = std::get_if<std::string>(&*parsed))
    return write_stdout(*text).map([] { return 0; });
  return std::get<Action>(*parsed)();
}

}  // namespace

int run_app(int argc, char** argv) {
  prepare_standard_streams();
  install_interrupt_handler();
  Result<int> result = 0;
  try {
    result = run_command(argc, argv);
  } catch (const std::bad_alloc&) {
    result = fail(ErrorCode::kMachine, "this machine ran out of memory", "try a smaller problem size");
  } catch (const std::exception& exception) {
    result = fail(ErrorCode::kDefect, std::string("a defect of gpuprobe: ") + exception.what(),
                  "please report it with the command line that you typed");
  }
  if (result) return *result;
  print_error(result.error());
  return static_cast<int>(result.error().code);
}

}  // namespace gpuprobe::cli
