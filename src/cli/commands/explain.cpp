// `gpuprobe explain TOPIC`: what a finding means, how it is decided and how to cure it.
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/suggest.h"
#include "cli/table.h"
#include "diagnose/topics.h"

namespace gpuprobe::cli {
namespace {

std::string list_topics() {
  Table table({"topic", "what it explains"});
  for (const diagnose::Topic& topic : diagnose::topics()) table.add({topic.names.front(), topic.summary});
  return render(table, TableFormat::kText);
}

Result<int> explain(const std::string& name) {
  if (name.empty()) return write_stdout(list_topics()).map([] { return 0; });
  if (const diagnose::Topic* topic = diagnose::find_topic(name))
    return write_stdout(topic->text).map([] { return 0; });
  std::vector<std::string> names;
  for (const diagnose::Topic& topic : diagnose::topics())
    names.insert(names.end(), topic.names.begin(), topic.names.end());
  return fail(ErrorCode::kUsage, "there is no topic '" + name + "'" + did_you_mean(name, names),
              "list them with gpuprobe explain");
}

void define(CLI::App& app, Actions& actions) {
  auto name = std::make_shared<std::string>();
  app.add_option("TOPIC", *name, "a finding or a notion; without it, all topics are listed");
  actions[&app] = [name] { return explain(*name); };
}

}  // namespace

Command explain_command() {
  return {"explain", "what a finding means, how it is decided, how to cure it", kAskGroup, define};
}

}  // namespace gpuprobe::cli
