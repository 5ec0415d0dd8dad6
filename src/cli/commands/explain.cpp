// `gpuprobe explain TOPIC`: what a finding means, how it is decided and how to cure it.
#include <string>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/table.h"
#include "diagnose/topics.h"

namespace gpuprobe::cli {
namespace {

std::string list_topics() {
  Table table({"topic", "what it explains"});
  for (const diagnose::Topic& topic : diagnose::topics()) table.add({topic.names.front(), topic.summary});
  return render(table, TableFormat::kText);
}

// A topic is a command of its own, for some have the name of a command ("banks"), which the parser takes
// first.
void define(CLI::App& app, Actions& actions) {
  actions[&app] = [] { return write_stdout(list_topics()).map([] { return 0; }); };
  for (const diagnose::Topic& topic : diagnose::topics())
    for (const std::string& name : topic.names) {
      CLI::App& sub = add_subcommand(app, name, topic.summary, "Topics");
      set_footer(sub, "");  // not the description of the whole program
      actions[&sub] = [&topic] { return write_stdout(topic.text).map([] { return 0; }); };
    }
}

}  // namespace

Command explain_command() {
  return {"explain", "what a finding means, how it is decided, how to cure it", kAskGroup, define};
}

}  // namespace gpuprobe::cli
