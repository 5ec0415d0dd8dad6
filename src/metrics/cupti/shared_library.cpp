#include "metrics/cupti/shared_library.h"

#include <dlfcn.h>

#include <utility>

namespace gpuprobe::cupti {

Result<SharedLibrary> SharedLibrary::open(const std::vector<std::string>& candidates) {
  std::string tried;
  for (const std::string& name : candidates) {
    if (void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL)) return SharedLibrary(handle, name);
    const char* reason = dlerror();
    tried += "\n  " + std::string(reason ? reason : name.c_str());
  }
  return fail(ErrorCode::kMachine, "Tried:" + tried, "");
}

SharedLibrary::SharedLibrary(SharedLibrary&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)),
      symbols_(std::exchange(other.symbols_, nullptr)),
      path_(std::move(other.path_)) {}

SharedLibrary& SharedLibrary::operator=(SharedLibrary&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(symbols_, other.symbols_);
  std::swap(path_, other.path_);
  return *this;
}

SharedLibrary::~SharedLibrary() {
  if (handle_) dlclose(handle_);
}

void* SharedLibrary::symbol(const char* name) const {
  return symbols_ ? dlsym(symbols_, name) : nullptr;
}

}  // namespace gpuprobe::cupti
