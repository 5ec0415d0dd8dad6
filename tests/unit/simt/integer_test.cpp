// Integer instructions against the same operation in C++.
#include <bit>

#include "arithmetic_bench.h"

namespace gpuprobe::simt {
namespace {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
__extension__ typedef __int128 s128;
__extension__ typedef unsigned __int128 u128;

struct Case {
  const char* operand;
  const char* result;
  const char* code;
  std::function<u64(u64, u64, u64)> expected;
};

void check(const Case& test) {
  const int bits = std::string(test.operand) == "b16" ? 16 : (std::string(test.operand) == "b64" ? 64 : 32);
  const Triples in = Triples::integers(bits);
  const auto got = OpBench{test.operand, test.result}.run(test.code, in.a, in.b, in.c);
  const u64 mask =
      std::string(test.result) == "b16" ? 0xFFFF : (std::string(test.result) == "b64" ? ~u64{0} : 0xFFFFFFFF);
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_EQ(got[i] & mask, test.expected(in.a[i], in.b[i], in.c[i]) & mask)
        << test.code << " of " << std::hex << in.a[i] << ", " << in.b[i] << ", " << in.c[i];
}

u32 rotate_pick(u32 a, u32 b, u32 c) {
  u32 result = 0;
  for (int k = 0; k < 4; ++k) {
    const u32 s = c >> (4 * k) & 15;
    u32 byte = (s & 7) < 4 ? a >> (8 * (s & 7)) & 255 : b >> (8 * ((s & 7) - 4)) & 255;
    if (s & 8) byte = byte & 128 ? 255 : 0;
    result |= byte << (8 * k);
  }
  return result;
}

template <class T>
T saturating(s64 x) {
  return static_cast<T>(
      std::min<s64>(std::max<s64>(x, std::numeric_limits<T>::min()), std::numeric_limits<T>::max()));
}

TEST(Integer, AddSubMul) {
  const Case cases[] = {
      {"b16", "b16", "add.u16 %rs22, %rs10, %rs11;", [](u64 a, u64 b, u64) { return a + b; }},
      {"b32", "b32", "add.s32 %r22, %r10, %r11;", [](u64 a, u64 b, u64) { return a + b; }},
      {"b64", "b64", "add.s64 %rd22, %rd10, %rd11;", [](u64 a, u64 b, u64) { return a + b; }},
      {"b32", "b32", "add.sat.s32 %r22, %r10, %r11;",
       [](u64 a, u64 b, u64) { return u64(saturating<s32>(s64(s32(a)) + s32(b))); }},
      {"b32", "b32", "sub.sat.s32 %r22, %r10, %r11;",
       [](u64 a, u64 b, u64) { return u64(saturating<s32>(s64(s32(a)) - s32(b))); }},
      {"b32", "b32", "sub.u32 %r22, %r10, %r11;", [](u64 a, u64 b, u64) { return a - b; }},
      {"b64", "b64", "sub.u64 %rd22, %rd10, %rd11;", [](u64 a, u64 b, u64) { return a - b; }},
      {"b16", "b16", "mul.lo.s16 %rs22, %rs10, %rs11;", [](u64 a, u64 b, u64) { return a * b; }},
      {"b32", "b32", "mul.lo.s32 %r22, %r10, %r11;", [](u64 a, u64 b, u64) { return a * b; }},
      {"b64", "b64", "mul.lo.u64 %rd22, %rd10, %rd11;", [](u64 a, u64 b, u64) { return a * b; }},
      {"b16", "b16", "mul.hi.u16 %rs22, %rs10, %rs11;", [](u64 a, u64 b, u64) { return a * b >> 16; }},
      {"b16", "b16", "mul.hi.s16 %rs22, %rs10, %rs11;",
       [](u64 a, u64 b, u64) { return u64((s32(s16(a)) * s16(b)) >> 16); }},
      {"b32", "b32", "mul.hi.u32 %r22, %r10, %r11;", [](u64 a, u64 b, u64) { return a * b >> 32; }},
      {"b32", "b32", "mul.hi.s32 %r22, %r10, %r11;",
       [](u64 a, u64 b, u64) { return u64(s64(s32(a)) * s32(b) >> 32); }},
      {"b64", "b64", "mul.hi.u64 %rd22, %rd10, %rd11;",
       [](u64 a, u64 b, u64) { return u64(u128(a) * b >> 64); }},
      {"b64", "b64", "mul.hi.s64 %rd22, %rd10, %rd11;",
       [](u64 a, u64 b, u64) { return u64(s128(s64(a)) * s64(b) >> 64); }},
      {"b16", "b32", "mul.wide.s16 %r22, %rs10, %rs11;",
       [](u64 a, u64 b, u64) { return u64(s32(s16(a)) * s16(b)); }},
      {"b16", "b32", "mul.wide.u16 %r22, %rs10, %rs11;",
       [](u64 a, u64 b, u64) { return u64(u32(u16(a)) * u16(b)); }},
      {"b32", "b64", "mul.wide.u32 %rd22, %r10, %r11;", [](u64 a, u64 b, u64) { return a * b; }},
      {"b32", "b64", "mul.wide.s32 %rd22, %r10, %r11;",
       [](u64 a, u64 b, u64) { return u64(s64(s32(a)) * s32(b)); }},
      {"b32", "b32", "mad.lo.s32 %r22, %r10, %r11, %r12;", [](u64 a, u64 b, u64 c) { return a * b + c; }},
      {"b32", "b32", "mad.hi.u32 %r22, %r10, %r11, %r12;",
       [](u64 a, u64 b, u64 c) { return (a * b >> 32) + c; }},
      {"b64", "b64", "mad.lo.s64 %rd22, %rd10, %rd11, %rd12;", [](u64 a, u64 b, u64 c) { return a * b + c; }},
      {"b32", "b32", "mad.hi.sat.s32 %r22, %r10, %r11, %r12;",
       [](u64 a, u64 b, u64 c) { return u64(saturating<s32>((s64(s32(a)) * s32(b) >> 32) + s32(c))); }},
      {"b32", "b64", "cvt.s64.s32 %rd20, %r12; mad.wide.s32 %rd22, %r10, %r11, %rd20;",
       [](u64 a, u64 b, u64 c) { return u64(s64(s32(a)) * s32(b) + s64(s32(c))); }},
      {"b32", "b32", "mul24.lo.u32 %r22, %r10, %r11;",
       [](u64 a, u64 b, u64) { return (a & 0xFFFFFF) * (b & 0xFFFFFF); }},
      {"b32", "b32", "mul24.hi.u32 %r22, %r10, %r11;",
       [](u64 a, u64 b, u64) { return (a & 0xFFFFFF) * (b & 0xFFFFFF) >> 16; }},
      {"b32", "b32", "mad24.lo.s32 %r22, %r10, %r11, %r12;",
       [](u64 a, u64 b, u64 c) { return u64(s64(s32(u32(a) << 8) >> 8) * (s32(u32(b) << 8) >> 8)) + c; }},
      {"b32", "b32", "sad.s32 %r22, %r10, %r11, %r12;",
       [](u64 a, u64 b, u64 c) { return u64(std::abs(s64(s32(a)) - s32(b))) + c; }},
      {"b32", "b32", "sad.u32 %r22, %r10, %r11, %r12;",
       [](u64 a, u64 b, u64 c) { return (a > b ? a - b : b - a) + c; }},
  };
  for (const Case& test : cases) check(test);
}

TEST(Integer, DivideAndCompareSelect) {
  const Case cases[] = {
      {"b32", "b32", "div.u32 %r22, %r10, %r11;", [](u64 a, u64 b, u64) { return b == 0 ? ~u64{0} : a / b; }},
      {"b32", "b32", "div.s32 %r22, %r10, %r11;",
       [](u64 a, u64 b, u64) { return b == 0 ? ~u64{0} : u64(s64(s32(a)) / s32(b)); }},
      {"b64", "b64", "div.u64 %rd22, %rd10, %rd11;",
       [](u64 a, u64 b, u64) { return b == 0 ? ~u64{0} : a / b; }},
      {"b64", "b64", "div.s64 %rd22, %rd10, %rd11;",
       [](u64 a, u64 b, u64) { return b == 0 ? ~u64{0} : u64(s128(s64(a)) / s64(b)); }},
      {"b32", "b32", "rem.u32 %r22, %r10, %r11;", [](u64 a, u64 b, u64) { return b == 0 ? a : a % b; }},
      {"b32", "b32", "rem.s32 %r22, %r10, %r11;",
       [](u64 a, u64 b, u64) { return b == 0 ? a : u64(s64(s32(a)) % s32(b)); }},
      {"b64", "b64", "rem.s64 %rd22, %rd10, %rd11;",
       [](u64 a, u64 b, u64) { return b == 0 ? a : u64(s128(s64(a)) % s64(b)); }},
      {"b16", "b16", "div.s16 %rs22, %rs10, %rs11;",
       [](u64 a, u64 b, u64) { return b == 0 ? ~u64{0} : u64(s32(s16(a)) / s16(b)); }},
      {"b32", "b32", "min.s32 %r22, %r10, %r11;",
       [](u64 a, u64 b, u64) { return u64(std::min(s32(a), s32(b))); }},
      {"b32", "b32", "max.u32 %r22, %r10, %r11;", [](u64 a, u64 b, u64) { return std::max(a, b); }},
      {"b64", "b64", "min.u64 %rd22, %rd10, %rd11;", [](u64 a, u64 b, u64) { return std::min(a, b); }},
      {"b64", "b64", "max.s64 %rd22, %rd10, %rd11;",
       [](u64 a, u64 b, u64) { return u64(std::max(s64(a), s64(b))); }},
      {"b16", "b16", "min.s16 %rs22, %rs10, %rs11;",
       [](u64 a, u64 b, u64) { return u64(std::min(s16(a), s16(b))); }},
      {"b32", "b32", "max.relu.s32 %r22, %r10, %r11;",
       [](u64 a, u64 b, u64) {
         return u64(std::max({s32(a), s32(b), 0}));
       }},
      {"b32", "b32", "min.s16x2 %r22, %r10, %r11;",
       [](u64 a, u64 b, u64) {
         return u64(u16(std::min(s16(a), s16(b)))) | u64(u16(std::min(s16(a >> 16), s16(b >> 16)))) << 16;
       }},
      {"b32", "b32", "max.u16x2 %r22, %r10, %r11;",
       [](u64 a, u64 b, u64) {
         return u64(std::max(u16(a), u16(b))) | u64(std::max(u16(a >> 16), u16(b >> 16))) << 16;
       }},
      {"b32", "b32", "abs.s32 %r22, %r10;", [](u64 a, u64, u64) { return u64(std::abs(s64(s32(a)))); }},
      {"b64", "b64", "neg.s64 %rd22, %rd10;", [](u64 a, u64, u64) { return 0 - a; }},
      {"b32", "b32", "setp.lt.s32 %p1, %r10, %r11; selp.b32 %r22, %r10, %r12, %p1;",
       [](u64 a, u64 b, u64 c) { return s32(a) < s32(b) ? a : c; }},
      {"b32", "b32", "setp.hs.u32 %p1, %r10, %r11; selp.b32 %r22, %r10, %r12, %p1;",
       [](u64 a, u64 b, u64 c) { return a >= b ? a : c; }},
      {"b64", "b64", "setp.ge.s64 %p1, %rd10, %rd11; selp.b64 %rd22, %rd10, %rd12, %p1;",
       [](u64 a, u64 b, u64 c) { return s64(a) >= s64(b) ? a : c; }},
      {"b32", "b32",
       "setp.eq.u32 %p2, %r11, 1; setp.gt.and.u32 %p1|%p3, %r10, 5, %p2; selp.b32 %r20, 1, 0, %p1; selp.b32 "
       "%r21, 2, 0, %p3; or.b32 %r22, %r20, %r21;",
       [](u64 a, u64 b, u64) { return u64((a > 5 && b == 1) | (!(a > 5) && b == 1) << 1); }},
      {"b32", "b32",
       "setp.eq.u32 %p2, %r11, 1; setp.ne.xor.b32 %p1, %r10, 5, !%p2; selp.u32 %r22, 1, 0, %p1;",
       [](u64 a, u64 b, u64) { return u64((a != 5) != (b != 1)); }},
      {"b32", "b32", "set.lt.u32.s32 %r22, %r10, %r11;",
       [](u64 a, u64 b, u64) { return s32(a) < s32(b) ? ~u64{0} : 0; }},
      {"b32", "b32", "set.eq.f32.u32 %f1, %r10, %r11; mov.b32 %r22, %f1;",
       [](u64 a, u64 b, u64) { return a == b ? u64{0x3F800000} : 0; }},
      {"b32", "b32", "slct.u32.s32 %r22, %r10, %r11, %r12;",
       [](u64 a, u64 b, u64 c) { return s32(c) >= 0 ? a : b; }},
  };
  for (const Case& test : cases) check(test);
}

u64 field(u64 a, u64 b, u64 c, int width, bool is_signed) {
  // The text of the PTX ISA, bit by bit.
  const int pos = int(b & 255), len = int(c & 255), msb = width - 1;
  const auto bit = [&](int i) { return a >> i & 1; };
  const u64 sign = is_signed && len != 0 ? bit(std::min(pos + len - 1, msb)) : 0;
  u64 d = 0;
  for (int i = 0; i <= msb; ++i) d |= (i < len && pos + i <= msb ? bit(pos + i) : sign) << i;
  return d;
}

TEST(Integer, BitsAndFields) {
  const Case cases[] = {
      {"b32", "b32", "and.b32 %r22, %r10, %r11;", [](u64 a, u64 b, u64) { return a & b; }},
      {"b64", "b64", "or.b64 %rd22, %rd10, %rd11;", [](u64 a, u64 b, u64) { return a | b; }},
      {"b16", "b16", "xor.b16 %rs22, %rs10, %rs11;", [](u64 a, u64 b, u64) { return a ^ b; }},
      {"b32", "b32", "not.b32 %r22, %r10;", [](u64 a, u64, u64) { return ~a; }},
      {"b32", "b32", "cnot.b32 %r22, %r10;", [](u64 a, u64, u64) { return u64(a == 0); }},
      {"b32", "b32", "lop3.b32 %r22, %r10, %r11, %r12, 0xE8;",
       [](u64 a, u64 b, u64 c) { return (a & b) | (a & c) | (b & c); }},
      {"b32", "b32", "lop3.b32 %r22, %r10, %r11, %r12, 0x2D;",
       [](u64 a, u64 b, u64 c) {
         u64 d = 0;
         for (int i = 0; i < 32; ++i)
           d |= u64(0x2D >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)) & 1) << i;
         return d;
       }},
      {"b32", "b32", "shl.b32 %r22, %r10, %r11;", [](u64 a, u64 b, u64) { return b > 31 ? 0 : a << b; }},
      {"b16", "b16", "cvt.u32.u16 %r20, %rs11; shl.b16 %rs22, %rs10, %r20;",
       [](u64 a, u64 b, u64) { return b > 15 ? 0 : a << b; }},
      {"b32", "b32", "shr.u32 %r22, %r10, %r11;", [](u64 a, u64 b, u64) { return b > 31 ? 0 : a >> b; }},
      {"b32", "b32", "shr.s32 %r22, %r10, %r11;",
       [](u64 a, u64 b, u64) { return u64(s32(a) >> std::min<u64>(b, 31)); }},
      {"b64", "b64", "cvt.u32.u64 %r20, %rd11; shl.b64 %rd22, %rd10, %r20;",
       [](u64 a, u64 b, u64) { return u32(b) > 63 ? 0 : a << u32(b); }},
      {"b64", "b64", "cvt.u32.u64 %r20, %rd11; shr.s64 %rd22, %rd10, %r20;",
       [](u64 a, u64 b, u64) { return u64(s64(a) >> std::min(u32(b), 63u)); }},
      {"b32", "b32", "shf.l.wrap.b32 %r22, %r10, %r11, %r12;",
       [](u64 a, u64 b, u64 c) { return (b << 32 | a) << (c & 31) >> 32; }},
      {"b32", "b32", "shf.r.clamp.b32 %r22, %r10, %r11, %r12;",
       [](u64 a, u64 b, u64 c) { return (b << 32 | a) >> std::min<u64>(c, 32); }},
      {"b32", "b32", "popc.b32 %r22, %r10;", [](u64 a, u64, u64) { return u64(std::popcount(u32(a))); }},
      {"b64", "b32", "popc.b64 %r22, %rd10;", [](u64 a, u64, u64) { return u64(std::popcount(a)); }},
      {"b32", "b32", "clz.b32 %r22, %r10;", [](u64 a, u64, u64) { return u64(std::countl_zero(u32(a))); }},
      {"b64", "b32", "clz.b64 %r22, %rd10;", [](u64 a, u64, u64) { return u64(std::countl_zero(a)); }},
      {"b32", "b32", "bfind.u32 %r22, %r10;",
       [](u64 a, u64, u64) { return u64(31 - std::countl_zero(u32(a))); }},
      {"b32", "b32", "bfind.s32 %r22, %r10;",
       [](u64 a, u64, u64) { return u64(31 - std::countl_zero(s32(a) < 0 ? ~u32(a) : u32(a))); }},
      {"b32", "b32", "bfind.shiftamt.u32 %r22, %r10;",
       [](u64 a, u64, u64) { return a == 0 ? ~u64{0} : u64(std::countl_zero(u32(a))); }},
      {"b64", "b32", "bfind.u64 %r22, %rd10;", [](u64 a, u64, u64) { return u64(63 - std::countl_zero(a)); }},
      {"b32", "b32", "brev.b32 %r22, %r10;",
       [](u64 a, u64, u64) {
         u64 d = 0;
         for (int i = 0; i < 32; ++i) d |= (a >> i & 1) << (31 - i);
         return d;
       }},
      {"b64", "b64", "brev.b64 %rd22, %rd10;",
       [](u64 a, u64, u64) {
         u64 d = 0;
         for (int i = 0; i < 64; ++i) d |= (a >> i & 1) << (63 - i);
         return d;
       }},
      {"b32", "b32", "bfe.u32 %r22, %r10, %r11, %r12;",
       [](u64 a, u64 b, u64 c) { return field(a, b, c, 32, false); }},
      {"b32", "b32", "bfe.s32 %r22, %r10, %r11, %r12;",
       [](u64 a, u64 b, u64 c) { return field(a, b, c, 32, true); }},
      {"b64", "b64", "cvt.u32.u64 %r20, %rd11; cvt.u32.u64 %r21, %rd12; bfe.s64 %rd22, %rd10, %r20, %r21;",
       [](u64 a, u64 b, u64 c) { return field(a, b, c, 64, true); }},
      {"b32", "b32", "bfi.b32 %r22, %r10, %r11, %r12, 5;",
       [](u64 a, u64 b, u64 c) {
         for (u64 i = 0, at = c & 255; i < 5 && at + i < 32; ++i)
           b = (b & ~(u64{1} << (at + i))) | (a >> i & 1) << (at + i);
         return b;
       }},
      {"b32", "b32", "bmsk.clamp.b32 %r22, %r10, %r11;",
       [](u64 a, u64 b, u64) { return a >= 32 ? 0 : ((u64{1} << std::min<u64>(b, 32)) - 1) << a; }},
      {"b32", "b32", "bmsk.wrap.b32 %r22, %r10, %r11;",
       [](u64 a, u64 b, u64) { return ((u64{1} << (b & 31)) - 1) << (a & 31); }},
      {"b32", "b32", "szext.wrap.s32 %r22, %r10, %r11;",
       [](u64 a, u64 b, u64) {
         return (b & 31) == 0 ? 0 : u64(s32(u32(a) << (32 - (b & 31))) >> (32 - (b & 31)));
       }},
      {"b32", "b32", "prmt.b32 %r22, %r10, %r11, %r12;",
       [](u64 a, u64 b, u64 c) { return u64(rotate_pick(u32(a), u32(b), u32(c))); }},
      {"b32", "b32", "prmt.b32.f4e %r22, %r10, %r11, %r12;",
       [](u64 a, u64 b, u64 c) { return (b << 32 | a) >> (8 * (c & 3)); }},
      {"b32", "b32", "fns.b32 %r22, %r10, 3, 2;",
       [](u64 a, u64, u64) {
         int seen = 0;
         for (u64 i = 3; i < 32; ++i)
           if (a >> i & 1 && ++seen == 2) return i;
         return ~u64{0};
       }},
      {"b32", "b32", "dp4a.u32.s32 %r22, %r10, %r11, %r12;",
       [](u64 a, u64 b, u64 c) {
         for (int k = 0; k < 4; ++k) c += u64(s32(u8(a >> 8 * k)) * s32(s8(b >> 8 * k)));
         return c;
       }},
      {"b32", "b32", "dp2a.hi.s32.u32 %r22, %r10, %r11, %r12;",
       [](u64 a, u64 b, u64 c) {
         return c + u64(s32(s16(a)) * s32(u8(b >> 16))) + u64(s32(s16(a >> 16)) * s32(u8(b >> 24)));
       }},
  };
  for (const Case& test : cases) check(test);
}

