#include "model/ptx/graph.h"

#include <algorithm>
#include <utility>

namespace gpuprobe::ptx {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// Tarjan's algorithm with its own stack: a hostile graph may be a chain of any length. One object serves many
// calls, so that a call costs what its members cost and not what the graph does.
class ComponentFinder {
 public:
  explicit ComponentFinder(const Graph& graph)
      : graph_(graph), index_(graph.size(), kOutside), low_(graph.size(), 0), open_(graph.size(), false) {}

  std::vector<std::vector<int>> find(const std::vector<int>& members) {
    for (int node : members) index_[at(node)] = kNew;
    // The last member first: the result is turned round, so that unordered components keep the order of the
    // numbers.
    for (auto node = members.rbegin(); node != members.rend(); ++node)
      if (index_[at(*node)] == kNew) search(*node);
    for (int node : members) index_[at(node)] = kOutside;
    std::reverse(components_.begin(), components_.end());
    return std::exchange(components_, {});
  }

 private:
  static constexpr int kOutside = -2;
  static constexpr int kNew = -1;

  void enter(int node) {
    index_[at(node)] = low_[at(node)] = next_++;
    open_[at(node)] = true;
    path_.push_back(node);
    calls_.emplace_back(node, 0);
  }

  void search(int root) {
    enter(root);
    while (!calls_.empty()) {
      const int node = calls_.back().first;
      const auto& successors = graph_[at(node)];
      if (calls_.back().second < successors.size()) {
        const int next = successors[calls_.back().second++];
        if (at(next) >= graph_.size() || index_[at(next)] == kOutside) continue;
        if (index_[at(next)] == kNew)
          enter(next);
        else if (open_[at(next)])
          low_[at(node)] = std::min(low_[at(node)], index_[at(next)]);
        continue;
      }
      calls_.pop_back();
      if (!calls_.empty()) {
        const int caller = calls_.back().first;
        low_[at(caller)] = std::min(low_[at(caller)], low_[at(node)]);
      }
      if (low_[at(node)] == index_[at(node)]) close(node);
    }
  }

  void close(int root) {
    std::vector<int> component;
    int node;
    do {
      node = path_.back();
      path_.pop_back();
      open_[at(node)] = false;
      component.push_back(node);
    } while (node != root);
    std::sort(component.begin(), component.end());
    components_.push_back(std::move(component));
  }

  const Graph& graph_;
  std::vector<int> index_;
  std::vector<int> low_;
  std::vector<bool> open_;
  std::vector<int> path_;
  std::vector<std::pair<int, std::size_t>> calls_;
  std::vector<std::vector<int>> components_;
  int next_ = 0;
};

bool has_edge(const Graph& graph, int from, int to) {
  const auto& successors = graph[at(from)];
  return std::find(successors.begin(), successors.end(), to) != successors.end();
}

std::vector<int> numbers(std::size_t count) {
  std::vector<int> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<int>(i);
  return all;
}

// Predecessors of every node and of the exit, with the edges to the exit that post_dominators() promises to
// add.
Graph predecessors_with_exit(const Graph& graph) {
  const auto count = graph.size();
  const int exit = static_cast<int>(count);
  Graph before(count + 1);
  for (std::size_t node = 0; node < count; ++node)
    for (int next : graph[node]) before[at(next)].push_back(static_cast<int>(node));

  std::vector<bool> leaves(count + 1, false);
  leaves[count] = true;
  std::vector<int> work = {exit};
  const auto spread = [&] {
    while (!work.empty()) {
      const int node = work.back();
      work.pop_back();
      for (int previous : before[at(node)])
        if (!leaves[at(previous)]) {
          leaves[at(previous)] = true;
          work.push_back(previous);
        }
    }
  };
  spread();
  std::vector<int> stuck;
  for (int node : numbers(count))
    if (!leaves[at(node)]) stuck.push_back(node);
  // From the last component on: one that already leads into a closed one needs no exit of its own.
  const auto components = strong_components(graph, stuck);
  for (auto component = components.rbegin(); component != components.rend(); ++component) {
    const int last = component->back();
    if (leaves[at(last)]) continue;
    before[count].push_back(last);
    leaves[at(last)] = true;
    work.push_back(last);
    spread();
  }
  return before;
}

}  // namespace

