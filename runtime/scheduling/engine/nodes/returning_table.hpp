// SPDX-License-Identifier: Apache-2.0
// The evicted jobs of a round in the order in which they would come back: whoever stands later is
// less entitled to the place that it still holds. A job is struck out when it returns or leaves for
// good, which can be undone until commit().
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/scheduling/engine/nodes/room.hpp"
#include "runtime/scheduling/engine/zeros.hpp"

namespace argosy::scheduling::engine {

struct table_entry {
  std::uint32_t job = none;
  std::uint32_t shape = 0;
  std::uint32_t node = 0;
  std::uint32_t queue : 31 = 0;  ///< The queue's number in `books`.
  std::uint32_t alive : 1 = 0;
  std::uint32_t key = 0;      ///< See best_room::note_turn().
  std::int32_t priority = 0;  ///< The priority at which it ran.
};

class returning_table {
 public:
  /// A job that is struck out, or comes back in, is a change of its node.
  returning_table(const node_columns& nodes, room& changed);

  /// Another round begins, without entries.
  void begin_round();
  /// Begins anew with these entries.
  void enter(std::vector<table_entry> entries);
  [[nodiscard]] const table_entry& operator[](std::uint32_t place) const { return entries_[place]; }
  /// The place from which on all entries are struck out for good.
  [[nodiscard]] std::uint32_t end() const { return end_; }
  /// The place of a job; `none` if it has none. It may be struck out.
  [[nodiscard]] std::uint32_t place_of(std::uint32_t job) const { return numbers_[job] - 1; }

  /// Takes the job out of the table. Returns false if it is not or no longer there.
  bool strike(std::uint32_t job);
  void begin();
  void commit() { struck_.clear(), recording_ = false; }
  void undo();

  /// The places on a node, ascending; some may be struck out.
  [[nodiscard]] const std::uint32_t* places_begin(std::uint32_t node) const {
    return places_.data() + first_[node];
  }
  [[nodiscard]] const std::uint32_t* places_end(std::uint32_t node) const {
    return places_.data() + last_[node];
  }
  /// Forgets places of the node at the end that are struck out for good.
  void trim(std::uint32_t node);

 private:
  const tables& t_;
  room& room_;
  std::vector<table_entry> entries_;
  std::uint32_t end_ = 0;
  zeros<std::uint32_t> numbers_;       ///< By job, its place + 1; 0 if it has none.
  std::vector<std::uint32_t> places_;  ///< By node.
  std::vector<std::uint32_t> first_;   ///< Where those of each node begin ...
  std::vector<std::uint32_t> last_;    ///< ... and end.
  std::vector<std::uint32_t> struck_;  ///< The places that undo() brings back.
  bool recording_ = false;
};

}  // namespace argosy::scheduling::engine
