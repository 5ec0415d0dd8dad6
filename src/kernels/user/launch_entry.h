// Launch facts of a user's kernel as written: the TOML block in a comment of the .cu file, or an entry of
// gpuprobe.toml. Values are still expressions; expand() in launch_case.h turns an entry into kernels to run.
//
//   /* gpuprobe
//   [[kernel]]
//   name  = "transpose_tile"
//   vars  = { n = 4096, tile = [16, 32] }          # an array makes a matrix of runs
//   grid  = ["ceildiv(n, tile)", "ceildiv(n, tile)"]
//   block = ["tile", "tile"]
//   args  = ["n:i32 = n", "in:f32[n*n] = random", "out:f32[n*n] = zeros"]
//   */
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"
#include "kernels/user/expression.h"

namespace gpuprobe::user {

struct LaunchEntry {
  std::string origin;  ///< "file.cu:3": where the entry was written, for messages
  std::string file;    ///< the .cu file; empty = the file that holds the block
  std::string name;    ///< kernel name or name expression
  std::vector<std::pair<std::string, std::vector<Number>>> vars;  ///< several values = a matrix of runs
  std::vector<std::pair<std::string, std::string>> defines;       ///< macro -> expression
  std::vector<std::string> grid;                                  ///< 1 to 3 expressions, blocks
  std::vector<std::string> block;                                 ///< 1 to 3 expressions, threads
  std::vector<std::string> cluster;                               ///< 0 to 3 expressions, blocks
  std::string shared = "0";                                       ///< dynamic shared memory, bytes
  std::vector<std::string> args;                                  ///< see argument.h
  std::vector<std::string> options;                               ///< passed to NVRTC
  std::string check;                                              ///< "out == file(\"ref.bin\") within 1e-5"
  std::string check_kernel;          ///< a kernel of the same file and arguments that computes the reference
  std::optional<double> within;      ///< relative bound of check_kernel
  std::vector<std::string> finding;  ///< planted answer: kinds that the diagnosis must name, one of them as
                                     ///< its verdict; "none" = nothing is wrong; empty = not planted
  std::vector<std::string> also;     ///< further true findings
  std::vector<std::string> expect;   ///< gates: "METRIC OP NUMBER"
  std::vector<std::string> fail_on;  ///< gates: finding kinds, or "any"
  std::vector<std::string> arch;     ///< "sm_90" ...; empty = the default
  std::vector<std::string> sources;  ///< "model", "gpu"; empty = the default
};

/// The TOML text of the first `/* gpuprobe` comment of a .cu file and the line it starts on; nullopt if there
/// is none. An unterminated comment yields the text up to the end of the file.
struct CommentBlock {
  std::string text;
  int first_line = 1;  ///< line of the file that holds the first character of `text`
};
std::optional<CommentBlock> find_launch_block(std::string_view source);

/// The [[kernel]] entries of `toml`; `file` and `first_line` make messages point into the file it came from.
/// Errors (kUsage) name file, line and key: TOML syntax, unknown keys (with the nearest known one), wrong
/// types.
Result<std::vector<LaunchEntry>> parse_entries(std::string_view toml, std::string_view file, int first_line);

}  // namespace gpuprobe::user
