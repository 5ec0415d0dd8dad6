#include "kernels/user/result_check.h"

#include <fmt/format.h>

#include <filesystem>
#include <regex>

#include "core/buffers.h"
#include "kernels/user/expression.h"

namespace gpuprobe::user {

Status add_result_check(std::string_view text, std::string_view base_directory, Kernel& kernel) {
  static const std::regex kForm(R"re(\s*(\w+)\s*==\s*file\(\s*"([^"]+)"\s*\)\s*(?:within\s+(\S+)\s*)?)re");
  std::cmatch match;
  const bool matches =
      text.size() < 4096 && std::regex_match(text.data(), text.data() + text.size(), match, kForm);
  if (!matches)
    return fail(ErrorCode::kUsage, fmt::format("check '{}' cannot be read", text.substr(0, 200)),
                "Write 'buffer == file(\"expected.bin\") within 1e-5'.");
  std::size_t index = 0;
  while (index < kernel.buffers.size() && kernel.buffers[index].name != match[1].str()) ++index;
  if (index == kernel.buffers.size())
    return fail(ErrorCode::kUsage, fmt::format("check '{}': there is no buffer '{}'", text, match[1].str()),
                "Name one of the buffers in args.");
  ResultCheck check;
  if (match[3].matched) {
    const auto bound = evaluate(match[3].str(), {});
    if (!bound || as_double(*bound) < 0)
      return fail(ErrorCode::kUsage, fmt::format("check '{}': '{}' is not a bound", text, match[3].str()),
                  "Write a non-negative number after 'within'.");
    check.relative_bound = as_double(*bound);
    check.absolute_bound = as_double(*bound);
  }
  const std::filesystem::path path(match[2].str());
  Buffer reference = kernel.buffers[index];
  reference.name = "expected " + reference.name;
  reference.init = BufferInit{BufferInit::Kind::kFile};
  reference.init.path =
      path.is_absolute() ? path.string() : (std::filesystem::path(base_directory) / path).string();
  check.buffer = index;
  check.reference = fmt::format("compared with {}", path.string());
  const std::size_t reference_index = kernel.buffers.size();
  check.expected = [reference_index](const HostBuffers& initial, std::uint64_t element) {
    return initial.element(reference_index, element);
  };
  kernel.buffers.push_back(std::move(reference));
  kernel.checks.push_back(std::move(check));
  return {};
}

}  // namespace gpuprobe::user
