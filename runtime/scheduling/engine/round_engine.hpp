// SPDX-License-Identifier: Apache-2.0
// One round from its start to its plan: evict jobs, number the evicted ones, pass 1, evict from
// oversubscribed nodes, pass 2, write the plan. Owned by schedule(); not thread-safe.
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
#include "runtime/scheduling/engine/nodes/newcomers.hpp"
#include "runtime/scheduling/engine/nodes/search.hpp"
#include "runtime/scheduling/engine/nodes/space.hpp"
#include "runtime/scheduling/engine/nodes/user_index.hpp"
#include "runtime/scheduling/engine/queues/books.hpp"
#include "runtime/scheduling/engine/queues/contest.hpp"
#include "runtime/scheduling/engine/queues/heads.hpp"
#include "runtime/scheduling/engine/queues/holdings.hpp"
#include "runtime/scheduling/engine/queues/pins.hpp"
#include "runtime/scheduling/engine/recently_used.hpp"
#include "runtime/scheduling/engine/steps/gang_losses.hpp"
#include "runtime/scheduling/engine/steps/gang_packing.hpp"
#include "runtime/scheduling/engine/steps/node_ranking.hpp"
#include "runtime/scheduling/plan.hpp"
#include "runtime/scheduling/round.hpp"

namespace argosy::scheduling::engine {

class round_engine {
 public:
  round_engine(const snapshot& from, const config& conf, const round_params& params,
               std::uint32_t pool);

  [[nodiscard]] plan run();
  /// How many of these queued jobs, members of one gang, there is room for beside what runs. Call
  /// it instead of run(), with a configuration that switches preemption off.
  [[nodiscard]] members_placed place_beside(const std::vector<std::uint32_t>& jobs);

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
  /// Sets the order of the table and what queues hold, for choosing victims by config::node_order.
  void rank_evicted(std::vector<table_entry>& order);
  [[nodiscard]] std::vector<found_job> oversubscribed();
  void evict_oversubscribed(std::vector<found_job> found);
  [[nodiscard]] bool one_queue_per_gang(std::uint32_t gang);

  // A pass.
  void compete(contest& streams);
  [[nodiscard]] bool discarded(const gang& g) const;
  [[nodiscard]] reason attempt(gang& g, std::uint32_t queue);
  [[nodiscard]] reason barred(const gang& g, std::uint32_t queue);
  /// Sets new_amounts_.
  void sum_new_amounts(const gang& g);
  [[nodiscard]] bool total_lost(const std::vector<std::uint32_t>& jobs) const;
  /// Whether the gang would bring the use of a floating resource above its bound, or so high that
  /// more evicted jobs could not return than the preemption budget covers.
  [[nodiscard]] bool lacks_floating(const gang& g);
  /// If the preemption budget is finite, puts the evicted jobs into at_stake_ that may not be able
  /// to return once the gang on trial has its floating amounts.
  void find_at_stake();
  /// Takes the room away that evicted jobs held which cannot return.
  void give_up_room(const gang& g);
  void note_return(const offer& o);
  void refuse(const gang& g, reason why);
  void accept(const gang& g, std::uint32_t queue);
  void report_rest(contest& streams);

  // Slices and lottery instead of progressive filling.
  struct slice {
    double share = 0;                ///< The queue's part of what is free.
    double worth = 0;                ///< The cost of what is left, once lots are drawn.
    std::vector<std::int64_t> left;  ///< The amounts of the slice that are left.
    std::vector<gang> deferred;      ///< Gangs that did not fit their slice.
    std::size_t next = 0;            ///< The first of `deferred` that was not drawn yet.
    std::uint32_t misses = 0;        ///< Gangs that were tried for the slice and not placed.
  };
  void draw_lots(contest& streams);
  [[nodiscard]] std::vector<slice> cut_slices(contest& streams);
  /// Queues take turns until none of them places a gang in its slice any more.
  void fill_slices(contest& streams, std::vector<slice>& slices);
  /// Goes down the queue's list until a gang is placed, and returns false if none was. Gangs that
  /// were tried in vain stay in the queue's window of config::slice_batch gangs, and end its turns
  /// once they fill it.
  [[nodiscard]] bool take_turn(contest& streams, std::uint32_t queue, std::vector<slice>& slices);
  [[nodiscard]] reason try_gang(gang& g, std::uint32_t queue, slice& own);
  /// Takes the queue, or all queues, out of the lots if the outcome ended its turns, or the round.
  void end_lots(contest& streams, std::vector<slice>& slices, std::uint32_t queue, reason outcome);
  /// Computes each queue's chance in the next draw and returns the sum.
  double weigh_lots(contest& streams, const std::vector<slice>& slices,
                    std::vector<double>& chances) const;
  [[nodiscard]] double usage_priority(std::uint32_t queue) const;
  /// The number that a queue's slice is proportional to, as is its chance once all slices are used
  /// up.
  [[nodiscard]] double part_of(std::uint32_t queue) const;

