// A folder that goes away with the test.
//
//   const TemporaryFolder folder;
//   const std::string path = folder.write("report.json", text);
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace gpuprobe::test {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    path_ = (std::filesystem::temp_directory_path() / "gpuprobe_test_XXXXXX").string();
    if (!mkdtemp(path_.data())) std::abort();
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }
  /// Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& text) const {
    const std::string file = path_ + "/" + name;
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }

 private:
  std::string path_;
};

}  // namespace gpuprobe::test
