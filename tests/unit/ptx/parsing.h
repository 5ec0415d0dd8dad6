// Shorthands for tests that parse hand-written PTX.
//
//   const auto function = body("mov.b32 %r1, 7;");
//   EXPECT_THAT(refusal_in_body("bra NOWHERE;"), HasSubstr("no label"));
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "model/ptx/parser.h"

namespace gpuprobe::ptx {

inline const std::string kHeader = ".version 8.5\n.target sm_90a, debug\n.address_size 64\n";

inline Module parsed(const std::string& text) {
  auto module = parse(kHeader + text);
  EXPECT_TRUE(module.has_value()) << (module ? "" : module.error().what);
  return module ? *std::move(module) : Module{};
}

// The body of an entry `k(.param .u64 p)` with registers of every kind.
inline Function body(const std::string& text) {
  auto module = parsed(
      ".extern .shared .align 16 .b8 dyn[];\n.global .u32 g;\n.extern .func (.param .b32 r) f(.param .b64 "
      "a);\n"
      ".visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<40>;\n.reg .f32 %f<9>;\n"
      ".reg .b64 %rd<9>;\n" +
      text + "\n}\n");
  const auto* function = module.find("k");
  return function ? *function : Function{};
}

inline Instruction instruction(const std::string& text) {
  const auto function = body(text);
  return function.body.empty() ? Instruction{} : function.body.front();
}

inline std::string refusal(const std::string& text) {
  const auto module = parse(kHeader + text);
  return module ? "(accepted)" : module.error().what;
}

inline std::string refusal_in_body(const std::string& text) {
  return refusal(".entry k()\n{\n.reg .pred %p<4>;\n.reg .b32 %r<40>;\n" + text + "\n}\n");
}

}  // namespace gpuprobe::ptx
