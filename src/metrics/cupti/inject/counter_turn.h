// The counters of a GPU serve one process at a time. Processes of one user that gpuprobe profiles on the same
// GPU, such as the ranks of a job, take turns by a lock file in the folder for temporary files.
//
//   CounterTurn turn = CounterTurn::join("0000:3b:00.0");
//   if (turn.take(20s)) { /* measure one launch */  if (!turn.alone()) ...let go of the counters...;
//   turn.give(); }
#pragma once

#include <chrono>
#include <string>

namespace gpuprobe::cupti {

class CounterTurn {
 public:
  /// Makes this process known as one that uses the GPU of that bus address, until it ends; once a process and
  /// address. Record locks, since a forked child does not inherit those, and the kernel releases them however
  /// the process ends. Where no lock file can be made there are no turns: take() and alone() are true.
  static CounterTurn join(const std::string& bus_address);

  CounterTurn(CounterTurn&& other) noexcept;
  CounterTurn& operator=(CounterTurn&&) = delete;
  ~CounterTurn();

  /// Waits until no other process has its turn; false if that takes longer than `limit`.
  bool take(std::chrono::milliseconds limit);
  void give();
  /// True if no other process uses this GPU through gpuprobe at the moment.
  bool alone() const;

 private:
  explicit CounterTurn(int file) : file_(file) {}

  int file_;  ///< byte 0 is locked, shared, by every process; byte 1 by the one whose turn it is
};

}  // namespace gpuprobe::cupti
