#include <cstdio>
#include <cstdlib>

#include "cli/app.h"

int main(int argc, char** argv) {
  const int code = gpuprobe::cli::run_app(argc, argv);
  std::fflush(nullptr);
  // The operating system takes a GPU's context back faster than the driver's exit handlers give it up.
  std::quick_exit(code);
}