  // Placing.
  [[nodiscard]] reason place(gang& g);
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
  /// The node that the table names first; the victims go to crowd_.
  [[nodiscard]] std::uint32_t first_fair(const offer& o, std::uint32_t query);
  [[nodiscard]] std::uint32_t push_in(offer& o, std::uint32_t query);

  // Which node, by config::node_order.
  enum class node_users : std::uint8_t { nobody, sole, shared };
  struct order_of_nodes {
    explicit order_of_nodes(const config& conf);
    bool by_fit = false;      ///< Best fit is among the keys.
    bool asks_users = false;  ///< A key asks whose jobs run on a node.
    /// Free nodes have to be walked, since the index is not in this order.
    bool walks_free = false;
    /// As in Armada, victims for balance are the first that make room, from the end of the table.
    bool walks_table = false;
    /// Class and share are the first keys, and no key asks whose jobs run on a node.
    bool ranks_balance = false;
    bool counts_victims = false;
    bool fit_before_count = false;
    /// Whose nodes are asked in turn for the best fit, before all of them are.
    std::vector<node_users> users_first;
    [[nodiscard]] bool names_users_first(const std::vector<node_key>& keys);
    /// Free nodes come by `users_first` and then by best fit, so that none has to be walked.
    bool by_users = false;
  };
  /// A node, and what it costs other jobs if the job goes there.
  struct victim_choice {
    std::uint32_t node = none;  ///< `none` if not enough jobs there may leave for this job.
    std::int32_t level = 0;     ///< The highest priority of a victim.
    double share = 0;           ///< The share of the richest among the victims' queues.
    std::size_t count = 0;
    node_users users = node_users::nobody;
    std::uint32_t soft_taints = 0;  ///< The number of soft taints that are not tolerated.
    bool roomiest = false;          ///< The node with most room is the best one.
    /// Gangs matter for the choice, so that changes of other nodes count as well.
    bool shared = false;
    bool listed = false;  ///< The node is in urgency_cache::shared, since `shared` was true once.
    /// False for an estimate by at_best(), with which few nodes have to be judged.
    bool judged = true;
  };
  [[nodiscard]] node_users users_of(std::uint32_t node, std::uint32_t queue);
  void look_at(victim_choice& choice, const offer& o, std::uint32_t matcher);
  [[nodiscard]] int compare_fit(std::uint32_t a, std::uint32_t b) const;
  /// Returns a number below 0 if the key prefers `a`, and 0 if it prefers neither.
  [[nodiscard]] int compare_by(node_key key, const victim_choice& a, const victim_choice& b) const;
  [[nodiscard]] bool better(const victim_choice& a, const victim_choice& b) const;
  void note_newcomer(std::uint32_t node, const offer& o) {
    newcomers_.note(node, o.job);
    if (!largest_victim_.empty()) count_newcomer(o.job, o.shape);
  }
  /// The node without victims that the keys prefer.
  [[nodiscard]] std::uint32_t preferred_free(const offer& o, std::uint32_t query,
                                             std::uint32_t matcher);

  // Victims for balance, by the same order of nodes.
  /// What nodes would cost a query. It is kept up to date like the results of the search.
  struct balance_cache {
    std::size_t position = 0;
    std::size_t built = 0;  ///< The size of the ranking when it was new.
    std::unique_ptr<node_ranking> ranking;
  };
  /// Puts the places in the table of the jobs that would leave the node for the job into
  /// crowd_places_. Returns false if there would not be room.
  [[nodiscard]] bool gather_crowd(const offer& o, std::uint32_t node);
  /// Whether the gang may fall for the job, and does not yet.
  [[nodiscard]] bool may_fall(const gang_loss& gang, const offer& o) const;
  struct crowd_size {
    std::size_t jobs = 0;
    std::uint32_t level = 0;  ///< The highest level of a job.
  };
  /// What falls with the jobs in crowd_places_, themselves included.
  [[nodiscard]] crowd_size measure_crowd() const;
  /// Makes crowd_ of crowd_places_.
  void name_crowd();
  /// The best node with victims for balance; the victims go to crowd_.
  [[nodiscard]] std::uint32_t preferred_fair(const offer& o, std::uint32_t query,
                                             std::uint32_t matcher);
  [[nodiscard]] std::uint32_t judge_all_fairly(const offer& o, std::uint32_t matcher);
  /// Whether nodes can be ranked for the job and all that are like it.
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
    if (totals_.is_open()) totals_.count(books_.of(job), shape, sign);
  }
  /// Whether the rival gives way for balance alone: without urgency a lower class gives way only to
  /// a queue that will have less than its own.
  [[nodiscard]] bool balance_alone(const offer& o, std::uint32_t rival);

