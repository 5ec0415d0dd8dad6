// The whole program behind main(): arguments in, report out, exit code back.
#pragma once

namespace gpuprobe::cli {

/// Runs gpuprobe and returns the process exit code (design: "Exit codes").
int run_app(int argc, char** argv);

}  // namespace gpuprobe::cli
