// `gpuprobe banks`: the bank lab, without a kernel.
#include <memory>

#include "cli/bank_lab.h"
#include "cli/command.h"
#include "cli/kernel_commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/session.h"
#include "kernels/family.h"

namespace gpuprobe::cli {
namespace {

struct BanksOptions {
  BankAccess access;
  std::string pattern = "column";
  std::string op = "load";
  int round = 0;
  bool measure = false;
};

/// The same pattern as a kernel: its wavefronts beside the rounds of the table.
Result<int> run_kernel(const BanksOptions& options) {
  if (options.op != "load")
    return fail(ErrorCode::kUsage, "--measure reads shared memory, so it does not go with --op store",
                "leave --op out");
  const BankAccess& access = options.access;
  TypedValues values{{"pattern", options.pattern},
                     {"pitch", std::to_string(access.pitch)},
                     {"stride", std::to_string(access.stride)},
                     {"active", std::to_string(access.active)},
                     {"width", std::to_string(access.width)}};
  if (access.swizzle) values["swizzle"] = "1";
  auto kernel = build_kernel(*find_kernel_family("banks"), values);
  if (!kernel) return tl::unexpected(kernel.error());
  return profile_and_report(std::move(*kernel), RunOptions{});
}

Result<int> show(const BanksOptions& options) {
  BankAccess access = options.access;
  access.pattern = *bank_pattern_from_string(options.pattern);
  access.is_load = options.op == "load";
  const auto text = bank_report(access, options.round);
  if (!text) return tl::unexpected(text.error());
  if (Status written = write_stdout(*text + (options.measure ? "\n" : "")); !written)
    return tl::unexpected(written.error());
  return options.measure ? run_kernel(options) : Result<int>(0);
}

void define(CLI::App& app, Actions& actions) {
  auto options = std::make_shared<BanksOptions>();
  set_footer(
      app,
      "Shows which lane of a warp goes to which 4-byte word and bank of shared memory, groups the requests "
      "by bank "
      "and lists the service rounds: each round serves at most one word of each bank, and lanes that want "
      "the same "
      "word are served together. Ends with the smallest padding or swizzle that frees the access of "
      "conflicts.");
  add_option(app, "--pattern", options->pattern,
             "row, column, padded-column, broadcast or stride (default column)")
      ->type_name("PATTERN")
      ->check(one_of("pattern", {"row", "column", "padded-column", "broadcast", "stride"}));
  add_option(app, "--pitch", options->access.pitch, "elements of a row of the tile (default 32)")
      ->type_name("N")
      ->check(whole_number(1, 65536, "elements"));
  add_option(app, "--stride", options->access.stride,
             "elements from lane to lane, with --pattern stride (default 2)")
      ->type_name("N")
      ->check(whole_number(0, 65536, "elements"));
  add_option(app, "--active", options->access.active, "lanes that take part, from lane 0 on (default 32)")
      ->type_name("N")
      ->check(whole_number(1, 32, "lanes"));
  add_option(app, "--width", options->access.width, "bytes of an element: 1, 2, 4, 8 or 16 (default 4)")
      ->type_name("BYTES")
      ->check(one_of("width", {"1", "2", "4", "8", "16"}));
  add_flag(app, "--swizzle", options->access.swizzle, "store element (row, column) at column ^ row");
  add_option(app, "--op", options->op,
             "load or store (default load); stores of 8 and 16 bytes never merge phases")
      ->type_name("OP")
      ->check(one_of("operation", {"load", "store"}));
  add_option(app, "--round", options->round, "show only this service round (default: all)")
      ->type_name("R")
      ->check(whole_number(1, 1024, ""));
  add_flag(app, "--measure", options->measure,
           "run the pattern as a real kernel as well: measured on a GPU, predicted without one");
  actions[&app] = [options] { return show(*options); };
}

}  // namespace

Command banks_command() {
  return {"banks", "which lane goes to which bank of shared memory, and in which round", kAskGroup, define};
}

}  // namespace gpuprobe::cli
