// The kernels measured on an H200 (tests/data/truth/kernels_h200.tsv), and which family makes each.
#pragma once

#include <fstream>
#include <map>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

namespace gpuprobe {

struct TruthCase {
  const char* name;  ///< first column of the file
  const char* family;
  const char* options;
};

/// For messages of parameterised tests.
inline void PrintTo(const TruthCase& c, std::ostream* out) {
  *out << c.family << ' ' << c.options;
}

/// Every kernel of the file, as a family's options make it.
inline const std::vector<TruthCase>& truth_cases() {
  static const std::vector<TruthCase> kCases = {
      {"mm_naive_16", "matmul", "--block 16,16"},
      {"mm_naive_32", "matmul", ""},
      {"mm_naive_swapped", "matmul", "--order swapped"},
      {"mm_tiled_16", "matmul", "--tile 16"},
      {"mm_tiled_32", "matmul", "--tile 32"},
      {"mm_tiledT_32", "matmul", "--tile 32 --stage-transposed"},
      {"mm_tiledT_32_pad", "matmul", "--tile 32 --stage-transposed --pad"},
      {"tr_naive_w", "transpose", "--variant naive-write"},
      {"tr_naive_r", "transpose", "--variant naive-read"},
      {"tr_tiled", "transpose", ""},
      {"tr_tiled_pad", "transpose", "--pad"},
      {"tr_swz", "transpose", "--swizzle"},
      {"saxpy", "saxpy", ""},
      {"strided_1", "stride", "--stride 1"},
      {"strided_2", "stride", "--stride 2"},
      {"strided_4", "stride", "--stride 4"},
      {"strided_8", "stride", "--stride 8"},
      {"strided_16", "stride", "--stride 16"},
      {"strided_32", "stride", "--stride 32"},
      {"strided_64", "stride", "--stride 64"},
      {"strided_128", "stride", "--stride 128"},
      {"rowsum_bad", "rowsum", ""},
      {"rowsum_good", "rowsum", "--variant block-per-row"},
      {"reduce_global", "reduce", "--variant block-global"},
      {"reduce_shared", "reduce", "--variant block-shared"},
      {"reduce_interleaved", "reduce", "--variant interleaved"},
      {"bank_pitch32", "banks", "--pitch 32"},
      {"bank_pitch33", "banks", "--pattern padded-column"},
      {"bank_pitch1", "banks", "--pattern row"},
      {"bank_pitch2", "banks", "--pitch 2"},
      {"bank_pitch4", "banks", "--pitch 4"},
      {"bank_pitch8", "banks", "--pitch 8"},
      {"bank_pitch16", "banks", "--pitch 16"},
      {"bank_pitch0", "banks", "--pattern broadcast"},
      {"bank_pitch2_half", "banks", "--pattern stride --active 16"},
      {"invert", "invert", ""},
      {"invert_32x8", "invert", "--block 32,8"},
  };
  return kCases;
}

/// The columns of one row, by name.
inline std::map<std::string, std::string> truth_row(const std::string& name) {
  std::ifstream file(GPUPROBE_TESTS_DIR "/data/truth/kernels_h200.tsv");
  const auto split = [](const std::string& line) {
    std::vector<std::string> fields;
    std::istringstream in(line);
    for (std::string field; std::getline(in, field, '\t');) fields.push_back(field);
    return fields;
  };
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> header = split(line);
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = split(line);
    if (fields.empty() || fields[0] != name) continue;
    std::map<std::string, std::string> row;
    for (std::size_t i = 0; i < fields.size() && i < header.size(); ++i) row[header[i]] = fields[i];
    return row;
  }
  return {};
}

}  // namespace gpuprobe
