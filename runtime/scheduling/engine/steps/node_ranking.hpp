// SPDX-License-Identifier: Apache-2.0
// Nodes by who would leave them for a job: those where the highest class among the victims is
// lowest, of these the ones where a victim's queue holds most, then by what else is asked of a
// node. What queues hold changes with every decision, and a node only when it is touched. So nodes
// are filed by class and queue, and queues are compared when somebody asks. A ranking may keep only
// the best nodes of each file, and says so when it would need the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "runtime/scheduling/engine/queues/holdings.hpp"

namespace argosy::scheduling::engine {

/// What decides between nodes with victims of one class and queue; the smaller comes first. The
/// first three are the number of victims and the two halves of what is free, packed, in the order
/// that config::node_order gives them.
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
  static constexpr auto all = std::numeric_limits<std::size_t>::max() / 4;

  /// Keeps so many of the best nodes of each file.
  node_ranking(std::uint32_t nodes, std::uint32_t levels, std::uint32_t queues, std::size_t kept)
      : queues_(queues), kept_(kept), versions_(nodes, 0), files_(std::size_t{levels} * queues) {}

  /// Takes the node out of the ranking.
  void withdraw(std::uint32_t node) { ++versions_[node]; }
  /// Files a node, which was withdrawn before, under the number of a rival that has victims there.
  /// `victim` is the only victim, or `none` if there are several.
  void file(std::uint32_t node, std::uint32_t level, std::uint32_t queue, const node_rank& rank,
            std::uint32_t victim);

  struct found {
    std::uint32_t node = none;    ///< `none` if no node is filed.
    std::uint32_t victim = none;  ///< As it was filed.
    bool incomplete = false;      ///< It is among those that were not kept.
  };
  /// The first node.
  [[nodiscard]] found first(holdings& held);

  /// How many entries there are, those of withdrawn nodes included.
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct entry {
    node_rank rank;
    std::uint32_t node = 0;
    std::uint32_t version = 0;
    std::uint32_t victim = none;
  };
  struct one_file {
    std::vector<entry> heap;  ///< The best in front, once somebody has asked.
    bool was_cut = false;     ///< Entries were not kept: none of them comes before `rest`.
    node_rank rest;
  };

  struct later {
    bool operator()(const entry& a, const entry& b) const { return b.rank < a.rank; }
  };
  void arrange();
  void cut(one_file& from);

  /// The best entry of a file, once withdrawn nodes are gone from its top; null if it is empty.
  [[nodiscard]] const entry* top(one_file& from);

  std::uint32_t queues_;
  std::size_t kept_;
  std::vector<std::uint32_t> versions_;  ///< By node.
  std::vector<one_file> files_;          ///< By level, then queue.
  std::size_t size_ = 0;
  bool arranged_ = false;  ///< The entries are arranged as heaps, since first() was called.
};

}  // namespace argosy::scheduling::engine
