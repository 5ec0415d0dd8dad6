#include "cli/app.h"

#include <cstdio>

namespace gpuprobe::cli {

int run_app(int, char**) {
  std::fputs("gpuprobe\n", stdout);
  return 0;
}

}  // namespace gpuprobe::cli
