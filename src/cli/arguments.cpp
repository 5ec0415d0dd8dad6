#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <vector>

namespace gpuprobe::cli {

Argument* Argument::type_name(const std::string& placeholder) {
  option_->type_name(placeholder);
  return this;
}

Argument* Argument::group(const std::string& heading) {
  option_->group(heading);
  return this;
}

Argument* Argument::check(const Check& check) {
  option_->check(check);
  return this;
}

Argument* Argument::expected(int fewest, int most) {
  option_->expected(fewest, most);
  return this;
}

Argument* Argument::delimiter(char separator) {
  option_->delimiter(separator);
  return this;
}

Argument* Argument::allow_extra_args(bool allowed) {
  option_->allow_extra_args(allowed);
  return this;
}

Argument* Argument::required() {
  option_->required();
  return this;
}

template <class T>
Argument add_option(CLI::App& app, const std::string& names, T& target, const std::string& help) {
  return Argument(*app.add_option(names, target, help));
}

template Argument add_option(CLI::App&, const std::string&, int&, const std::string&);
template Argument add_option(CLI::App&, const std::string&, std::uint32_t&, const std::string&);
template Argument add_option(CLI::App&, const std::string&, std::uint64_t&, const std::string&);
template Argument add_option(CLI::App&, const std::string&, double&, const std::string&);
template Argument add_option(CLI::App&, const std::string&, std::string&, const std::string&);
template Argument add_option(CLI::App&, const std::string&, std::vector<std::string>&, const std::string&);

Argument add_flag(CLI::App& app, const std::string& names, bool& target, const std::string& help) {
  return Argument(*app.add_flag(names, target, help));
}

void set_footer(CLI::App& app, const std::string& text) {
  app.footer(text);
}

CLI::App& add_subcommand(CLI::App& app, const std::string& name, const std::string& summary,
                         const std::string& group) {
  return *app.add_subcommand(name, summary)->group(group);
}

}  // namespace gpuprobe::cli
