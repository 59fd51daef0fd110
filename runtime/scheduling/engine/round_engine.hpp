// SPDX-License-Identifier: Apache-2.0
// One round from its start to its plan: evict, number, pass 1, oversubscribed nodes, pass 2,
// result.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/scheduling/engine/nodes/matching.hpp"
#include "runtime/scheduling/engine/nodes/search.hpp"
#include "runtime/scheduling/engine/nodes/space.hpp"
#include "runtime/scheduling/engine/queues/books.hpp"
#include "runtime/scheduling/engine/queues/contest.hpp"
#include "runtime/scheduling/engine/queues/holdings.hpp"
#include "runtime/scheduling/engine/steps/node_ranking.hpp"
#include "runtime/scheduling/plan.hpp"
#include "runtime/scheduling/round.hpp"

namespace argosy::scheduling::engine {

class round_engine {
 public:
  round_engine(const snapshot& from, const config& conf, const round_params& params,
               std::uint32_t pool);

  [[nodiscard]] plan run();

 private:
  struct cause_record {
    preemption_cause cause;
    std::uint32_t preemptor;
  };
  struct placed_job {
    std::uint32_t job;
    std::uint32_t shape;
    bool away;
  };
  struct found_job {
    std::uint32_t job;
    std::uint32_t shape;
    std::uint32_t node;
  };

  // Eviction.
  void protect_gangs();
  [[nodiscard]] bool gives_up(const queue_book& book) const;
  [[nodiscard]] bool drawn(std::uint32_t node) const;
  [[nodiscard]] bool contested(std::uint32_t queue, std::int32_t priority) const;
  void evict_for_balance();
  void evict_queue(std::uint32_t queue);
  void evict_one(std::uint32_t queue, std::uint32_t job, std::uint32_t shape, std::uint32_t node);
  void set_members();
  void number_evicted();
  /// The table's order, and what queues hold, for victims by config::node_order.
  void rank_evicted(std::vector<table_entry>& order);
  [[nodiscard]] std::vector<found_job> oversubscribed();
  void evict_oversubscribed(std::vector<found_job> found);
  [[nodiscard]] bool one_queue_per_gang(std::uint32_t gang);

  // A pass.
  void compete(contest& streams);
  [[nodiscard]] bool discarded(const gang& g) const;
  [[nodiscard]] reason attempt(gang& g, std::uint32_t queue);
  [[nodiscard]] reason barred(const gang& g, std::uint32_t queue);
  /// More of a floating resource would be used than the gang may bring it to, or so much that more
  /// evicted jobs could not return than the preemption budget covers.
  [[nodiscard]] bool lacks_floating(const gang& g);
  /// Evicted jobs that may not be able to return once the gang on trial has its floating amounts go
  /// to at_stake_, if the preemption budget has an end.
  void find_at_stake();
  /// Evicted jobs that cannot return hold no room any more.
  void give_up_room(const gang& g);
  void note_return(const offer& o);
  void refuse(const gang& g, reason why);
  [[nodiscard]] static bool ends_round(reason why);
  [[nodiscard]] static bool ends_queue(reason why);
  void accept(const gang& g, std::uint32_t queue);
  void report_rest(contest& streams);

