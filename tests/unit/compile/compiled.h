// Helpers of the compile tests: a small kernel from text, and a private cache directory.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compile/compiler.h"

namespace gpuprobe::compile {

inline Kernel kernel_of(std::string text, std::vector<std::string> entries) {
  Kernel kernel;
  kernel.name = "test";
  kernel.source = {"test/kernel.cu", std::move(text)};
  for (std::string& entry : entries) kernel.steps.push_back({std::move(entry), {}, {}});
  return kernel;
}

/// Sets an environment variable and puts the old value back.
class ScopedEnvironment {
 public:
  ScopedEnvironment(const char* name, const std::string& value) : name_(name) {
    if (const char* old = getenv(name)) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  ~ScopedEnvironment() {
    if (old_)
      setenv(name_.c_str(), old_->c_str(), 1);
    else
      unsetenv(name_.c_str());
  }

 private:
  std::string name_;
  std::optional<std::string> old_;
};

/// A fresh directory that is removed at the end.
class ScopedDirectory {
 public:
  ScopedDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "gpuprobe_test_XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~ScopedDirectory() {
    std::error_code error;
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all, error);
    std::filesystem::remove_all(path_, error);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace gpuprobe::compile