std::vector<std::vector<int>> strong_components(const Graph& graph, const std::vector<int>& members) {
  return ComponentFinder(graph).find(members);
}

// Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm", on the reversed graph from the exit.
std::vector<int> post_dominators(const Graph& graph) {
  const int exit = static_cast<int>(graph.size());
  const Graph before = predecessors_with_exit(graph);
  Graph after(graph.size() + 1);
  for (std::size_t node = 0; node < before.size(); ++node)
    for (int previous : before[node]) after[at(previous)].push_back(static_cast<int>(node));

  std::vector<int> order;  // post-order of the reversed graph: the exit comes last
  std::vector<int> rank(before.size(), -1);
  std::vector<bool> seen(before.size(), false);
  std::vector<std::pair<int, std::size_t>> calls = {{exit, 0}};
  seen[at(exit)] = true;
  while (!calls.empty()) {
    auto& [node, next] = calls.back();
    if (next < before[at(node)].size()) {
      const int previous = before[at(node)][next++];
      if (!seen[at(previous)]) {
        seen[at(previous)] = true;
        calls.emplace_back(previous, 0);
      }
      continue;
    }
    rank[at(node)] = static_cast<int>(order.size());
    order.push_back(node);
    calls.pop_back();
  }

  std::vector<int> dominator(before.size(), -1);
  dominator[at(exit)] = exit;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto it = order.rbegin() + 1; it != order.rend(); ++it) {
      int meet = -1;
      for (int next : after[at(*it)]) {
        if (dominator[at(next)] < 0) continue;
        if (meet < 0) {
          meet = next;
          continue;
        }
        int other = next;
        while (meet != other) {
          while (rank[at(meet)] < rank[at(other)]) meet = dominator[at(meet)];
          while (rank[at(other)] < rank[at(meet)]) other = dominator[at(other)];
        }
      }
      if (dominator[at(*it)] != meet) {
        dominator[at(*it)] = meet;
        changed = true;
      }
    }
  }
  dominator.pop_back();
  return dominator;
}

Schedule schedule(const Graph& graph) {
  constexpr int kDeepest = 64;
  Schedule result{std::vector<int>(graph.size(), -1), std::vector<int>(graph.size(), -1)};
  Graph open = graph;  // loses the edges that close the loops already ordered
  Graph before(graph.size());
  for (std::size_t node = 0; node < graph.size(); ++node)
    for (int next : graph[node])
      if (at(next) < graph.size()) before[at(next)].push_back(static_cast<int>(node));

  // What is left to place, last first. Depth 0 is the whole function; `entry` >= 0 marks the end of its loop.
  struct Item {
    std::vector<int> members;
    int depth = 0;
    int entry = -1;
  };
  std::vector<Item> work;
  ComponentFinder finder(open);
  const auto push_components = [&](const std::vector<int>& members, int depth) {
    auto components = finder.find(members);
    for (auto component = components.rbegin(); component != components.rend(); ++component)
      work.push_back({std::move(*component), depth, -1});
  };
  push_components(numbers(graph.size()), 0);

  int next_position = 0;
  while (!work.empty()) {
    Item item = std::move(work.back());
    work.pop_back();
    if (item.entry >= 0) {
      result.latch[at(item.entry)] = next_position++;
      continue;
    }
    const auto& members = item.members;
    if (members.size() == 1 && !has_edge(open, members[0], members[0])) {
      result.position[at(members[0])] = next_position++;
      continue;
    }
    if (item.depth >= kDeepest) {
      for (int node : members) result.position[at(node)] = next_position++;
      // Any of them may be jumped back to, so each gets a latch behind them all, the innermost (last) first.
      for (auto node = members.rbegin(); node != members.rend(); ++node)
        result.latch[at(*node)] = next_position++;
      continue;
    }
    const auto inside = [&](int node) { return std::binary_search(members.begin(), members.end(), node); };
    int entry = -1;
    for (int node : members) {
      bool entered = node == 0;
      for (int previous : before[at(node)]) entered = entered || !inside(previous);
      if (entered) {
        entry = node;
        break;
      }
    }
    if (entry < 0) entry = members.front();  // unreachable
    for (int node : members) std::erase(open[at(node)], entry);
    work.push_back({{}, 0, entry});
    push_components(members, item.depth + 1);
  }
  return result;
}

}  // namespace gpuprobe::ptx
