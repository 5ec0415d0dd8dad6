#include "inject/spool_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "metrics/recorded/spool.h"
#include "report/writers/json/document.h"

namespace gpuprobe::inject {
namespace {

using report::Json;

/// One line: a name in a module may hold any byte.
std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

Result<std::unique_ptr<SpoolFile>> SpoolFile::open(const std::string& folder, const std::string& program) {
  const std::string path = folder + "/" + std::to_string(::getpid()) + ".jsonl";
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (descriptor < 0)
    return fail(ErrorCode::kMachine, "cannot write '" + path + "': " + std::strerror(errno),
                "make room in the folder for temporary files, or set TMPDIR to another one");
  std::unique_ptr<SpoolFile> file(new SpoolFile(descriptor));
  file->append(
      line_of({{"gpuprobe_spool", recorded::kSpoolVersion}, {"process", ::getpid()}, {"program", program}}));
  return file;
}

SpoolFile::SpoolFile(int descriptor) : descriptor_(descriptor) {
  ::fstat(descriptor_, &file_);
}

SpoolFile::~SpoolFile() {
  if (is_ours()) ::close(descriptor_);
}

bool SpoolFile::is_ours() const {
  struct ::stat now = {};
  return ::fstat(descriptor_, &now) == 0 && now.st_ino == file_.st_ino && now.st_dev == file_.st_dev;
}

void SpoolFile::append(const std::string& line) {
  // A program may close descriptors that it does not know and then open a file of its own under this number.
  if (!is_ours()) return;
  // One call a record: with O_APPEND it is never mixed with another thread's.
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t written = ::write(descriptor_, line.data() + done, line.size() - done);
    if (written < 0 && errno != EINTR) return;  // a full disk must not stop the program
    if (written > 0) done += static_cast<std::size_t>(written);
  }
}

void SpoolFile::kernel(int id, const Run& run) {
  append(line_of({{"id", id}, {"kernel", report::to_json(run, run.environment)}}));
}

void SpoolFile::launch(int id, cupti::LaunchFate fate, const std::string& why) {
  Json json = {{"id", id}, {"launch", cupti::to_string(fate)}};
  if (!why.empty()) json["why"] = why;
  append(line_of(json));
}

void SpoolFile::graph() {
  append(line_of({{"graph", true}}));
}

void SpoolFile::not_selected() {
  append(line_of({{"not_selected", true}}));
}

void SpoolFile::note(const std::string& text) {
  append(line_of({{"note", text}}));
}

}  // namespace gpuprobe::inject