  // Slices and lottery instead of progressive filling.
  struct slice {
    double share = 0;                ///< Part of what is free.
    double worth = 0;                ///< Cost of what is left, once lots are drawn.
    std::vector<std::int64_t> left;  ///< What of its slice is left.
    std::vector<gang> deferred;      ///< Gangs that did not fit their slice.
    std::size_t next = 0;            ///< First of those not drawn yet.
    std::uint32_t misses = 0;        ///< Gangs that were tried for the slice and not placed.
  };
  void draw_lots(contest& streams);
  [[nodiscard]] std::vector<slice> cut_slices(contest& streams);
  /// Queues take turns until none of them places a gang in its slice any more.
  void fill_slices(contest& streams, std::vector<slice>& slices);
  /// Goes down the queue's list until a gang is placed; false: none was. Gangs that were tried in
  /// vain stay in its window of config::slice_batch gangs, and end its turns once they fill it.
  [[nodiscard]] bool take_turn(contest& streams, std::uint32_t queue, std::vector<slice>& slices);
  [[nodiscard]] reason try_gang(gang& g, std::uint32_t queue, slice& own);
  /// Takes those out of the lots that the outcome ended: a queue, or all of them.
  void end_lots(contest& streams, std::vector<slice>& slices, std::uint32_t queue, reason outcome);
  /// Each queue's chance in the next draw, and their sum.
  double weigh_lots(contest& streams, const std::vector<slice>& slices,
                    std::vector<double>& chances) const;
  [[nodiscard]] double usage_priority(std::uint32_t queue) const;
  /// What a queue's slice is in proportion to, and its chance once all slices are used up.
  [[nodiscard]] double part_of(std::uint32_t queue) const;

  // Placing.
  [[nodiscard]] reason place(gang& g);
  /// What all members of a gang must have in common.
  struct pin {
    std::uint32_t label = none;
    std::uint32_t value = none;
    std::uint32_t executor = none;
  };
  /// How well a trial placed a gang: with fewer members left out, then at a lower mean reach.
  struct gang_fit {
    std::size_t left_out = 0;
    double mean_reach = evicted_priority;
    [[nodiscard]] bool is_perfect() const {
      return left_out == 0 && mean_reach == evicted_priority;
    }
    friend auto operator<=>(const gang_fit&, const gang_fit&) = default;
  };
  [[nodiscard]] static gang_fit fit_of(const gang& g);
  [[nodiscard]] reason place_under(gang& g, const std::vector<pin>& pins, reason if_none);
  [[nodiscard]] bool trial(gang& g, const pin& common);
  [[nodiscard]] bool place_once(gang& g, const pin& common);
  void settle();
  void undo();
  void drop_mates(std::uint32_t job, std::uint32_t preemptor);

  // A node for one job.
  [[nodiscard]] std::uint32_t choose(offer& o);
  [[nodiscard]] std::uint32_t choose_home(offer& o);
  [[nodiscard]] std::uint32_t choose_away(offer& o);
  [[nodiscard]] std::uint32_t choose_at(offer& o, std::int32_t priority, std::uint32_t away_mask);
  [[nodiscard]] std::uint32_t preempt_fairly(offer& o, std::uint32_t query, std::uint32_t matcher);
  [[nodiscard]] std::uint32_t push_in(offer& o, std::uint32_t query);

