// SPDX-License-Identifier: Apache-2.0
// Evicts the jobs of queues that have too much, for balance, and under `current` those of
// oversubscribed nodes. Eviction is a mark inside the round: the job keeps its room in the lowest
// row until somebody else gets it.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/scheduling/engine/queues/books.hpp"
#include "runtime/scheduling/engine/queues/gang.hpp"
#include "runtime/scheduling/engine/queues/turn_ranks.hpp"
#include "runtime/scheduling/engine/steps/decisions.hpp"
#include "runtime/scheduling/engine/world.hpp"

namespace argosy::scheduling::engine {

/// Running jobs of a queue that stay at their places whatever the round decides for balance: they
/// would be back before any new job has a turn.
struct untouched_jobs {
  std::uint32_t queue = none;
  std::size_t entries = 0;             ///< They are among so many first ones that run.
  std::vector<std::int64_t> used;      ///< What the queue uses with them and without those evicted.
  std::vector<std::uint8_t> eligible;  ///< Whether jobs of each class give way for balance.
};

/// What an eviction leaves for the steps after it.
struct evictions {
  offer_lists returning;  ///< By queue, in its own order.
  std::vector<untouched_jobs> untouched;
  std::vector<std::uint32_t> floating_holders;
  std::uint64_t spared_by_draw = 0;       ///< See plan::spared_by_draw.
  std::optional<std::int64_t> of_age_ns;  ///< See plan::of_age_ns.
  std::string error;                      ///< Not empty: the round fails.
};

/// Whether the entry runs on a node of this round, for its pool.
[[nodiscard]] bool runs_here(const node_columns& nodes, const running_entry& e);

/// A gang of which a member is protected by its class does not move at all.
void protect_gangs(world& w);

class evictor {
 public:
  evictor(world& w, books& sums, const round_params& params, decisions& noted);

  /// Evicts the jobs of queues that have too much.
  [[nodiscard]] evictions for_balance();
  /// Evicts these jobs and the rest of their gangs, as Armada does where nodes are oversubscribed.
  [[nodiscard]] evictions of(std::vector<found_job> found);

 private:
  [[nodiscard]] bool gives_up(const queue_book& book) const;
  [[nodiscard]] bool drawn(std::uint32_t node) const;
  [[nodiscard]] bool contested(std::uint32_t queue, std::int32_t priority) const;
  /// Whether a member is kept by its class, and with it the gang.
  [[nodiscard]] bool protected_gang(std::uint32_t gang) const;
  /// When a run has lasted as long as its class asks for; nothing if it has.
  [[nodiscard]] std::optional<std::int64_t> of_age(std::uint32_t job) const;
  /// Whether one of these is too young to leave, and with it its gang.
  [[nodiscard]] bool young(const std::uint32_t* jobs, std::size_t count);
  /// Whether it is enough to evict, of each of these queues, those who come back after the first
  /// turn of a new job: nobody else can lose a place for balance, and nothing that is asked later
  /// differs.
  [[nodiscard]] bool tails_suffice(const std::vector<std::uint32_t>& rich) const;
  /// Evicts the jobs of the queue that would not be back before that turn.
  void evict_tail(std::uint32_t queue, const turn_rank& first_new, turn_ranks& ranks);
  /// Whether jobs of each class give way for balance.
  [[nodiscard]] std::vector<std::uint8_t> eligible_classes(std::uint32_t queue) const;
  void evict_queue(std::uint32_t queue);
  void evict_one(std::uint32_t queue, const found_job& found);
  /// Under `current` a gang id must not be evicted in two queues. Sets the error if it is.
  [[nodiscard]] bool one_queue_per_gang(std::uint32_t gang);
  void set_members();

  world& world_;
  const tables& t_;
  const config& conf_;
  books& books_;
  const round_params& params_;
  decisions& noted_;
  evictions made_;
  /// The queue of each gang, by gang name.
  absl::flat_hash_map<std::uint32_t, std::uint32_t> gang_queues_;
};

}  // namespace argosy::scheduling::engine