  // Urgency with victims named at once (explicit_victims).
  /// What each node would cost a query, with a tree of the best ones. It is kept up to date like
  /// the results of the search.
  struct urgency_cache {
    std::size_t position = 0;
    std::vector<victim_choice> choices;  ///< The choice for each node.
    std::vector<std::uint32_t> tree;     ///< The best node below each vertex.
    std::vector<std::uint32_t> shared;   ///< The nodes that have to be judged again each time.
    /// How many of them a round keeps, which grow with the number of nodes.
    [[nodiscard]] static std::size_t most(std::size_t nodes);
  };
  [[nodiscard]] std::uint32_t push_in_naming(offer& o, std::uint32_t query, std::uint32_t matcher);
  /// Does the same when only some nodes are asked.
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
  /// Puts the jobs of a node that may leave into candidates_. Returns whether gangs matter for
  /// that.
  [[nodiscard]] bool gather_candidates(const offer& o, std::uint32_t node);
  [[nodiscard]] bool has_left(std::uint32_t job) const;
  [[nodiscard]] victim_choice pick_victims(const offer& o, std::uint32_t node);
  [[nodiscard]] victim_choice judge_node(const offer& o, std::uint32_t matcher, std::uint32_t node);
  void measure_victims();
  void count_victim(std::uint32_t shape);
  void count_newcomer(std::uint32_t job, std::uint32_t shape);
  /// An estimate of what the node costs at least.
  [[nodiscard]] victim_choice at_best(const offer& o, std::uint32_t matcher, std::uint32_t node);
  void choose_again(urgency_cache& c, const victim_choice& choice, std::uint32_t node);
  /// The best node; its victims go to victims_.
  [[nodiscard]] std::uint32_t judge_best(urgency_cache& c, const offer& o, std::uint32_t matcher);
  void follow(urgency_cache& c, const offer& o, std::uint32_t matcher);
  [[nodiscard]] std::uint32_t better_node(const urgency_cache& c, std::uint32_t a,
                                          std::uint32_t b) const;
  [[nodiscard]] bool gang_may_leave(std::uint32_t job, std::int32_t below);
  [[nodiscard]] double victim_share(std::uint32_t job) const;
  /// Visits the jobs that lose their places for urgency with this one, itself included.
  template <class Visit>
  void for_fallen(std::uint32_t job, Visit&& visit) const {
    const auto gang = t_.jobs[job].gang;
    if (gang == none) return visit(job);
    for (const auto mate : t_.gangs[gang].members) {
      const auto& state = nodes_.state(mate);
      if (nodes_.is_bound(mate) || ((state.flags & holds_room) != 0 && state.number != 0))
        visit(mate);
    }
  }
  void push_out(std::uint32_t job, std::uint32_t preemptor);
  void push_out_one(std::uint32_t job, std::uint32_t preemptor, preemption_cause cause);
  /// Whether the preemption budget covers crowd_ and its gangs, or there is none to keep.
  [[nodiscard]] bool within_budget();
  void bring_back();