  // Which node, by config::node_order.
  enum class node_users : std::uint8_t { nobody, sole, shared };
  struct order_of_nodes {
    explicit order_of_nodes(const config& conf);
    bool by_fit = false;      ///< Best fit is among the keys.
    bool asks_users = false;  ///< A key asks whose jobs run on a node.
    bool walks_free = false;  ///< The index is not in this order.
    /// Armada's: victims for balance are the first that make room, from the end of the table.
    bool walks_table = false;
    bool ranks_balance = false;  ///< Class and share are asked first, and nobody's users.
    bool counts_victims = false;
    bool fit_before_count = false;
  };
  /// A node, and what it costs others that the job goes there.
  struct victim_choice {
    std::uint32_t node = none;  ///< `none`: nobody there may leave for this job, or too few.
    std::int32_t level = 0;     ///< Highest priority of a victim.
    double share = 0;           ///< Of the victims' richest queue.
    std::size_t count = 0;
    node_users users = node_users::nobody;
    std::uint32_t soft_taints = 0;  ///< Not tolerated ones.
    bool shared = false;            ///< Gangs decide, so that other nodes' changes count as well.
    bool listed = false;            ///< Among those: it was so once.
    bool judged = true;             ///< False: at the best, so that few nodes need be judged.
  };
  [[nodiscard]] node_users users_of(std::uint32_t node, std::uint32_t queue) const;
  void look_at(victim_choice& choice, const offer& o, std::uint32_t matcher) const;
  [[nodiscard]] int compare_fit(std::uint32_t a, std::uint32_t b) const;
  /// Below 0: the key prefers a; 0: it does not care.
  [[nodiscard]] int compare_by(node_key key, const victim_choice& a, const victim_choice& b) const;
  [[nodiscard]] bool better(const victim_choice& a, const victim_choice& b) const;
  /// `share_of` gives that of a victim's queue.
  template <class Share>
  [[nodiscard]] victim_choice harm_of(const std::vector<std::uint32_t>& victims, std::uint32_t node,
                                      Share&& share_of) const {
    victim_choice out;
    out.node = node;
    out.level = cross_pool_priority;
    out.count = victims.size();
    for (const auto job : victims) {
      out.level = std::max(out.level, nodes_.bound_priority(job));
      out.share = std::max(out.share, share_of(job));
    }
    return out;
  }
  [[nodiscard]] bool notes_newcomers() const {
    return conf_.explicit_victims() || order_.asks_users;
  }
  void note_newcomer(std::uint32_t node, const offer& o) {
    newcomers_.push_back({o.job, newest_[node]});
    newest_[node] = static_cast<std::uint32_t>(newcomers_.size() - 1);
    if (!largest_victim_.empty()) count_newcomer(o.job, o.shape);
  }
  template <class Visit>
  void for_newcomers(std::uint32_t node, Visit&& visit) const {
    for (auto at = newest_[node]; at != none; at = newcomers_[at].older) visit(newcomers_[at].job);
  }
  [[nodiscard]] std::uint32_t preferred_free(const offer& o, std::uint32_t matcher);

  // Victims for balance, by the same order of nodes.
  /// What nodes would cost a query, followed like the search's results.
  struct balance_cache {
    std::size_t position = 0;
    std::size_t built = 0;  ///< Size of the ranking when it was new.
    std::unique_ptr<node_ranking> ranking;
  };
  /// Who leaves a node for the job goes to crowd_places_, as places in the table; false: there
  /// would not be room.
  [[nodiscard]] bool gather_crowd(const offer& o, std::uint32_t node);
  /// Takes those out of it without whom there is room as well.
  void spare_places(const offer& o);
  /// Makes crowd_ of it.
  void name_crowd();
  /// Its victims go to crowd_.
  [[nodiscard]] std::uint32_t preferred_fair(const offer& o, std::uint32_t query,
                                             std::uint32_t matcher);
  [[nodiscard]] std::uint32_t judge_all_fairly(const offer& o, std::uint32_t matcher);
  /// Nodes can be ranked for the job and all like it.
  [[nodiscard]] bool ranks_balance(const offer& o, std::uint32_t matcher);
  [[nodiscard]] balance_cache& balance_of(std::uint32_t query, std::int32_t priority);
  void follow_balance(balance_cache& c, const offer& o, std::uint32_t matcher);
  void rank_all(balance_cache& c, const offer& o, std::uint32_t matcher);
  void rank_node(node_ranking& into, const offer& o, std::uint32_t matcher, std::uint32_t node);
  /// Which of evicted_levels_ the job at that place of the table has.
  [[nodiscard]] std::uint32_t level_of_place(std::uint32_t place) const {
    std::uint32_t level = 0;
    while (place < level_begins_[level]) ++level;
    return level;
  }
  [[nodiscard]] node_rank rank_of(std::uint32_t node, std::size_t victims,
                                  std::uint32_t matcher) const;
  /// A job starts to hold room (+1) or loses it (-1).
  void count_held(std::uint32_t job, std::uint32_t shape, std::int64_t sign) {
    if (held_.is_open()) held_.count(books_.of(job), shape, sign);
  }
  /// Without urgency a lower class gives way only to a queue that will have less than its own.
  [[nodiscard]] bool balance_alone(const offer& o, const table_entry& victim);

