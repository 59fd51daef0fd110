// SPDX-License-Identifier: Apache-2.0
// The queues of one round: what each uses, wants and may use, and its shares of the pool. Queue
// numbers here are dense and in name order.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/scheduling/engine/nodes/node_columns.hpp"

namespace argosy::scheduling::engine {

inline constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

struct queue_book {
  std::uint32_t slot = 0;  ///< The queue's place in the snapshot.
  /// The entry stands for a queue's guests from other pools: its name is "<queue>-away", and it has
  /// no demand.
  bool away = false;
  bool cordoned = false;
  double weight = 1;
  /// The weight by which the queue has its turns: a queue that used much has a lower one.
  double turn_weight = 1;
  double usage = 1;  ///< Decayed usage, at least its floor; 1 unless config::usage_priority.
  double fair = 0;
  double capped = 0;
  double uncapped = 0;
  double demand = 0;
  double tokens = 0;
  std::uint64_t decisions = 0;    ///< The number of new gangs tried.
  std::uint64_t tokens_used = 0;  ///< The number of new jobs placed.
  std::vector<std::int64_t> used;
  std::vector<std::int64_t> used_before;
  std::vector<std::int64_t> wanted;
  /// What short jobs that ended still count for in the order of queues; empty: nothing.
  std::vector<std::int64_t> penalty;
  std::vector<std::int64_t> by_class;  ///< What is used by jobs of each configured class.
  std::vector<std::int64_t> limits;    ///< The limits of each class; empty if there are none.
  /// The limit of all classes together; empty if there is none.
  std::vector<std::int64_t> total_limit;
  /// The tokens of each resource, in steps; empty if no resource has a rate.
  std::vector<double> resource_tokens;
  /// The sum of what the new jobs use that were placed; empty if no resource has a rate.
  std::vector<std::int64_t> resources_taken;
  /// The class priorities of its queued jobs; empty if the queue is cordoned.
  std::vector<std::int32_t> queued_at;

  /// Whether with so high a cost it gives up no jobs for balance.
  [[nodiscard]] bool protects(const config& conf, double cost) const;
};

/// Whether usage that fades moves the turns of queues.
[[nodiscard]] inline bool usage_moves_turns(const config& conf) {
  return conf.usage_priority && conf.selection == queue_selection::progressive_filling;
}

/// Whether jobs of this pool set may run in the pool.
[[nodiscard]] bool in_pool(const tables& t, std::uint32_t pool_set, std::uint32_t pool);

class books {
 public:
  books(const node_columns& nodes, const round_params& params, std::uint32_t pool);

  [[nodiscard]] bool overflowed() const { return overflowed_; }

  std::uint32_t dims = 0;
  std::vector<std::int64_t> total;  ///< What the pool has, floating resources included.
  std::vector<queue_book> queues;
  std::vector<std::uint32_t> dense;  ///< The number here of each queue of the snapshot, or `none`.
  /// The number here of the entry for each queue's guests; empty if there are no guests.
  std::vector<std::uint32_t> away;
  std::vector<std::int64_t> used_all;  ///< What all active queues use together.
  std::vector<std::int64_t> started;   ///< What the new jobs of this round use together.
  std::vector<std::int64_t> round_cap;
  double tokens = 0;
  std::vector<double> resource_tokens;  ///< As queue_book has them, for all queues.

  /// The queue that a job counts in; `none` for one that is not configured.
  [[nodiscard]] std::uint32_t of(std::uint32_t job) const {
    const auto slot = t_.jobs[job].queue;
    return nodes_.is_guest(job) ? away[slot] : dense[slot];
  }
  [[nodiscard]] std::string name_of(const queue_book& book) const {
    return t_.queues[book.slot].name + (book.away ? "-away" : "");
  }

