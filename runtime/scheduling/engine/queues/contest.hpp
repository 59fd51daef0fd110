// SPDX-License-Identifier: Apache-2.0
// Tells whose turn it is among the queues, and which gang of a queue is next. A queue's stream
// gives its evicted jobs, then its queued ones; a gang is on offer when its last member has come.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <vector>

#include "runtime/scheduling/engine/nodes/bindings.hpp"
#include "runtime/scheduling/engine/nodes/node_columns.hpp"
#include "runtime/scheduling/engine/queues/books.hpp"
#include "runtime/scheduling/engine/queues/gang.hpp"
#include "runtime/scheduling/engine/queues/heads.hpp"
#include "runtime/scheduling/engine/queues/turn_ranks.hpp"
#include "runtime/scheduling/engine/queues/turns.hpp"

namespace argosy::scheduling::engine {

/// Whether a gang that is refused for this ends the turns of all new jobs, or of its queue's.
[[nodiscard]] constexpr bool ends_round(reason why) {
  return why == reason::max_resources_per_round || why == reason::global_rate_limit ||
         why == reason::round_time_limit || why == reason::draw_time_limit;
}
[[nodiscard]] constexpr bool ends_queue(reason why) {
  return why == reason::queue_cordoned || why == reason::queue_rate_limit ||
         why == reason::queue_time_limit;
}

struct contest_options {
  bool with_queued = false;
  bool by_run_priority = false;
  bool skips_lost = false;  ///< Evicted jobs whose places are taken have no turn.
  std::uint64_t lookback = 0;
  heads* admission = nullptr;  ///< Which queued gangs have a turn; null without queued ones.
};

class contest {
 public:
  /// `used` has a pointer to what each queue uses, which is read whenever its next gang comes up.
  /// Cordoned queues are closed from the start.
  contest(const node_columns& nodes, const bindings& bound, const books& sums,
          const offer_lists& returning, std::vector<const std::int64_t*> used,
          const contest_options& options);

  /// The gang whose turn it is; nullptr if there is none.
  [[nodiscard]] gang* head();
  /// When head() has its turn, and of which queue it is.
  [[nodiscard]] const turn_rank& head_rank() const { return turns_.first(); }
  void advance();
  /// The queue uses less than at its last turn, or evicted jobs of it have lost their places, so
  /// that its place in the order may move forward.
  void lighten(std::uint32_t queue);
  /// Offers only evicted jobs from now on. The new ones are told why; `not_reached` stands for an
  /// end that reopen() may follow.
  void close(reason why);
  void close_queue(std::uint32_t queue, reason why);
  /// Offers new jobs again, except those of queues that were closed one by one.
  void reopen();

  /// The next gang of one queue, whoever's turn it is; nullptr if there is none.
  [[nodiscard]] gang* head_of(std::uint32_t queue) {
    return peek(queue) ? &streams_[queue].head : nullptr;
  }
  void drop_head(std::uint32_t queue) { streams_[queue].has_head = false; }

  /// The number of jobs that were skipped because an equal one had failed, by queue and shape.
  [[nodiscard]] const absl::flat_hash_map<std::uint64_t, std::uint64_t>& skipped();
  /// The number of new jobs of a queue that had no turn: they were never fetched, or were at its
  /// head when it was closed.
  [[nodiscard]] std::uint64_t unseen(std::uint32_t queue) const;
  /// Why the jobs that unseen() counts had no turn.
  [[nodiscard]] reason why_unseen(std::uint32_t queue) const;
  /// Appends the new jobs that wait for the rest of their gang.
  void incomplete(std::vector<offer>& out) const;
  /// Why a member is among incomplete(): its gang lacks members, or they had no turn.
  [[nodiscard]] reason why_waiting(std::uint32_t queue, const offer& member) const;

 private:
  struct stream {
    std::size_t returned = 0;
    const queued_entry* next = nullptr;
    const queued_entry* end = nullptr;
    std::uint64_t seen = 0;       ///< The new jobs that were fetched.
    std::uint64_t looked_at = 0;  ///< Those of them that count for the look-back.
    bool closed = false;
    reason ended = reason::placed;  ///< Why it was closed for good; `placed` if it was not.
    bool exhausted = false;         ///< The look-back limit closed it.
    bool has_head = false;
    bool has_parked = false;
    gang head;
    gang parked;
    std::uint32_t skip_shape = none;
    std::uint64_t skip_count = 0;
    std::uint64_t passed = 0;  ///< How many jobs in a row were passed over one by one.
    /// A shape of which single jobs are not feasible as long as no gang has a turn.
    std::uint32_t refused_shape = none;
    std::vector<std::uint32_t> refused;  ///< Some shapes of this kind, that one among them.
    turn_rank rank;                      ///< That of the head when it came ...
    bool ranked = false;                 ///< ... if it was asked for then.

    /// Ends it for new jobs; evicted ones still come.
    void close();
  };
  [[nodiscard]] bool peek(std::uint32_t queue);
  [[nodiscard]] bool fetch(std::uint32_t queue, offer& out);
  /// Gives the next new job if it comes before the evicted job `until`; with `none` in any case.
  [[nodiscard]] bool next_new(stream& s, std::uint32_t queue, std::uint32_t until, offer& out);
  /// Whether the new job is of other pools, or it is known that it has no turn; then it gets its
  /// outcome here.
  [[nodiscard]] bool pass_over(stream& s, std::uint32_t queue, const queued_entry& entry);
  /// Whether the queue's new head has a turn; if not, its jobs get their outcome here.
  [[nodiscard]] bool admit(stream& s, std::uint32_t queue);
  void skip(stream& s, std::uint32_t queue, std::uint32_t shape);
  /// Passes over all jobs up to the next one that is not known to have no turn, at once.
  void leap(stream& s, std::uint32_t queue);
  [[nodiscard]] turn_rank rank_of(std::uint32_t queue);
  void refill();
  /// Finds the queue's place after its stream has moved.
  void place(std::uint32_t queue);
  /// Prefetches what the next turns will read.
  void look_ahead() const;
  void flush_skips(std::uint32_t queue);

  const bindings& bound_;
  const tables& t_;
  const config& conf_;
  const books& books_;
  const offer_lists& returning_;
  std::vector<const std::int64_t*> used_;
  contest_options options_;
  std::uint32_t pool_;  ///< The pool, or `none` if every job may run in it.
  std::vector<stream> streams_;
  turn_ranks ranks_;
  turns turns_;
  /// The members that have come, for each gang.
  absl::flat_hash_map<std::uint64_t, std::vector<offer>> waiting_;
  std::vector<std::vector<offer>> spare_;  ///< Empty lists whose memory other gangs use again.
  absl::flat_hash_map<std::uint64_t, std::uint64_t> skipped_;
  absl::flat_hash_set<std::uint32_t> spoiled_;  ///< The gangs of which a member was skipped.
};

}  // namespace argosy::scheduling::engine