  // Urgency with victims named at once (explicit_victims).
  /// What each node would cost a query, kept like the search's results, with a tree of the best.
  struct urgency_cache {
    std::size_t position = 0;
    std::vector<victim_choice> choices;  ///< By node.
    std::vector<std::uint32_t> tree;     ///< Best node below each vertex.
    std::vector<std::uint32_t> shared;   ///< Nodes to be judged again each time.
  };
  [[nodiscard]] std::uint32_t push_in_naming(offer& o, std::uint32_t query, std::uint32_t matcher);
  /// The same where only some nodes are asked.
  [[nodiscard]] std::uint32_t push_in_among(offer& o, std::uint32_t matcher,
                                            const std::vector<std::uint32_t>& nodes);
  struct candidate {
    std::int32_t at;
    bool is_bound;
    double share;
    std::int64_t created;
    std::uint32_t job;
  };
  [[nodiscard]] bool more_entitled(const candidate& a, const candidate& b) const;
  /// Those of a node who may leave go to candidates_; whether gangs decide.
  [[nodiscard]] bool gather_candidates(const offer& o, std::uint32_t node);
  [[nodiscard]] bool has_left(std::uint32_t job) const;
  [[nodiscard]] victim_choice pick_victims(const offer& o, std::uint32_t node);
  [[nodiscard]] victim_choice judge_node(const offer& o, std::uint32_t matcher, std::uint32_t node);
  void measure_victims();
  void count_victim(std::uint32_t shape);
  void count_newcomer(std::uint32_t job, std::uint32_t shape);
  /// What the node costs at least.
  [[nodiscard]] victim_choice at_best(const offer& o, std::uint32_t matcher, std::uint32_t node);
  void choose_again(urgency_cache& c, const victim_choice& choice, std::uint32_t node);
  /// The best node, with its victims in victims_.
  [[nodiscard]] std::uint32_t judge_best(urgency_cache& c, const offer& o, std::uint32_t matcher);
  void follow(urgency_cache& c, const offer& o, std::uint32_t matcher);
  [[nodiscard]] std::uint32_t better_node(const urgency_cache& c, std::uint32_t a,
                                          std::uint32_t b) const;
  [[nodiscard]] bool gang_may_leave(std::uint32_t job, std::int32_t below);
  [[nodiscard]] double victim_share(std::uint32_t job) const;
  void spare_unneeded(const offer& o, std::uint32_t node, std::vector<std::uint32_t>& crowd);
  void push_out(std::uint32_t job, std::uint32_t preemptor);
  void push_out_one(std::uint32_t job, std::uint32_t preemptor, preemption_cause cause);
  /// Whether the preemption budget covers crowd_ and its gangs.
  [[nodiscard]] bool within_budget();
  void bring_back();

  // Result.
  void fail(std::string why);
  /// Surprise 10: Armada's round fails when jobs of one queue that request nothing are lost.
  [[nodiscard]] bool books_contradict() const;
  void write_plan();
  void write_leases();
  /// It, or its gang, was placed in this round and then lost its place to others.
  void refuse_displaced(std::uint32_t job);
  void write_preemptions();
  /// A guest's gang may also run where this round does not look; it ends as a whole.
  void write_mates_elsewhere();
  [[nodiscard]] std::uint64_t hash_of_node(std::uint32_t slot);
  void write_queues();
  void self_check();
  /// Where Armada is known to give more than there is.
  [[nodiscard]] bool may_overcommit(std::uint32_t node) const;

  [[nodiscard]] std::uint32_t shape_of(std::uint32_t job) const { return t_.jobs[job].shape; }

  const tables& t_;
  const config& conf_;
  const round_params& params_;
  std::uint32_t pool_;
  order_of_nodes order_;
  space nodes_;
  matching matching_;
  node_search search_;
  books books_;
  plan plan_;

