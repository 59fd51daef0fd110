// SPDX-License-Identifier: Apache-2.0
// A ranking of nodes by who would leave them for a job. Nodes where the highest class among the
// victims is lowest come first, among these the ones where a victim's queue holds most, then the
// other keys decide. What queues hold changes with every decision, a node only when it is touched.
// So nodes are filed by class and queue, and queues are compared only when first() is called.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/scheduling/engine/queues/holdings.hpp"

namespace argosy::scheduling::engine {

/// What decides between nodes with victims of one class and queue; the smaller comes first.
struct node_rank {
  std::uint64_t first = 0;   ///< The number of victims, or the first part of what is free.
  std::uint64_t second = 0;  ///< The packed amounts that are free, or their lower half.
  std::uint64_t third = 0;
  std::uint64_t id = 0;  ///< The soft taints, then the place of the node's id.

  friend bool operator<(const node_rank& a, const node_rank& b) {
    if (a.first != b.first) return a.first < b.first;
    if (a.second != b.second) return a.second < b.second;
    return a.third != b.third ? a.third < b.third : a.id < b.id;
  }
};

class node_ranking {
 public:
  node_ranking(std::uint32_t nodes, std::uint32_t levels, std::uint32_t queues)
      : queues_(queues), versions_(nodes, 0), heaps_(std::size_t{levels} * queues) {}

  /// Takes the node out of the ranking.
  void withdraw(std::uint32_t node) { ++versions_[node]; }
  /// Files a node, which was withdrawn before, under the number of a rival that has victims there.
  /// `victim` is the only victim, or `none` if there are several.
  void file(std::uint32_t node, std::uint32_t level, std::uint32_t queue, const node_rank& rank,
            std::uint32_t victim);

  struct found {
    std::uint32_t node = none;    ///< `none` if no node is filed.
    std::uint32_t victim = none;  ///< As it was filed.
  };
  /// The first node.
  [[nodiscard]] found first(holdings& held);

  /// The number of entries, those of withdrawn nodes included.
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct entry {
    node_rank rank;
    std::uint32_t node = 0;
    std::uint32_t version = 0;
    std::uint32_t victim = none;
  };
  using heap = std::vector<entry>;

  struct later {
    bool operator()(const entry& a, const entry& b) const { return b.rank < a.rank; }
  };
  void arrange();

  /// The best entry of a heap, once withdrawn nodes are gone from its top; null if it is empty.
  [[nodiscard]] const entry* top(heap& from);

  std::uint32_t queues_;
  /// The version of each node; entries with an older one are withdrawn.
  std::vector<std::uint32_t> versions_;
  std::vector<heap> heaps_;  ///< One heap for each queue of each level.
  std::size_t size_ = 0;
  bool arranged_ = false;  ///< The entries are arranged as heaps, since first() was called.
};

}  // namespace argosy::scheduling::engine
