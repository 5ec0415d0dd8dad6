// The graph algorithms behind the control-flow analysis. A graph is its lists of successors; node n (one past
// the last) is the virtual exit.
//
//   Graph graph = {{1, 2}, {3}, {3}, {4}};      // if/else: 0 -> 1|2 -> 3 -> exit
//   post_dominators(graph)  == {3, 3, 3, 4}
//   schedule(graph).position == {0, 2, 1, 3}    // or with 1 and 2 exchanged
#pragma once

#include <vector>

namespace gpuprobe::ptx {

using Graph = std::vector<std::vector<int>>;

/// Strongly connected components of the nodes of `members` (edges to other nodes are ignored), each sorted,
/// in topological order: no edge leads from a later component to an earlier one.
std::vector<std::vector<int>> strong_components(const Graph& graph, const std::vector<int>& members);

/// Immediate post-dominator of every node: the nearest other node (or the exit n) that lies on every path
/// from it to the exit. Nodes without a path to the exit are given one from the highest-numbered node of each
/// closed component (or dead end) that they run into: usually the one that closes an endless loop.
std::vector<int> post_dominators(const Graph& graph);

/// An order of the nodes in which every edge but those that close a loop leads forward, and loops are
/// contiguous.
struct Schedule {
  std::vector<int> position;  ///< per node, unique; latches take positions too
  std::vector<int> latch;     ///< per node: the position just behind the loop that it is the entry of, or -1
};

/// Orders the nodes for execution from node 0: a loop is ordered from its entry (the lowest-numbered one if
/// it has several), loops inside it likewise. Nesting deeper than 64 keeps the order of the numbers.
Schedule schedule(const Graph& graph);

}  // namespace gpuprobe::ptx
