#include "diagnose/topics.h"

#include <algorithm>

#include "core/finding.h"
#include "diagnose/bounds.h"
#include "diagnose/ranking.h"
#include "diagnose/rule.h"
#include "diagnose/topics/page.h"

namespace gpuprobe::diagnose {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::string_view kToSee = "\nTo see it\n";

bool is_finding(const Topic& topic) {
  return std::any_of(topic.names.begin(), topic.names.end(),
                     [](const std::string& name) { return finding_kind_from_string(name).has_value(); });
}

bool has_name(const Topic& topic, std::string_view name) {
  return std::find(topic.names.begin(), topic.names.end(), name) != topic.names.end();
}

std::vector<std::string> thresholds_of(const Topic& topic) {
  std::vector<std::string> all;
  for (const Rule& rule : rules())
    if (std::any_of(rule.kinds.begin(), rule.kinds.end(),
                    [&topic](FindingKind kind) { return has_name(topic, to_string(kind)); }))
      all.insert(all.end(), rule.thresholds.begin(), rule.thresholds.end());
  const auto append = [&all](const std::vector<std::string>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  if (has_name(topic, "severity")) append(severity_thresholds());
  if (has_name(topic, "bounds")) append(bound_thresholds());
  return all;
}

/// "  - text" broken into lines of at most kColumns.
std::string as_item(const std::string& text) {
  std::string out = "  -";
  std::size_t column = out.size();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (column + 1 + (end - at) > kColumns) {
      out += "\n   ";
      column = 3;
    }
    out += " " + text.substr(at, end - at);
    column += 1 + (end - at);
    at = end + 1;
  }
  return out + "\n";
}

Topic parse(const TopicPage& page) {
  Topic topic;
  const std::size_t end = page.text.find('\n');
  const std::string_view heading = page.text.substr(0, end);
  const std::size_t colon = heading.find(": ");
  topic.summary = std::string(heading.substr(colon + 2));
  for (std::size_t at = 0; at < colon;) {
    const std::size_t comma = std::min(heading.find(", ", at), colon);
    topic.names.emplace_back(heading.substr(at, comma - at));
    at = comma + 2;
  }
  topic.text = std::string(page.text.substr(end + 1));
  if (const auto thresholds = thresholds_of(topic); !thresholds.empty()) {
    std::string section = "\nThresholds\n";
    for (const std::string& threshold : thresholds) section += as_item(threshold);
    topic.text.insert(std::min(topic.text.find(kToSee), topic.text.size()), section);
  }
  topic.text = topic.names.front() + ": " + topic.summary + "\n" + topic.text;
  return topic;
}

}  // namespace

const std::vector<Topic>& topics() {
  static const std::vector<Topic> kTopics = [] {
    std::vector<Topic> all;
    for (const TopicPage& page : topic_pages()) all.push_back(parse(page));
    std::stable_sort(all.begin(), all.end(), [](const Topic& a, const Topic& b) {
      if (is_finding(a) != is_finding(b)) return is_finding(a);
      return a.names.front() < b.names.front();
    });
    return all;
  }();
  return kTopics;
}

const Topic* find_topic(std::string_view name) {
  for (const Topic& topic : topics())
    if (has_name(topic, name)) return &topic;
  return nullptr;
}

}  // namespace gpuprobe::diagnose