TEST(Integer, CarryChains) {
  const Case cases[] = {
      // 96-bit sums and differences from three 32-bit pieces.
      {"b32", "b32", "add.cc.u32 %r20, %r10, %r11; addc.cc.u32 %r21, %r11, %r12; addc.u32 %r22, %r10, 0;",
       [](u64 a, u64 b, u64 c) { return a + ((b + c + ((a + b) >> 32)) >> 32); }},
      {"b32", "b32", "sub.cc.u32 %r20, %r10, %r11; subc.cc.u32 %r21, %r11, %r12; subc.u32 %r22, %r10, 0;",
       [](u64 a, u64 b, u64 c) { return a - u64(b < c + u64(a < b)); }},
      {"b64", "b64", "add.cc.u64 %rd20, %rd10, %rd11; addc.u64 %rd22, %rd12, 0;",
       [](u64 a, u64 b, u64 c) { return c + u64((u128(a) + b) >> 64); }},
      {"b32", "b32", "mad.lo.cc.u32 %r20, %r10, %r11, %r12; madc.hi.u32 %r22, %r10, %r11, 0;",
       [](u64 a, u64 b, u64 c) { return (a * b + c) >> 32; }},
  };
  for (const Case& test : cases) check(test);
}

TEST(Integer, ConvertAndPack) {
  const Case cases[] = {
      {"b32", "b64", "cvt.s64.s32 %rd22, %r10;", [](u64 a, u64, u64) { return u64(s64(s32(a))); }},
      {"b32", "b64", "cvt.u64.u32 %rd22, %r10;", [](u64 a, u64, u64) { return a; }},
      {"b64", "b32", "cvt.u32.u64 %r22, %rd10;", [](u64 a, u64, u64) { return a; }},
      {"b32", "b32", "cvt.s32.s8 %r22, %r10;", [](u64 a, u64, u64) { return u64(s32(s8(a))); }},
      {"b32", "b32", "cvt.u32.s8 %r22, %r10;", [](u64 a, u64, u64) { return u64(s32(s8(a))); }},
      {"b32", "b64", "cvt.u32.s8 %rd22, %r10;", [](u64 a, u64, u64) { return u64(u32(s32(s8(a)))); }},
      {"b32", "b32", "cvt.u8.u32 %r22, %r10;", [](u64 a, u64, u64) { return a & 255; }},
      {"b32", "b16", "cvt.u16.u32 %rs22, %r10;", [](u64 a, u64, u64) { return a; }},
      {"b16", "b32", "cvt.s32.s16 %r22, %rs10;", [](u64 a, u64, u64) { return u64(s32(s16(a))); }},
      {"b16", "b64", "cvt.s64.s16 %rd22, %rs10;", [](u64 a, u64, u64) { return u64(s64(s16(a))); }},
      {"b32", "b32", "cvt.sat.u8.s32 %r22, %r10;",
       [](u64 a, u64, u64) { return u64(saturating<u8>(s32(a))); }},
      {"b32", "b32", "cvt.sat.s8.s32 %r22, %r10;",
       [](u64 a, u64, u64) { return u64(s32(saturating<s8>(s32(a)))); }},
      {"b64", "b32", "cvt.sat.s32.s64 %r22, %rd10;",
       [](u64 a, u64, u64) { return u64(saturating<s32>(s64(a))); }},
      {"b32", "b64", "mov.b64 %rd22, {%r10, %r11};", [](u64 a, u64 b, u64) { return a | b << 32; }},
      {"b64", "b32", "mov.b64 {%r20, %r22}, %rd10;", [](u64 a, u64, u64) { return a >> 32; }},
      {"b64", "b32", "mov.b64 {%r22, _}, %rd10;", [](u64 a, u64, u64) { return a; }},
      {"b16", "b32", "mov.b32 %r22, {%rs10, %rs11};", [](u64 a, u64 b, u64) { return a | b << 16; }},
      {"b16", "b64", "mov.b64 %rd22, {%rs10, %rs11, %rs12, %rs10};",
       [](u64 a, u64 b, u64 c) { return a | b << 16 | c << 32 | a << 48; }},
      {"b64", "b64", "{ .reg .b128 %q; mov.b128 %q, {%rd10, %rd11}; mov.b128 {%rd20, %rd22}, %q; }",
       [](u64, u64 b, u64) { return b; }},
  };
  for (const Case& test : cases) check(test);
}

}  // namespace
}  // namespace gpuprobe::simt
