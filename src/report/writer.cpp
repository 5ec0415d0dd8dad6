#include "report/writer.h"

namespace gpuprobe::report {

const Writer* find_writer(std::string_view name) {
  for (const Writer& writer : writers())
    if (writer.name == name) return &writer;
  return nullptr;
}

}  // namespace gpuprobe::report
