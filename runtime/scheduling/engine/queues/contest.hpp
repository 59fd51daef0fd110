// SPDX-License-Identifier: Apache-2.0
// Whose turn it is among the queues, and which gang of a queue is next. A queue's stream gives its
// evicted jobs, then its queued ones; a gang comes when its last member has come.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/scheduling/engine/nodes/space.hpp"
#include "runtime/scheduling/engine/queues/books.hpp"

namespace argosy::scheduling::engine {

/// A job on offer in a pass: a queued one, or an evicted one that may only go back home.
struct offer {
  std::uint32_t job = none;
  std::uint32_t shape = 0;
  std::uint32_t gang = none;
  std::uint32_t home = none;      ///< Dense node; `none` for a queued job.
  std::uint32_t members = 1;      ///< How many of its gang must show up.
  std::int32_t run_priority = 0;  ///< At which an evicted job ran; class priority for others.
  // What placing it adds.
  std::uint32_t kept_away = 0;  ///< Away types whose tolerations it keeps.
  std::int32_t priority = 0;    ///< At which it is to be bound.
  std::int32_t reach = 0;       ///< The highest row that it pushed into.
  bool left_out = false;        ///< Its gang does without it.
};

/// Offers that are placed together; any other job is a gang of one.
struct gang {
  std::vector<offer> offers;
  std::vector<std::int64_t> total;
  bool returning = false;  ///< Nothing new in it.
  std::int32_t priority = 0;
};

/// Evicted jobs by dense queue, each list in the order of its queue.
using offer_lists = std::vector<std::vector<offer>>;

struct contest_options {
  bool with_queued = false;
  bool by_run_priority = false;
  std::uint64_t lookback = 0;
  const std::vector<std::uint8_t>* misfits = nullptr;  ///< By shape.
  std::uint32_t pool = 0;
};

class contest {
 public:
  /// `used` holds a pointer to each queue's use, read whenever its next gang comes up.
  contest(const space& nodes, const books& sums, const offer_lists& returning,
          std::vector<const std::int64_t*> used, const contest_options& options);

  /// The gang whose turn it is; nullptr if there is none.
  [[nodiscard]] gang* head();
  [[nodiscard]] std::uint32_t head_queue() const { return heap_.front().queue; }
  void advance();
  /// The queue uses less than at its last turn, so that it comes no later.
  void lighten(std::uint32_t queue);
  /// From now on evicted jobs only.
  void close();
  void close_queue(std::uint32_t queue, reason why);
  /// Evicted jobs only of all cordoned queues.
  void close_cordoned();
  /// New jobs again, except for queues that were closed by themselves.
  void reopen();

  /// The next gang of one queue, whoever's turn it is; nullptr if there is none.
  [[nodiscard]] gang* head_of(std::uint32_t queue) {
    return peek(queue) ? &streams_[queue].head : nullptr;
  }
  void drop_head(std::uint32_t queue) { streams_[queue].has_head = false; }

  /// Jobs skipped because an equal one had failed, by queue and shape.
  [[nodiscard]] const absl::flat_hash_map<std::uint64_t, std::uint64_t>& skipped();
  /// New jobs of a queue that had no turn: never fetched, or at its head when it was closed.
  [[nodiscard]] std::uint64_t unseen(std::uint32_t queue) const;
  /// Why unseen() jobs had none.
  [[nodiscard]] reason why_unseen(std::uint32_t queue) const;
  /// New jobs that wait for the rest of their gang.
  void incomplete(std::vector<offer>& out) const;
  /// Why it is one of incomplete(): its gang lacks members, or there is no turn for them.
  [[nodiscard]] reason why_waiting(std::uint32_t queue, const offer& member) const;

 private:
  struct stream {
    std::size_t returned = 0;
    const queued_entry* next = nullptr;
    const queued_entry* end = nullptr;
    std::uint64_t seen = 0;
    bool closed = false;
    reason ended = reason::placed;  ///< Why it was closed by itself; `placed`: it was not.
    bool exhausted = false;         ///< Closed by the look-back limit.
    bool has_head = false;
    bool has_parked = false;
    gang head;
    gang parked;
    std::uint32_t skip_shape = none;
    std::uint64_t skip_count = 0;
  };
  struct rank {
    std::int32_t priority;
    std::int32_t over;
    double cost;
    double size;
    std::uint32_t queue;
    bool away = false;  ///< Guests come after everybody else.
  };

  [[nodiscard]] static bool before(const rank& a, const rank& b);
  [[nodiscard]] bool peek(std::uint32_t queue);
  [[nodiscard]] bool fetch(std::uint32_t queue, offer& out);
  /// The next new job, if it stands before the evicted job `until` (`none`: in any case).
  [[nodiscard]] bool next_new(stream& s, std::uint32_t queue, std::uint32_t until, offer& out);
  /// An equal job fitted nowhere, and its gang cannot do without it.
  [[nodiscard]] bool known_misfit(const queued_entry& entry) const;
  void close_stream(stream& s);
  void seal(gang& made) const;
  [[nodiscard]] rank rank_of(std::uint32_t queue);
  void refill();
  void sift_down(std::size_t at);
  void sift_up(std::size_t at);
  /// Asks memory for what the next turns will read.
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
  std::vector<rank> heap_;
  std::vector<std::int64_t> penalised_;  ///< A queue's use with its penalty, while it is ranked.
  absl::flat_hash_map<std::uint64_t, std::vector<offer>> waiting_;  ///< By gang.
  std::vector<std::vector<offer>> spare_;  ///< Empty lists with their memory, for other gangs.
  absl::flat_hash_map<std::uint64_t, std::uint64_t> skipped_;
  absl::flat_hash_set<std::uint32_t> spoiled_;  ///< Gangs of which a member was skipped.
};

}  // namespace argosy::scheduling::engine