  /// The cost of an amount: 0 for nothing, 1 for the whole pool.
  [[nodiscard]] double cost(const std::int64_t* amount) const;
  /// The cost of a + b.
  [[nodiscard]] double cost(const std::int64_t* a, const std::int64_t* b) const;
  /// The amount converted to cpus: the sum of multiplier x amount / (total / total cpu), whatever
  /// kind of cost is configured.
  [[nodiscard]] double cores(const std::int64_t* amount) const;
  /// What of the pool is neither used by active queues nor held by runs that are stopping.
  [[nodiscard]] std::vector<std::int64_t> unused() const;
  void charge(std::uint32_t queue, std::uint32_t shape, std::int64_t sign, bool is_new);
  [[nodiscard]] bool over_round_cap() const;
  [[nodiscard]] bool over_limit(std::uint32_t queue, std::uint32_t class_name) const;
  /// Whether the queue, which holds that much, would be over its limit of all classes with `more`.
  /// A resource of which nothing is added does not count.
  [[nodiscard]] bool over_total(std::uint32_t queue, const std::int64_t* held,
                                const std::vector<std::int64_t>& more) const;
  /// Whether the queue, which holds that much, is over that limit and over what it used before the
  /// round, so that no more of its jobs may return.
  [[nodiscard]] bool total_lost(std::uint32_t queue, const std::int64_t* held) const;
  /// Whether a queue has such a limit.
  [[nodiscard]] bool caps_totals() const;
  /// Whether nothing is left of a resource of which `more` has some. A gang may take more than
  /// there is, so that no gang is too large to start.
  [[nodiscard]] static bool lacks_tokens(const std::vector<double>& there,
                                         const std::vector<std::int64_t>& more);
  /// A new job of the queue starts.
  void take_tokens(std::uint32_t queue, std::uint32_t shape);
  /// Whether more of a floating resource is used than there is.
  [[nodiscard]] bool floating_short() const;
  /// Whether more of the floating resource `d` is used than there is and than was used before the
  /// round. `held` counts as used.
  [[nodiscard]] bool floating_lost(std::uint32_t d, std::int64_t held = 0) const {
    return used_all[d] + strays_[d] + held > floating_most_[d];
  }
  [[nodiscard]] bool floating_lost() const;

 private:
  void open(const round_params& params, std::uint32_t pool);
  [[nodiscard]] std::int32_t class_priority(std::uint32_t class_name) const;
  /// What round_params say about a queue.
  struct queue_params {
    double tokens = 0;
    double usage = usage_priority_floor;
    fraction_list resource_tokens;
    std::vector<std::int64_t> penalty;
  };
  /// The parameters for each queue of the snapshot.
  [[nodiscard]] std::vector<queue_params> by_queue(const round_params& params) const;
  /// Sums by class of what a queue wants, used for one queue after the other.
  class class_sums;
  void open_queue(std::uint32_t slot, queue_params& carried, std::uint32_t pool, class_sums& sums);
  void open_away(const std::vector<queue_params>& carried);
  void sum_stopping(std::uint32_t pool);
  void bound_floating(std::uint32_t pool);
  void weigh_queue(queue_book& book, const queue_params& carried) const;
  void set_limits(queue_book& book, const queue_record& queue, std::uint32_t pool);
  void fill_water();
  [[nodiscard]] std::int64_t total_cpu() const;
  void weigh();
  void weigh_in_cores();
  [[nodiscard]] std::vector<std::int64_t> fraction(const fraction_list& shares) const;
  /// The tokens of each resource: its burst, or what is left of it; empty if there is no burst.
  [[nodiscard]] std::vector<double> bucket(const fraction_list& burst,
                                           const fraction_list& left) const;
  /// The number of a resource; `none` for one that is not known.
  [[nodiscard]] std::uint32_t dim_of(std::string_view name) const;
  /// `amount(d)` gives the amount of each resource.
  template <class Amount>
  [[nodiscard]] double cost_of(Amount amount) const;

  const node_columns& nodes_;
  const tables& t_;
  const config& conf_;
  std::vector<std::int64_t> stopping_;  ///< What stopping runs hold; nothing under `current`.
  /// The floating amounts that queues without configuration use and stopping runs hold.
  std::vector<std::int64_t> strays_;
  /// The use of each resource up to which evicted jobs may return.
  std::vector<std::int64_t> floating_most_;
  std::vector<double> multiplier_;
  std::vector<double> cores_;  ///< What a step of each resource is worth in cores.
  double worth_ = 0;           ///< What the pool is worth, as a sum over resources.
  bool overflowed_ = false;
};

}  // namespace argosy::scheduling::engine
