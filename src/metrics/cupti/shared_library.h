// A shared library opened at run time, so that gpuprobe starts on machines that do not have it.
//
//   auto library = SharedLibrary::open({"/opt/cuda/lib64/libcupti.so", "libcupti.so.13"});
//   auto* get_version = library->symbol("cuptiGetVersion");
#pragma once

#include <string>
#include <vector>

#include "core/result.h"

namespace gpuprobe::cupti {

class SharedLibrary {
 public:
  /// Opens the first of `candidates` (paths or loader names) that loads. The error lists what was tried, one
  /// reason a line; its code is kMachine and its hint is empty (the caller knows the remedy).
  static Result<SharedLibrary> open(const std::vector<std::string>& candidates);

  SharedLibrary(SharedLibrary&& other) noexcept;
  SharedLibrary& operator=(SharedLibrary&& other) noexcept;
  SharedLibrary(const SharedLibrary&) = delete;
  SharedLibrary& operator=(const SharedLibrary&) = delete;
  ~SharedLibrary();

  /// Address of `name`, or nullptr.
  void* symbol(const char* name) const;
  /// The name that it was opened by.
  const std::string& path() const { return path_; }
  /// Keeps the library loaded to the end of the process: drivers register exit handlers inside themselves.
  void keep_loaded() { handle_ = nullptr; }

 private:
  SharedLibrary(void* handle, std::string path) : handle_(handle), symbols_(handle), path_(std::move(path)) {}

  void* handle_ = nullptr;   ///< what the destructor closes
  void* symbols_ = nullptr;  ///< what symbols are looked up in
  std::string path_;
};

}  // namespace gpuprobe::cupti
