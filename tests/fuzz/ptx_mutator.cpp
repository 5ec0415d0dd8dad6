// Mutations that know that PTX is lines of instructions: bytes changed at random hardly ever parse, so most
// of what libFuzzer tries would end in the lexer. Half of the time libFuzzer's own mutations are used.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using Random = std::minstd_rand;

constexpr std::array kNumbers{"0",
                              "1",
                              "2",
                              "3",
                              "4",
                              "7",
                              "8",
                              "15",
                              "16",
                              "31",
                              "32",
                              "33",
                              "63",
                              "64",
                              "127",
                              "128",
                              "255",
                              "1024",
                              "4096",
                              "-1",
                              "-4",
                              "2147483647",
                              "0x80000000",
                              "-2147483648",
                              "0xFF",
                              "0xFFFFFFFF",
                              "65536",
                              "1048576",
                              "0x7FFFFFFFFFFFFFFF",
                              "0x8000000000000000",
                              "0f7FC00000",
                              "0f3F800000",
                              "0d7FF0000000000000"};
constexpr std::array kModifiers{
    "u8",   "u16",  "u32",  "u64",    "s8",     "s16",   "s32",     "s64",   "b8",     "b16",
    "b32",  "b64",  "b128", "f16",    "bf16",   "f32",   "f64",     "f16x2", "bf16x2", "tf32",
    "e4m3", "pred", "lo",   "hi",     "wide",   "sat",   "rn",      "rz",    "rzi",    "rni",
    "ftz",  "v2",   "v4",   "global", "shared", "local", "const",   "param", "eq",     "ne",
    "lt",   "geu",  "nan",  "and",    "or",     "xor",   "add",     "cas",   "exch",   "inc",
    "min",  "max",  "sync", "bfly",   "idx",    "up",    "aligned", "x4",    "trans",  "relaxed"};

std::size_t below(Random& random, std::size_t bound) {
  return bound == 0 ? 0 : random() % bound;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

struct Word {
  std::size_t begin, length;
};

/// Registers, names, opcodes, modifiers and numbers of a line.
std::vector<Word> words_of(std::string_view line) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '%' || c == '$';
  };
  std::vector<Word> words;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (!is_word(line[at])) continue;
    const std::size_t begin = at;
    while (at < line.size() && is_word(line[at])) ++at;
    words.push_back({begin, at - begin});
  }
  return words;
}

void replace_word(std::vector<std::string>& lines, Random& random) {
  std::string& line = lines[below(random, lines.size())];
  const std::vector<Word> words = words_of(line);
  if (words.empty()) return;
  const Word word = words[below(random, words.size())];
  const bool is_number = std::isdigit(static_cast<unsigned char>(line[word.begin])) != 0;
  const bool is_modifier = word.begin > 0 && line[word.begin - 1] == '.';
  std::string other;
  if (is_number && random() % 2 == 0) {
    other = kNumbers[below(random, kNumbers.size())];
  } else if (is_modifier && random() % 4 != 0) {
    other = kModifiers[below(random, kModifiers.size())];
  } else {
    // A word of the same kind from elsewhere in the text.
    for (int attempt = 0; attempt < 8 && other.empty(); ++attempt) {
      const std::string& from = lines[below(random, lines.size())];
      const std::vector<Word> candidates = words_of(from);
      if (candidates.empty()) continue;
      const Word chosen = candidates[below(random, candidates.size())];
      if ((from[chosen.begin] == '%') == (line[word.begin] == '%'))
        other = from.substr(chosen.begin, chosen.length);
    }
  }
  if (!other.empty()) line.replace(word.begin, word.length, other);
}

void mutate(std::vector<std::string>& lines, Random& random) {
  const std::size_t one = below(random, lines.size()), other = below(random, lines.size());
  switch (random() % 8) {
    case 0:
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(one));
      break;
    case 1:
      std::swap(lines[one], lines[other]);
      break;
    case 2:
    case 3: {
      const std::string copy = lines[one];
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(other), copy);
      break;
    }
    default:
      replace_word(lines, random);
      break;
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
  Random random(seed + 1);
  if (size == 0 || random() % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  std::vector<std::string> lines = lines_of({reinterpret_cast<const char*>(data), size});
  for (auto left = 1 + random() % 4; left > 0 && !lines.empty(); --left) mutate(lines, random);
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  if (!text.empty()) text.pop_back();
  const std::size_t kept = std::min(text.size(), max_size);
  std::memcpy(data, text.data(), kept);
  return kept;
}
