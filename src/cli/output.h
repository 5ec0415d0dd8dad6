// Where the report goes: stdout, or a file that appears whole or not at all. Opened before anything is
// measured, so that an unwritable path costs no time.
//
//   auto output = Output::open("report.json");     // kUsage if it cannot be created
//   if (auto done = output->write(text); !done) return tl::unexpected(done.error());
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/result.h"

namespace gpuprobe::cli {

/// Makes file descriptors 0 to 2 valid and SIGPIPE ignored. Call once, before anything is opened: a report
/// file that got descriptor 1 because stdout was closed would receive other output as well.
void prepare_standard_streams();

/// Writes all of `text` to stdout. A reader that went away is no error (it has seen what it wanted).
/// Errors: kMachine for a full disk or a closed stdout.
Status write_stdout(std::string_view text);

/// True if colour should be used on the stream `descriptor` under `--color` = "auto", "always" or "never".
bool use_color(std::string_view mode, int descriptor);

class Output {
 public:
  /// "" or "-" is stdout. A regular file is written beside its final name and renamed into place; a device or
  /// a pipe is written directly. Errors: kUsage naming the path and the cause.
  static Result<std::unique_ptr<Output>> open(const std::string& path);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Writes the report and puts the file in place. Errors: kMachine; nothing half-written stays behind.
  Status write(std::string_view text);
  bool is_stdout() const { return descriptor_ == 1; }

 private:
  Output(int descriptor, std::string path, std::string temporary)
      : descriptor_(descriptor), path_(std::move(path)), temporary_(std::move(temporary)) {}
  Status put_in_place();

  int descriptor_ = 1;
  std::string path_;       ///< final name, links resolved
  std::string temporary_;  ///< "" if written directly
};

}  // namespace gpuprobe::cli
