// SPDX-License-Identifier: Apache-2.0
// Tells whether a gang could be placed with everything that balance and urgency may take for it.
// One that could not is refused when its queue comes to it, so that it delays nobody. Answers are
// remembered: what was refused stays refused until room grows or an earlier turn asks.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "runtime/scheduling/engine/queues/best_room.hpp"
#include "runtime/scheduling/engine/queues/pins.hpp"
#include "runtime/scheduling/engine/world.hpp"

namespace argosy::scheduling::engine {

class feasibility {
 public:
  explicit feasibility(world& w);

  [[nodiscard]] best_room& best() { return best_; }
  [[nodiscard]] const best_room& best() const { return best_; }

  /// Whether a single job of the shape has a node at best. `cut` gives its turn, see best_room.
  [[nodiscard]] bool of_job(std::uint32_t shape, std::uint32_t cut);
  // These two say so as far as it is known without a search: a node has free room, or will have if
  // a job leaves whose turn is later.
  [[nodiscard]] bool has_free_node(std::uint32_t shape) const;
  [[nodiscard]] bool has_leaver(std::uint32_t shape, const turn_rank& own) const;
  /// Whether it was refused and nothing can have changed that.
  [[nodiscard]] bool is_refused(std::uint32_t shape, std::uint32_t cut) const {
    return stands(jobs_[shape].refused, cut);
  }
  /// Whether enough members have a node each, taken alone, and in each resource as many members as
  /// must start, the smallest ones, find room on all suitable nodes together. What members take
  /// from each other is not asked, so that a gang that is placed is always feasible.
  [[nodiscard]] bool of_gang(const gang& g, std::uint32_t cut);
  /// What it means that the last gang is not feasible.
  [[nodiscard]] reason why_not() const { return why_not_; }

 private:
  /// A refusal stands until room grows or an earlier turn asks.
  struct refusal_note {
    std::uint64_t growths = std::numeric_limits<std::uint64_t>::max();
    std::uint32_t cut = 0;
  };
  struct job_note {
    std::uint32_t free_node = none;  ///< A node that suits and had free room.
    std::uint32_t looked_from = 0;   ///< The node before which to look for another one.
    std::uint32_t place = none;      ///< The place in the table of a job whose node it could take.
    refusal_note refused;
  };
  /// What is known of a query. Its matcher says at which priority it is asked.
  struct query_note {
    std::uint32_t node = none;   ///< A node that was good at best, or where to go on looking.
    bool refused = false;        ///< No node was good ...
    std::uint32_t cut = 0;       ///< ... for that turn ...
    std::uint64_t position = 0;  ///< ... at that position of the log of changes.
  };
  /// How one job is tried: at home, or on one kind of node away from home.
  struct way {
    std::int32_t priority = 0;
    std::uint32_t away_mask = 0;
  };
  /// The room of the nodes that were counted for the last gang that may go anywhere. It holds while
  /// nothing changes.
  struct room_sum {
    absl::InlinedVector<std::uint32_t, 4> matchers;  ///< One of them suits each node.
    std::int32_t priority = 0;
    std::uint32_t cut = 0;
    std::uint64_t position = 0;
    std::uint32_t counted = 0;  ///< How many nodes, up to the one before `next`.
    std::uint32_t next = 0;     ///< The node at which counting goes on.
    absl::InlinedVector<std::int64_t, 8> room;
  };

  [[nodiscard]] bool stands(const refusal_note& note, std::uint32_t cut) const {
    return note.growths == room_.known_changes().growths() && note.cut <= cut;
  }
  /// Visits the ways until one is good; there is none if the job asks for what is not given out.
  template <class Visit>
  [[nodiscard]] bool any_way(std::uint32_t shape, bool in_gang, Visit&& visit) const;
  [[nodiscard]] bool has_node(std::uint32_t shape, const way& how, const pin& common,
                              std::uint32_t cut);
  /// Looks for free room on some of the nodes that are filled last.
  [[nodiscard]] bool find_free(std::uint32_t matcher, std::uint32_t shape);
  /// Looks for a job among the last of the table that leaves enough on its node alone.
  [[nodiscard]] bool find_leaver(std::uint32_t matcher, std::uint32_t shape, std::int32_t priority,
                                 std::uint32_t cut);
  [[nodiscard]] bool find_node(query_note& known, std::uint32_t matcher, std::uint32_t shape,
                               std::int32_t priority, std::uint32_t cut);
  [[nodiscard]] bool of_gang_under(const pin& common, std::uint32_t cut);
  /// Sets need_ to what as many members as must start need of each resource, without the shapes
  /// that are not able to start.
  void sum_needs(const std::vector<std::uint32_t>& unable);
  /// Whether there is need_ on all nodes together.
  [[nodiscard]] bool sums_fit(const pin& common, std::uint32_t cut);
  [[nodiscard]] bool covers(const room_sum& sum) const {
    return nodes_.fits(need_.data(), sum.room.data());
  }
  /// Adds the room of the node to the sum if one of the matchers suits it.
  void count_node(room_sum& sum, std::uint32_t node);
  /// Adds up the nodes that a pin leaves, as many as are needed.
  void count_pinned(room_sum& sum);

  world& world_;
  const node_columns& nodes_;
  room& room_;
  best_room best_;
  std::vector<std::uint32_t> banned_;  ///< The resources that are not given out.
  std::vector<job_note> jobs_;         ///< By shape.
  std::vector<query_note> queries_;    ///< By the number of the query.
  absl::flat_hash_map<std::vector<std::uint32_t>, refusal_note> gangs_;  ///< By key_.
  /// What is asked about a gang: what it must have in common, how many members must start, and from
  /// `first_run` on each shape with the number of members in a row that have it.
  std::vector<std::uint32_t> key_;
  static constexpr std::size_t first_run = 3;
  std::vector<std::int64_t> need_;
  std::vector<pin> pins_;
  reason why_not_ = reason::gang_does_not_fit;  ///< What it means if none of pins_ is good.
  std::size_t last_pin_ = 0;  ///< The one of several under which the last gang was good.
  room_sum sum_;
  std::vector<std::vector<std::uint32_t>> of_kind_;  ///< The nodes of each kind.
};

}  // namespace argosy::scheduling::engine
