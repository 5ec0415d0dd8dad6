#include "cli/app.h"

int main(int argc, char** argv) {
  return gpuprobe::cli::run_app(argc, argv);
}
