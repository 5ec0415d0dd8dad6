// The PTX files of tests/unit/ptx/data, written by nvcc (see make.sh there).
//
//   const Module& module = fixture("inlined.sm_80.ptx");
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "model/ptx/parser.h"

namespace gpuprobe::ptx {

inline const std::filesystem::path kFixtures = std::filesystem::path(GPUPROBE_TESTS_DIR) / "unit/ptx/data";

inline std::string fixture_text(const std::string& name) {
  std::ifstream file(kFixtures / name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::vector<std::string> fixture_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFixtures))
    if (entry.path().extension() == ".ptx") names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// Parsed once a process; an empty module and a test failure if it does not parse.
inline const Module& fixture(const std::string& name) {
  static std::map<std::string, Module> parsed;
  const auto [entry, is_new] = parsed.try_emplace(name);
  if (is_new) {
    auto module = parse(fixture_text(name));
    EXPECT_TRUE(module.has_value()) << name << ": " << (module ? "" : module.error().what);
    if (module) entry->second = *std::move(module);
  }
  return entry->second;
}

}  // namespace gpuprobe::ptx
