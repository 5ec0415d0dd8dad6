// Options of a command, declared without the headers of the parser (CLI11), which take seconds to compile.
//
//   add_option(app, "--tile", tile, "rows of the tile")->type_name("N")->check(whole_number(1, 32, "rows"));
#pragma once

#include <functional>
#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gpuprobe::cli {

/// What is wrong with a typed value; "" if nothing is.
using Check = std::function<std::string(const std::string&)>;

/// An option that was just declared; each call refines it.
class Argument {
 public:
  explicit Argument(CLI::Option& option) : option_(&option) {}
  Argument* operator->() { return this; }

  Argument* type_name(const std::string& placeholder);
  Argument* group(const std::string& heading);
  Argument* check(const Check& check);
  Argument* expected(int fewest, int most);
  Argument* delimiter(char separator);
  Argument* allow_extra_args(bool allowed);
  Argument* required();

 private:
  CLI::Option* option_;
};

/// An option with a value, kept in `target`, which must outlive the parsing. For the types that
/// arguments.cpp lists.
template <class T>
Argument add_option(CLI::App& app, const std::string& names, T& target, const std::string& help);

Argument add_flag(CLI::App& app, const std::string& names, bool& target, const std::string& help);

/// The paragraphs below the options in the help.
void set_footer(CLI::App& app, const std::string& text);

/// A command below `app`, listed under `group`.
CLI::App& add_subcommand(CLI::App& app, const std::string& name, const std::string& summary,
                         const std::string& group);

}  // namespace gpuprobe::cli
