// One instruction over many operands: runs it for every thread and gives the results back.
//
//   OpBench bench{"s32", "s32"};                        // operand type, result type
//   auto results = bench.run("sub.s32 %r22, %r10, %r11;", a, b, c);
//
// Operands are in %r10 %r11 %r12 (32 bits), %rd10.. (64), %rs10.. (16), %f10.., %fd10..; results in %r22,
// %rd22 ...
#pragma once

#include <functional>
#include <random>

#include "bench_kernel.h"

namespace gpuprobe::simt {

struct OpBench {
  std::string operand;  ///< "b16", "b32", "b64", "f32", "f64"
  std::string result;

  static std::string bank(const std::string& type) {
    if (type.back() == '2' && type[0] == 'f') return "%f";
    if (type[0] == 'f') return "%fd";
    return type == "b16" ? "%rs" : (type == "b64" ? "%rd" : "%r");
  }

  /// All vectors have the same length; values are the low bits of the 64.
  std::vector<std::uint64_t> run(const std::string& code, const std::vector<std::uint64_t>& a,
                                 const std::vector<std::uint64_t>& b,
                                 const std::vector<std::uint64_t>& c) const {
    std::string body =
        "mul.wide.u32 %rd6, %r1, 8; mov.u32 %r2, %ctaid.x; mul.wide.u32 %rd7, %r2, 1024; add.s64 %rd6, %rd6, "
        "%rd7;";
    for (int i = 0; i < 3; ++i)
      body += "add.s64 %rd7, %rd" + std::to_string(i + 1) + ", %rd6; ld.global." + operand + " " +
              bank(operand) + std::to_string(10 + i) + ", [%rd7];";
    body += code + " add.s64 %rd7, %rd4, %rd6; st.global." + result + " [%rd7], " + bank(result) + "22;";
    Bench bench(kernel(body));
    std::vector<std::uint64_t> padded[3] = {a, b, c};
    const std::size_t blocks = (a.size() + 127) / 128;
    for (auto& values : padded) values.resize(blocks * 128);
    for (int i = 0; i < 3; ++i) bench.buffer(std::string(1, static_cast<char>('a' + i)), padded[i]);
    const auto out = bench.buffer("out", std::vector<std::uint64_t>(blocks * 128));
    bench.run_clean(launch_of(static_cast<std::uint32_t>(blocks), 128));
    auto results = bench.values<std::uint64_t>(out);
    results.resize(a.size());
    return results;
  }
};

/// Operand triples: all of a few edge values with one another, then random ones.
struct Triples {
  std::vector<std::uint64_t> a, b, c;

  static Triples integers(int bits, std::size_t random_count = 300) {
    const std::uint64_t ones = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    const std::uint64_t edges[] = {
        0, 1, 2, ones, ones - 1, ones >> 1, (ones >> 1) + 1, 31, 32, 33, 0x5555555555555555u & ones, 7};
    Triples triples;
    for (const std::uint64_t x : edges)
      for (const std::uint64_t y : edges)
        for (const std::uint64_t z : {edges[0], edges[1], edges[3], edges[6], edges[8]}) triples.add(x, y, z);
    std::mt19937_64 random(7);
    for (std::size_t i = 0; i < random_count; ++i)
      triples.add(random() & ones, random() >> (random() % 60) & ones, random() >> (random() % 60) & ones);
    return triples;
  }
  static Triples floats(bool wide, std::size_t random_count = 600) {
    Triples triples;
    std::vector<std::uint64_t> edges;
    if (wide)
      edges = {0,
               0x8000000000000000,
               0x3FF0000000000000,
               0xBFF0000000000000,
               0x7FF0000000000000,
               0xFFF0000000000000,
               0x7FF8000000000000,
               1,
               0x000FFFFFFFFFFFFF,
               0x7FEFFFFFFFFFFFFF,
               0x3FF8000000000000};
    else
      edges = {0, 0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000,
               1, 0x80000001, 0x007FFFFF, 0x00800000, 0x7F7FFFFF, 0x3FC00000, 0x34000000};
    for (const std::uint64_t x : edges)
      for (const std::uint64_t y : edges)
        for (const std::uint64_t z : {edges[0], edges[2], edges[3], edges[6]}) triples.add(x, y, z);
    std::mt19937_64 random(8);
    for (std::size_t i = 0; i < random_count; ++i) {
      const auto one = [&]() -> std::uint64_t {
        // Exponents near one another half of the time, so that sums do not just return one operand.
        if (wide)
          return (random() & 0x800FFFFFFFFFFFFFu) |
                 (random() % 2 != 0 ? 0x3F8 + random() % 16 : random() % 2047) << 52;
        return (random() & 0x807FFFFFu) | (random() % 2 != 0 ? 120 + random() % 16 : random() % 255) << 23;
      };
      triples.add(one(), one(), one());
    }
    return triples;
  }
  void add(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
    a.push_back(x);
    b.push_back(y);
    c.push_back(z);
  }
};

}  // namespace gpuprobe::simt
