#include "compile/digest.h"

#include <gtest/gtest.h>

namespace gpuprobe::compile {
namespace {

std::string sha256(std::string_view text) {
  Digest digest;
  digest.add(text);
  return digest.hex();
}

// The examples of FIPS 180-4's companion document (NIST, "SHA-256 example"), and the empty message.
TEST(Digest, PublishedExamples) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Digest, PiecesGiveTheSameAsTheWhole) {
  const std::string text(300, 'x');
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    Digest digest;
    digest.add(std::string_view(text).substr(0, cut));
    digest.add(std::string_view(text).substr(cut));
    ASSERT_EQ(digest.hex(), sha256(text)) << cut;
  }
}

TEST(Digest, FieldsCannotRunIntoEachOther) {
  Digest a;
  a.add_field("ab");
  a.add_field("c");
  Digest b;
  b.add_field("a");
  b.add_field("bc");
  EXPECT_NE(a.hex(), b.hex());
}

}  // namespace
}  // namespace gpuprobe::compile
