// SHA-256 (FIPS 180-4), for cache keys and checksums.
//
//   Digest digest;  digest.add("source");  digest.hex();   // 64 characters
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gpuprobe::compile {

class Digest {
 public:
  Digest();
  /// Appends bytes as they are.
  void add(std::string_view bytes);
  /// Appends one field: its length, then its bytes, so that neighbouring fields cannot run into each other.
  void add_field(std::string_view bytes);
  /// Ends the message and returns the digest in hexadecimal. Call once.
  std::string hex();

 private:
  void block(const std::uint8_t* bytes);

  std::array<std::uint32_t, 8> state_;
  std::array<std::uint8_t, 64> pending_{};
  std::uint64_t length_ = 0;  ///< bytes so far
};

}  // namespace gpuprobe::compile