  offer_lists returning_;
  std::vector<found_job> evicted_;  ///< In the order of eviction; a job may stand twice.
  std::vector<std::uint32_t> floating_holders_;  ///< Those evicted that hold floating amounts.
  std::vector<std::uint32_t> left_out_;          ///< Members that their gangs do without.
  std::vector<placed_job> placed_;     ///< New jobs, some of which may have been evicted again.
  std::vector<std::uint8_t> misfits_;  ///< By shape: an equal single job fitted nowhere.
  std::vector<cause_record> causes_;
  absl::flat_hash_map<std::uint32_t, std::uint32_t> gang_queues_;  ///< By gang name.
  std::vector<std::uint32_t> banned_;  ///< Dimensions of unscheduled resources.
  /// By node: jobs that this round bound there, also in trials that were undone.
  std::vector<std::uint32_t> newest_;  ///< The last of them, in newcomers_.
  struct newcomer {
    std::uint32_t job;
    std::uint32_t older;
  };
  std::vector<newcomer> newcomers_;
  absl::flat_hash_map<std::uint64_t, urgency_cache> urgency_;  ///< By query and priority.
  std::vector<std::uint32_t> victims_;                         ///< Of the last pick_victims().
  std::vector<candidate> candidates_;  ///< A heap, the least entitled in front.
  /// What is left of candidates_ holds for the next job at this priority as long as nothing but
  /// that choice has changed any node.
  struct candidates_left {
    std::uint32_t node = none;
    std::int32_t priority = 0;
    std::uint32_t after = none;  ///< The job that was given this node.
    std::uint64_t position = 0;  ///< Of the last change, once that job is bound.
  };
  candidates_left rest_;
  std::vector<std::uint64_t> node_hashes_;  ///< By the snapshot's node, of its id; 0: not yet.
  std::vector<std::int64_t> victim_room_;
  std::vector<std::int64_t> spare_room_;
  std::vector<std::int64_t> largest_victim_;  ///< By resource; empty until asked for.
  double richest_share_ = 0;
  std::vector<double> victim_shares_;       ///< By dense queue: cost by weight before the round.
  std::vector<std::uint32_t> last_urgent_;  ///< By node: the last job that pushed in.
  /// Jobs pushed out in this transaction, with the job that did it.
  struct pushed_job {
    std::uint32_t job;
    std::uint32_t preemptor;
    preemption_cause cause;
    bool was_bound = false;
  };
  std::vector<pushed_job> pushed_;
  /// By node: in pass 2 a job returned after one of a lower priority, which its row does not see.
  std::vector<std::uint8_t> reshuffled_;
  std::vector<std::int32_t> lowest_return_;  ///< By node: lowest priority that returned in pass 2.
  std::vector<std::uint32_t> crowd_;
  holdings held_;  ///< Open once somebody may leave for balance.
  absl::flat_hash_map<std::uint64_t, std::unique_ptr<balance_cache>>
      balance_;  ///< By query and priority.
  std::uint64_t last_balance_key_ = 0;
  balance_cache* last_balance_ = nullptr;
  std::vector<std::uint32_t> crowd_places_;  ///< What gather_crowd() found.
  /// The priorities of the jobs in the table, ascending; before that those of evicted jobs as they
  /// come.
  std::vector<std::int32_t> evicted_levels_;
  /// Where each begins in the table, in which the highest comes first.
  std::vector<std::uint32_t> level_begins_;
  std::vector<std::uint32_t> filed_;  ///< By rival: the last rank_node() that filed under it.
  std::uint32_t filing_ = 0;
  std::vector<std::uint8_t> fit_bits_;           ///< By index column, in a rank; empty: too many.
  const gang* on_trial_ = nullptr;               ///< The gang that is being placed.
  const offer* on_turn_ = nullptr;               ///< The member that is given a node.
  absl::flat_hash_set<std::uint32_t> leaving_;   ///< Whom the preemption budget must cover.
  absl::flat_hash_set<std::uint32_t> at_stake_;  ///< Of the gang on trial, see find_at_stake().
  std::vector<std::int64_t> held_floating_;      ///< Its scratch: by resource.
  pin pin_;                                      ///< Of the trial under way.
  std::vector<std::uint32_t> lightened_;  ///< Queues that lost bound jobs since the last turn.
  std::uint64_t decisions_ = 0;
  std::uint64_t returned_ = 0;
  bool ended_ = false;
  bool second_ = false;
};

}  // namespace argosy::scheduling::engine
