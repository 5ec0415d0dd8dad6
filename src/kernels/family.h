// A kernel family is what the user names on the command line: a set of parameters with ranges, a function
// that turns their values into a Kernel, and the variants whose answer is planted (they drive the tests). To
// add one: a folder with kernel.cu and spec.cpp; spec.cpp defines `KernelFamily <folder>_family()`.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel.h"
#include "core/result.h"

namespace gpuprobe {

struct Parameter {
  enum class Kind {
    kInteger,          ///< --tile 32
    kNumber,           ///< --alpha 2.5
    kChoice,           ///< --variant tiled
    kFlag,             ///< --swizzle
    kPair,             ///< --block 32,8
    kOptionalInteger,  ///< --pad (1) or --pad 4
  };
  std::string name;  ///< long option without dashes; one-letter names become short options
  Kind kind = Kind::kInteger;
  std::string default_value;  ///< as typed; "" = not given
  std::string help;
  std::int64_t minimum = 0;  ///< kInteger, kPair, kOptionalInteger
  std::int64_t maximum = 0;
  std::vector<std::string> choices;  ///< kChoice
};

/// The values of one invocation, already validated against the parameters. A parameter that was not given has
/// its default; it is absent only if it has none.
class ParameterValues {
 public:
  ParameterValues() = default;
  explicit ParameterValues(std::map<std::string, std::string, std::less<>> values)
      : values_(std::move(values)) {}
  void set(std::string name, std::string value) {
    values_.insert_or_assign(std::move(name), std::move(value));
  }
  bool given(std::string_view name) const { return values_.find(name) != values_.end(); }
  /// As validated: "", 0, 0.0, false and {0, 0} if absent (or of another kind).
  std::string text(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  double number(std::string_view name) const;
  bool flag(std::string_view name) const;
  std::pair<std::int64_t, std::int64_t> pair(std::string_view name) const;
  const std::map<std::string, std::string, std::less<>>& all() const { return values_; }

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

/// A variant whose right answer is known. Where it depends on the device (registers, residency), it is the
/// answer for an H200 (sm_90), on which it was measured.
struct PlantedVariant {
  std::string options;              ///< "--tile 32 --pad"
  std::string finding;              ///< finding kind, or "none" (nothing limiting or present)
  std::vector<std::string> also;    ///< further true findings
  std::vector<std::string> expect;  ///< "global.load.sectors_per_request == 4"
};

struct KernelFamily {
  std::string name;
  std::string summary;      ///< one line for `list`
  std::string description;  ///< what it shows, for `KERNEL --help`
  Source source;
  std::vector<Parameter> parameters;
  /// kUsage if the combination makes no sense; the message names the options.
  std::function<Result<Kernel>(const ParameterValues&)> build;
  std::vector<PlantedVariant> planted;
};

/// All families, sorted by name. Written by CMake from the folders of src/kernels.
const std::vector<KernelFamily>& kernel_families();
/// nullptr if there is none of this name.
const KernelFamily* find_kernel_family(std::string_view name);
/// Validates `given` (name -> text as typed) against the parameters and fills in defaults.
/// Errors: kUsage naming the option, the value and the allowed range.
Result<ParameterValues> validate(const KernelFamily& family,
                                 const std::map<std::string, std::string, std::less<>>& given);

}  // namespace gpuprobe
