// SPDX-License-Identifier: Apache-2.0
// Tells whose turn it is among the queues, and which gang of a queue is next. A queue's stream
// gives its evicted jobs, then its queued ones; a gang is on offer when its last member has come.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/scheduling/engine/nodes/space.hpp"
#include "runtime/scheduling/engine/queues/books.hpp"
#include "runtime/scheduling/engine/queues/misfits.hpp"
#include "runtime/scheduling/engine/queues/turns.hpp"

namespace argosy::scheduling::engine {

/// A job on offer in a pass: a queued one, or an evicted one that may only go back home.
struct offer {
  std::uint32_t job = none;
  std::uint32_t shape = 0;
  std::uint32_t gang = none;
  std::uint32_t home = none;  ///< The node of an evicted job; `none` for a queued job.
  std::uint32_t members = 1;  ///< How many members of its gang must come.
  /// The priority at which an evicted job ran; the class priority of a queued one.
  std::int32_t run_priority = 0;
  // The members below are set when the job is placed.
  std::uint32_t kept_away = 0;  ///< One bit for each away type whose tolerations it keeps.
  std::int32_t priority = 0;    ///< The priority at which it is bound.
  std::int32_t reach = 0;  ///< The priority of the highest row in which it took the room of others.
  bool left_out = false;   ///< The gang starts without this member.
  bool roomiest = false;   ///< It takes the node with most room, if there is one for it.
};

/// Offers that are placed together. A job without a gang is a gang of one.
struct gang {
  std::vector<offer> offers;
  std::vector<std::int64_t> total;
  bool returning = false;  ///< The gang has only evicted jobs.
  std::int32_t priority = 0;
  // The members below are set when the gang is placed.
  std::vector<std::uint32_t> turns;  ///< The order of its members; empty: as they stand.
  std::size_t large = 0;             ///< How many of these are as large as the first one.
  bool counted = false;              ///< It may do without any members.

  /// The member whose turn is the n-th.
  [[nodiscard]] offer& member(std::size_t n) { return offers[turns.empty() ? n : turns[n]]; }
  [[nodiscard]] const offer& member(std::size_t n) const {
    return offers[turns.empty() ? n : turns[n]];
  }
};

/// Whether a gang that is refused for this ends the turns of all new jobs, or of its queue's.
[[nodiscard]] bool ends_round(reason why);
[[nodiscard]] bool ends_queue(reason why);

/// Evicted jobs by dense queue, each list in the order of its queue.
using offer_lists = std::vector<std::vector<offer>>;

struct contest_options {
  bool with_queued = false;
  bool by_run_priority = false;
  std::uint64_t lookback = 0;
  const misfits* known_misfits = nullptr;
  std::uint32_t pool = 0;
};

class contest {
 public:
  /// `used` has a pointer to what each queue uses, which is read whenever its next gang comes up.
  contest(const space& nodes, const books& sums, const offer_lists& returning,
          std::vector<const std::int64_t*> used, const contest_options& options);

  /// The gang whose turn it is; nullptr if there is none.
  [[nodiscard]] gang* head();
  [[nodiscard]] std::uint32_t head_queue() const { return turns_.first(); }
  void advance();
  /// The queue uses less than at its last turn, so that its place in the order may move forward.
  void lighten(std::uint32_t queue);
  /// Offers only evicted jobs from now on.
  void close();
  void close_queue(std::uint32_t queue, reason why);
  /// Offers only evicted jobs of cordoned queues from now on.
  void close_cordoned();
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
    std::uint64_t seen = 0;
    bool closed = false;
    reason ended = reason::placed;  ///< Why this queue alone was closed; `placed` if it was not.
    bool exhausted = false;         ///< The look-back limit closed it.
    bool has_head = false;
    bool has_parked = false;
    gang head;
    gang parked;
    std::uint32_t skip_shape = none;
    std::uint64_t skip_count = 0;
  };
  [[nodiscard]] bool peek(std::uint32_t queue);
  [[nodiscard]] bool fetch(std::uint32_t queue, offer& out);
  /// Gives the next new job if it comes before the evicted job `until`; with `none` in any case.
  [[nodiscard]] bool next_new(stream& s, std::uint32_t queue, std::uint32_t until, offer& out);
  /// Whether an equal job fitted nowhere and the gang cannot start without this member.
  [[nodiscard]] bool known_misfit(std::uint32_t queue, const queued_entry& entry) const;
  void close_stream(stream& s);
  void seal(gang& made) const;
  [[nodiscard]] turn_rank rank_of(std::uint32_t queue);
  void refill();
  /// Finds the queue's place after its stream has moved.
  void place(std::uint32_t queue);
  /// Prefetches what the next turns will read.
  void look_ahead() const;
  void flush_skips(std::uint32_t queue);

  const space& nodes_;
  const tables& t_;
  const config& conf_;
  const books& books_;
  const offer_lists& returning_;
  std::vector<const std::int64_t*> used_;
  contest_options options_;
  bool filter_pools_ = false;
  std::vector<stream> streams_;
  turns turns_;
  /// What a queue uses plus its penalty, while it is ranked.
  std::vector<std::int64_t> penalised_;
  /// The members that have come, for each gang.
  absl::flat_hash_map<std::uint64_t, std::vector<offer>> waiting_;
  std::vector<std::vector<offer>> spare_;  ///< Empty lists whose memory other gangs use again.
  absl::flat_hash_map<std::uint64_t, std::uint64_t> skipped_;
  absl::flat_hash_set<std::uint32_t> spoiled_;  ///< The gangs of which a member was skipped.
};

}  // namespace argosy::scheduling::engine
