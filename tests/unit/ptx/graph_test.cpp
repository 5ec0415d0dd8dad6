// Post-dominators and execution order against their definitions, on random graphs.
#include "model/ptx/graph.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

namespace gpuprobe::ptx {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// Nodes that a walk from `from` can stand on without ever standing on `without`; the exit is graph.size().
std::vector<bool> reachable(const Graph& graph, int from, int without = -1) {
  std::vector<bool> seen(graph.size() + 1, false);
  std::vector<int> work;
  const auto visit = [&](int node) {
    if (node == without || seen[at(node)]) return;
    seen[at(node)] = true;
    if (at(node) < graph.size()) work.push_back(node);
  };
  visit(from);
  while (!work.empty()) {
    const int node = work.back();
    work.pop_back();
    for (int next : graph[at(node)]) visit(next);
  }
  return seen;
}

// The graph with the promised extra edges to the exit, straight from the sentence in the header.
Graph with_exits(Graph graph) {
  const int count = static_cast<int>(graph.size());
  const Graph original = graph;
  for (int node = 0; node < count; ++node) {
    const auto from = reachable(original, node);
    if (from[at(count)]) continue;
    bool closed = true;  // everything that it reaches comes back
    bool highest = true;
    for (int other = 0; other < count; ++other) {
      if (!from[at(other)]) continue;
      closed = closed && reachable(original, other)[at(node)];
      highest = highest && other <= node;
    }
    if (closed && highest) graph[at(node)].push_back(count);
  }
  return graph;
}

std::vector<int> post_dominators_by_definition(const Graph& original) {
  const Graph graph = with_exits(original);
  const int exit = static_cast<int>(graph.size());
  std::vector<std::set<int>> all(graph.size());  // strict post-dominators
  for (int node = 0; node < exit; ++node) {
    all[at(node)].insert(exit);
    for (int other = 0; other < exit; ++other)
      if (other != node && !reachable(graph, node, other)[at(exit)]) all[at(node)].insert(other);
  }
  std::vector<int> nearest;
  for (int node = 0; node < exit; ++node)
    for (int candidate : all[at(node)]) {
      // The nearest one is post-dominated by all the others.
      auto others = all[at(node)];
      others.erase(candidate);
      const auto above = candidate == exit ? std::set<int>{} : all[at(candidate)];
      if (std::includes(above.begin(), above.end(), others.begin(), others.end())) {
        nearest.push_back(candidate);
        break;
      }
    }
  return nearest;
}

// Over the whole range from the first case on: small graphs hold nothing that could go wrong.
int pick(int from, int end) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(from, end));
}

Graph random_graph(int most_nodes, bool acyclic) {
  const int count = pick(1, most_nodes);
  Graph graph(at(count));
  for (int node = 0; node < count; ++node) {
    const int degree = pick(0, 4);
    std::set<int> next;
    for (int i = 0; i < degree; ++i) next.insert(pick(acyclic ? node + 1 : 0, count + 1));
    graph[at(node)].assign(next.begin(), next.end());
  }
  return graph;
}

RC_GTEST_PROP(PostDominators, equal_their_definition, ()) {
  const Graph graph = random_graph(14, false);
  RC_ASSERT(post_dominators(graph) == post_dominators_by_definition(graph));
}

TEST(PostDominators, of_plain_shapes) {
  EXPECT_EQ(post_dominators({}), std::vector<int>{});
  EXPECT_EQ(post_dominators({{1}}), std::vector<int>{1});
  EXPECT_EQ(post_dominators({{0}}), std::vector<int>{1});                          // an endless loop
  EXPECT_EQ(post_dominators({{1, 2}, {3}, {3}, {4}}), (std::vector{3, 3, 3, 4}));  // if/else
  EXPECT_EQ(post_dominators({{1}, {1, 2}, {3}}), (std::vector{1, 2, 3}));          // do/while
  EXPECT_EQ(post_dominators({{1, 2}, {3}, {1}}), (std::vector{1, 3, 1}));          // two ways into one exit
}

TEST(PostDominators, of_a_chain_of_a_hundred_thousand) {
  constexpr int kCount = 100000;
  Graph graph(kCount);
  for (int i = 0; i < kCount; ++i) graph[at(i)] = {i + 1};
  const auto result = post_dominators(graph);
  for (int i = 0; i < kCount; ++i) ASSERT_EQ(result[at(i)], i + 1);
  const auto order = schedule(graph);
  for (int i = 0; i < kCount; ++i) ASSERT_EQ(order.position[at(i)], i);
}

RC_GTEST_PROP(Schedule, leads_forward_but_where_a_loop_closes, ()) {
  const Graph graph = random_graph(16, false);
  const auto order = schedule(graph);
  std::set<int> used;
  for (std::size_t node = 0; node < graph.size(); ++node) {
    RC_ASSERT(order.position[node] >= 0);
    RC_ASSERT(used.insert(order.position[node]).second);
    if (order.latch[node] >= 0) RC_ASSERT(used.insert(order.latch[node]).second);
    for (int next : graph[node]) {
      if (at(next) == graph.size() || order.position[node] < order.position[at(next)]) continue;
      RC_ASSERT(order.latch[at(next)] > order.position[node]);
    }
  }
}

RC_GTEST_PROP(Schedule, keeps_loops_together, ()) {
  const Graph graph = random_graph(16, false);
  const auto order = schedule(graph);
  for (std::size_t entry = 0; entry < graph.size(); ++entry) {
    if (order.latch[entry] < 0) continue;
    for (std::size_t node = 0; node < graph.size(); ++node)
      if (order.position[node] > order.position[entry] && order.position[node] < order.latch[entry]) {
        RC_ASSERT(reachable(graph, static_cast<int>(node))[entry]);
        RC_ASSERT(reachable(graph, static_cast<int>(entry))[node]);
      }
  }
}

// The point of the order: where nothing loops, lanes that run by position go through every node together.
RC_GTEST_PROP(Schedule, runs_every_node_once_for_all_lanes, ()) {
  const Graph graph = random_graph(16, true);
  const auto order = schedule(graph);
  std::vector<int> lanes(8, 0);  // where each stands
  std::vector<int> runs(graph.size(), 0);
  for (;;) {
    int now = -1;
    for (int lane : lanes)
      if (at(lane) < graph.size() && (now < 0 || order.position[at(lane)] < order.position[at(now)]))
        now = lane;
    if (now < 0) break;
    ++runs[at(now)];
    const auto& next = graph[at(now)];
    for (int& lane : lanes)
      if (lane == now)
        lane =
            next.empty() ? static_cast<int>(graph.size()) : next[at(pick(0, static_cast<int>(next.size())))];
  }
  RC_ASSERT(std::all_of(runs.begin(), runs.end(), [](int count) { return count <= 1; }));
}

TEST(Schedule, bounds_the_nesting_of_loops) {
  constexpr int kDepth = 3000;  // node i begins loop i, node 2 * kDepth - 1 - i ends it
  Graph graph(2 * kDepth);
  for (int i = 0; i < 2 * kDepth; ++i) {
    graph[at(i)] = {i + 1};
    if (i >= kDepth) graph[at(i)].push_back(2 * kDepth - 1 - i);
  }
  const auto order = schedule(graph);
  for (std::size_t node = 0; node < graph.size(); ++node)
    for (int next : graph[node])
      if (at(next) < graph.size() && order.position[at(next)] <= order.position[node]) {
        ASSERT_GT(order.latch[at(next)], order.position[node]);
      }
}

}  // namespace
}  // namespace gpuprobe::ptx