  // Result.
  void fail(std::string why);
  /// Whether Armada's round would fail, which it does when jobs of a queue that request nothing are
  /// lost.
  [[nodiscard]] bool books_contradict() const;
  void write_plan();
  void write_leases();
  /// Refuses a job that was placed in this round, or whose gang was, and that then lost its place.
  void refuse_displaced(std::uint32_t job);
  void write_preemptions();
  /// Preempts the members of a guest's gang in other pools, since the gang ends as a whole.
  void write_mates_elsewhere();
  [[nodiscard]] std::uint64_t hash_of_node(std::uint32_t slot);
  void write_queues();
  void self_check();
  /// Whether the node is one for which Armada is known to give out more than there is.
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
  /// The evicted jobs in the order of eviction. A job may stand there twice.
  std::vector<found_job> evicted_;
  std::vector<std::uint32_t> floating_holders_;  ///< The evicted jobs that hold floating amounts.
  std::vector<std::uint32_t> left_out_;          ///< The members that their gangs start without.
  std::vector<pin> pins_;                        ///< Those of the gang on trial.
  std::vector<placed_job> placed_;  ///< The new jobs, some of which may have been evicted again.
  heads heads_;
  std::vector<cause_record> causes_;
  /// The queue of each gang, by gang name.
  absl::flat_hash_map<std::uint32_t, std::uint32_t> gang_queues_;
  std::vector<std::uint32_t> banned_;  ///< The numbers of config::unscheduled_resources.
  newcomers newcomers_;                ///< It is open if somebody reads it.
  user_index users_;
  /// The cache of a query and priority.
  recently_used<urgency_cache> urgency_;
  std::vector<std::uint32_t> victims_;  ///< The result of the last pick_victims().
  std::vector<candidate> candidates_;   ///< A heap with the job with the weakest claim in front.
  /// What is left of candidates_ can be used for the next job at this priority as long as only that
  /// choice has changed nodes.
  struct candidates_left {
    std::uint32_t node = none;
    std::int32_t priority = 0;
    std::uint32_t after = none;  ///< The job that got this node.
    std::uint64_t position = 0;  ///< The position of the last change, once that job is bound.
  };
  candidates_left rest_;
  /// The hash of the id of each node of the snapshot; 0 if not computed yet.
  std::vector<std::uint64_t> node_hashes_;
  std::vector<std::int64_t> victim_room_;
  /// The largest amount of each resource that a victim holds; empty until it is needed.
  std::vector<std::int64_t> largest_victim_;
  double richest_share_ = 0;
  std::vector<double> victim_shares_;       ///< The cost by weight of each queue before the round.
  std::vector<std::uint32_t> last_urgent_;  ///< The last job that pushed in on each node.
  /// Jobs pushed out in this transaction, with the job that did it.
  struct pushed_job {
    std::uint32_t job;
    std::uint32_t preemptor;
    preemption_cause cause;
    bool was_bound = false;
  };
  std::vector<pushed_job> pushed_;
  /// For each node, whether a job returned in pass 2 after one of a lower priority, which its row
  /// does not see.
  std::vector<std::uint8_t> reshuffled_;
  /// For each node, the lowest priority of a job that returned in pass 2.
  std::vector<std::int32_t> lowest_return_;
  std::vector<std::uint32_t> crowd_;
  holdings held_;  ///< What queues hold. It is open once a job may leave for balance.
  /// The same from the begin on. It is open if a queue has a limit of all classes.
  holdings totals_;
  /// The sum of what those jobs of a gang request that do not run yet.
  std::vector<std::int64_t> new_amounts_;
  /// What a cache is of: a query and priority, and how much gangs may lose.
  using balance_key = std::pair<std::uint64_t, std::uint32_t>;
  absl::flat_hash_map<balance_key, std::unique_ptr<balance_cache>> balance_;
  balance_key last_balance_key_;
  balance_cache* last_balance_ = nullptr;
  /// A job that is to leave a node for balance.
  struct leaver {
    std::uint32_t place;    ///< Its place in the table.
    const gang_loss* gang;  ///< What falls with it; null if nothing does.
  };
  std::vector<leaver> crowd_places_;  ///< The result of gather_crowd().
  gang_losses losses_;
  std::vector<std::int32_t> evicted_levels_;  ///< The priorities of evicted jobs, ascending.
  /// The place at which each of these begins in the table, where the highest comes first.
  std::vector<std::uint32_t> level_begins_;
  /// For each rival, the last rank_node() that filed a node under it.
  std::vector<std::uint32_t> filed_;
  std::uint32_t filing_ = 0;
  const gang* on_trial_ = nullptr;
  const offer* on_turn_ = nullptr;  ///< The member of `on_trial_` whose turn it is.
  /// The evicted jobs that the gang on trial may keep from returning, see find_at_stake().
  absl::flat_hash_set<std::uint32_t> at_stake_;
  /// Scratch memory of find_at_stake(), with one amount for each resource.
  std::vector<std::int64_t> held_floating_;
  pin pin_;                               ///< What the members must share in the trial under way.
  std::vector<std::uint32_t> lightened_;  ///< The queues that lost jobs since the last turn.
  std::uint64_t decisions_ = 0;
  std::uint64_t returned_ = 0;
  bool ended_ = false;
  bool second_ = false;
};

}  // namespace argosy::scheduling::engine
