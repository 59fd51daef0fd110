// SPDX-License-Identifier: Apache-2.0
// The slow round from the inside: what it knows of the world, the sums of queues, and where each
// job stands. The README says which rules it follows where the presets leave a choice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/oracle/slow_world.hpp"

namespace argosy::oracle {

/// What distinguishes the presets, as a row of a table with a column for each choice. The values
/// below are those of preset argosy.
struct preset_row {
  enum class cost_rule { dominant, weighted, per_cpu } cost = cost_rule::dominant;
  bool slices = false;  ///< Queues share by slices and lottery instead of progressive filling.
  bool usage_priority = false;  ///< The lottery weighs queues by their decayed usage.
  bool evicts = true;           ///< Running jobs may lose their places for balance between queues.
  /// Jobs are evicted only at priorities at which another queue has jobs waiting.
  bool evicts_contested = false;
  /// A queue whose cost is above this part of its share gives jobs up.
  double protected_fraction = 1.0;
  bool evicted_first = true;   ///< Evicted jobs of a queue come before its queued ones.
  bool class_first = true;     ///< The class goes first between queues.
  bool class_in_queue = true;  ///< The class goes first within a queue.
  bool asks_victims = true;  ///< Nodes are compared by the class and share of the jobs that leave.
  bool fewest_victims = true;    ///< Among equal nodes those with fewer victims come first.
  bool sole_user_first = false;  ///< Nodes on which only the job's own queue runs come first.
  /// Which jobs of a lower class urgency may push out: those with the class flag, those that may be
  /// preempted for balance, all, or none.
  enum class victim_rule { flagged, preemptible, any, none } victims = victim_rule::flagged;
  bool one_cluster = false;  ///< All members of a gang must be placed in one cluster.
};
[[nodiscard]] preset_row row_of(kind preset);
/// Returns the row of the world's preset, in which some columns may be taken from other presets.
[[nodiscard]] preset_row row_of(const settings& rules);

/// Where a job stands. A job that is bound runs on its node, or is to start there. An evicted job
/// holds its room until it is pushed out; then it is out. A job that is leaving was stopped before
/// this round and holds its room, but counts for nothing else.
enum class place { waiting, bound, evicted, out, leaving };
/// Where one job stands. `node` and `at` count unless it waits.
struct standing {
  place where = place::waiting;
  std::size_t node = 0;
  int at = 0;  ///< The priority at which it is bound. Jobs of a higher one may take its room.
};
/// Where all jobs stand, by the number of the job. A trial works on a copy of it.
using picture = std::vector<standing>;

/// The jobs of a gang that are tried together. A job without a gang is a band of one.
struct band {
  std::vector<std::size_t> jobs;
  bool returning = false;  ///< The jobs were evicted and may only return.
};

/// The jobs that a queue has yet to offer in this round, in their order.
struct stream {
  std::vector<std::size_t> evicted;
  std::vector<std::size_t> queued;
  std::size_t next_evicted = 0;
  std::size_t next_queued = 0;
  std::uint64_t looked_at = 0;  ///< How many queued jobs count for the look-back.
  bool closed = false;          ///< The queue gets no new jobs any more.
  /// The members that have come of gangs that are not complete yet, by the gang's id and by whether
  /// they were evicted.
  std::map<std::pair<std::string, bool>, std::vector<std::size_t>> waiting;
  std::optional<band> head;  ///< What the queue offers next.
};

/// When a band has its turn; the least goes first. It holds the class, whether the band ends above
/// its queue's share, the cost by weight, the size, whether it would start, and the queue's name.
using turn_rank = std::tuple<int, int, double, double, bool, std::string>;

/// The sums and shares of one queue. `fair`, `capped` and `uncapped` are its shares of the pool as
/// runtime/scheduling/README.md defines them.
struct account {
  const queue* row = nullptr;
  double weight = 1;
  double turn_weight = 1;  ///< The weight by which it has its turns.
  double fair = 0;
  double capped = 0;
  double uncapped = 0;
  double demand = 0;
  double tokens = no_limit;
  std::uint64_t decisions = 0;  ///< How many of its bands with new jobs were tried.
  amounts used{};
  amounts used_before{};
  std::map<std::string, amounts> by_class;
};

/// What the nodes of all members of a gang must have in common: the value of a label, or the
/// cluster. An empty text asks for nothing.
struct common_ground {
  std::string label;
  std::string value;
  std::string cluster;
};

/// A job that loses its place to another one.
struct victim {
  std::size_t job = 0;
  bool urgent = false;     ///< It leaves for urgency; otherwise it leaves for balance.
  bool was_bound = false;  ///< It was bound and not evicted when it was chosen.
};

/// The outcome of an attempt to place a gang on a copy of the picture.
struct trial_result {
  bool good = false;  ///< Enough members found a node.
  std::vector<std::size_t> jobs;
  picture after;
  std::vector<victim> victims;
  std::vector<std::size_t> left_out;  ///< The members without whom the gang starts.
  double mean_reach = 0;              ///< The mean of found::reach over the placed members.
};

/// What became of a band: it was placed, found no room, was refused by a limit, or was refused by a
/// limit that ends the turns of its queue or of all queues for new jobs.
enum class answer { placed, no_fit, refused, ends_queue, ends_round };

class slow_round {
 public:
  explicit slow_round(const world& w);
  /// Decides the world. See decide() for the lines.
  [[nodiscard]] std::vector<std::string> run();

 private:
  // These functions tell facts of the world.
  [[nodiscard]] const class_row& class_of(std::size_t job) const;
  [[nodiscard]] bool runs(std::size_t job) const;
  [[nodiscard]] bool is_queued(std::size_t job) const { return !w_.jobs[job].node; }
  [[nodiscard]] bool known_queue(const std::string& name) const;
  /// Returns the members of the job's gang that run or wait, itself included.
  [[nodiscard]] std::vector<std::size_t> mates(std::size_t job) const;
  [[nodiscard]] bool may_be_pushed(const class_row& c) const;
  [[nodiscard]] bool keeps_balance_place(std::size_t job) const;
  [[nodiscard]] bool keeps_urgent_place(std::size_t job) const;
  [[nodiscard]] amounts allocatable(std::size_t node) const;
  [[nodiscard]] bool could_use(std::size_t job, std::size_t node) const;
  [[nodiscard]] bool has_competitor(std::size_t node) const;
  [[nodiscard]] amounts counted(std::size_t node) const;
  [[nodiscard]] std::string memo_key(std::size_t job) const;

  // These functions keep the accounts of the queues.
  void open_accounts();
  void set_demand(account& a) const;
  void share_out();
  [[nodiscard]] amounts fraction_of(const std::vector<std::pair<std::size_t, double>>& of) const;
  [[nodiscard]] double cost(const amounts& a) const;
  [[nodiscard]] amounts class_limit(const account& a, const std::string& class_name) const;
  [[nodiscard]] amounts total_limit(const account& a) const;
  [[nodiscard]] amounts held_by(const account& a, const picture& p) const;
  void charge(std::size_t job, std::int64_t sign, bool starts);

  // These functions evict, and number the evicted jobs in the order in which they would return.
  /// Whether usage that fades orders the turns of queues. Slices and lots have rules of their own.
  [[nodiscard]] bool usage_orders() const { return w_.rules.usage_orders && !rules_.slices; }
  [[nodiscard]] bool is_protected(const account& a, double with) const;
  void evict();
  [[nodiscard]] bool drawn(std::size_t node) const;
  [[nodiscard]] bool wanted(std::size_t job) const;
  void number();
  [[nodiscard]] bool runs_before(std::size_t a, std::size_t b) const;
  [[nodiscard]] bool queued_before(std::size_t a, std::size_t b) const;

  // These functions give the queues their turns.
  void open_streams(bool with_queued);
  [[nodiscard]] std::optional<std::size_t> fetch(std::size_t queue);
  void fill_head(std::size_t queue);
  void fill_heads();
  void close(stream& s);
  void close_cordoned();
  /// Takes the band as the queue's head, or passes it over.
  void offer(std::size_t queue, band g);
  [[nodiscard]] bool is_misfit(const band& g) const;
  /// Whether its place is taken, so that it has no turn. Where lots decide it has one, in vain.
  [[nodiscard]] bool has_lost(std::size_t job) const;
  [[nodiscard]] turn_rank rank_of(std::size_t queue, const band& g,
                                  const std::vector<amounts>& used) const;
  [[nodiscard]] std::optional<std::size_t> next_queue(const std::vector<amounts>& used) const;
  [[nodiscard]] std::vector<amounts> used_now() const;
  void compete();
  [[nodiscard]] answer attempt(std::size_t queue, const band& g);
  [[nodiscard]] answer barred(std::size_t queue, const band& g);

  // These functions tell whether a band could be placed with all that may be taken for it.
  /// Says which evicted jobs a band may take the room of.
  using takes = std::function<bool(std::size_t job)>;
  [[nodiscard]] takes taken_by(std::size_t queue, const band& g) const;
  [[nodiscard]] bool feasible(std::size_t queue, const band& g) const;
  [[nodiscard]] bool feasible_under(const band& g, const common_ground& ground,
                                    const takes& taken) const;
  [[nodiscard]] bool has_node(std::size_t job, const common_ground& ground,
                              const takes& taken) const;
  /// Returns the room of all nodes that suit a job of the band, at its highest priority.
  [[nodiscard]] amounts pool_at_best(const band& g, const common_ground& ground,
                                     const takes& taken) const;
  [[nodiscard]] amounts room_at_best(std::size_t node, int priority, const takes& taken) const;

  // These functions count licences, which the pool has as a whole.
  /// Returns how many licences jobs at this place hold; jobs of unknown queues count as well.
  [[nodiscard]] std::int64_t licences_held(const picture& p, place where) const;
  /// Returns how many licences nobody can take: those of bound and of leaving jobs.
  [[nodiscard]] std::int64_t licences_taken(const picture& p) const;
  [[nodiscard]] std::int64_t licences_of(const std::vector<std::size_t>& jobs) const;
  /// Returns how many licences may be held at most. Evicted jobs return as long as no more are held
  /// than there are, or than were held before the round.
  [[nodiscard]] std::int64_t licences_most() const;
  /// Returns the evicted jobs, gang mates included, that may not be able to return for want of
  /// licences once these jobs start.
  [[nodiscard]] std::set<std::size_t> at_stake(const std::vector<std::size_t>& starting) const;

  // These functions cut slices and draw lots.
  struct slice {
    double part = 0;             ///< The slice as a part of all that is cut.
    amounts left{};              ///< What of the slice is not used yet.
    std::vector<band> deferred;  ///< The bands that did not fit into the slice.
    std::size_t next = 0;        ///< The first of `deferred` that has no lot yet.
    std::uint64_t misses = 0;    ///< How many gangs were tried against the slice and not placed.
  };
  [[nodiscard]] double claim(std::size_t queue) const;
  [[nodiscard]] double part_of(std::size_t queue) const;
  [[nodiscard]] static std::int64_t steps_of(double part);
  [[nodiscard]] std::vector<slice> cut_slices();
  [[nodiscard]] bool takes_turn(std::size_t queue, std::vector<slice>& slices);
  [[nodiscard]] answer try_in_slice(std::size_t queue, const band& g, slice& own);
  void end_lots(std::vector<slice>& slices, std::size_t queue, answer outcome);
  void draw_lots();

  // These functions find nodes.
  [[nodiscard]] answer place_gang(const band& g);
  [[nodiscard]] std::vector<common_ground> grounds(const band& g) const;
  [[nodiscard]] std::size_t least_members(const band& g) const;
  /// Returns the largest part of the pool that the job asks for of a resource of nodes.
  [[nodiscard]] double dominant(std::size_t job) const;
  /// With `spread` members smaller than the largest take the roomiest nodes.
  [[nodiscard]] trial_result try_under(const band& g, const common_ground& ground,
                                       bool spread) const;
  void settle(const trial_result& t);
  [[nodiscard]] bool suits(std::size_t job, std::size_t node, const std::vector<leave>& tolerated,
                           const common_ground& ground) const;
  /// Whether the node would suit the job if it took new jobs.
  [[nodiscard]] bool suits_open(std::size_t job, std::size_t node,
                                const std::vector<leave>& tolerated,
                                const common_ground& ground) const;
  [[nodiscard]] amounts room(const picture& p, std::size_t node) const;
  [[nodiscard]] int soft_taints(std::size_t node, const std::vector<leave>& tolerated) const;
  [[nodiscard]] bool tighter(const picture& p, std::size_t a, std::size_t b,
                             const std::vector<leave>& tolerated, bool roomiest = false) const;
  [[nodiscard]] int user_rank(const picture& p, std::size_t node, const std::string& queue) const;

  /// What a node is wanted for: a job, at a priority, with these tolerations.
  struct search {
    std::size_t job = 0;
    int priority = 0;
    std::vector<leave> tolerated;
    common_ground ground;
    bool roomiest = false;  ///< Among nodes where nobody leaves the one with most room is taken.
  };
  /// Returns the ways in which the job is tried: at home, then on each kind of node away from home.
  [[nodiscard]] std::vector<search> ways_of(std::size_t job, const common_ground& ground) const;
  struct found {
    std::size_t node = 0;
    int priority = 0;
    /// The highest priority among the victims, or -2 if nobody leaves.
    int reach = -2;
    std::vector<victim> victims;  ///< The victims, their gang mates included.
  };
  [[nodiscard]] std::optional<found> choose(const trial_result& so_far, std::size_t job,
                                            const common_ground& ground, bool roomiest) const;
  [[nodiscard]] std::optional<found> choose_at(const trial_result& so_far, const search& s) const;
  [[nodiscard]] std::optional<found> without_preemption(const picture& p, const search& s) const;
  [[nodiscard]] std::optional<found> preempt_fairly(const trial_result& so_far,
                                                    const search& s) const;
  [[nodiscard]] std::optional<found> push_in(const picture& p, const search& s) const;
  /// A node, and the jobs that leave it.
  struct choice {
    std::size_t node = 0;
    std::vector<std::size_t> victims;  ///< The victims, their gang mates included.
    int level = -1;                    ///< The highest priority among the victims.
    double share = 0;                  ///< The largest share among the victims' queues.
    int users = 0;                     ///< The user_rank() of the node.
  };
  /// Gives the jobs that would lose their places if the job went to a node. The list is empty if
  /// the job does not fit there even then.
  using victims_of = std::function<std::vector<std::size_t>(std::size_t node)>;
  void weigh(choice& c, const picture& p, const search& s, bool for_balance) const;
  /// Returns the best of all suitable nodes that somebody leaves; nothing if there is none.
  [[nodiscard]] std::optional<choice> best_choice(const picture& p, const search& s,
                                                  bool for_balance,
                                                  const victims_of& victims) const;
  /// Whether `a` is better in the preset's order of nodes.
  [[nodiscard]] bool better(const picture& p, const search& s, const choice& a,
                            const choice& b) const;
  [[nodiscard]] std::vector<std::size_t> balance_victims(const trial_result& so_far,
                                                         const search& s, std::size_t node) const;
  [[nodiscard]] double share_held(const picture& p, std::size_t queue, const amounts& more) const;
  [[nodiscard]] std::vector<std::size_t> urgent_victims(const picture& p, const search& s,
                                                        std::size_t node) const;
  [[nodiscard]] bool may_leave(const picture& p, std::size_t job, int below,
                               std::size_t starting) const;
  [[nodiscard]] double share_before(std::size_t job) const;
  [[nodiscard]] std::vector<std::size_t> falls_with(const picture& p, std::size_t job,
                                                    bool for_balance) const;
  [[nodiscard]] amounts freed(const picture& p, std::size_t job, std::size_t node,
                              bool for_balance) const;
  /// Whether a job may still leave, once others have left.
  using may_go = std::function<bool(const picture& rest, std::size_t victim)>;
  [[nodiscard]] std::vector<std::size_t> take_from(const picture& p, const search& s,
                                                   std::size_t node,
                                                   const std::vector<std::size_t>& list,
                                                   bool for_balance, const may_go& may) const;
  [[nodiscard]] double allowed_loss(std::size_t queue) const;
  [[nodiscard]] bool spares_any(std::size_t queue) const;
  [[nodiscard]] bool within_debt(const picture& p, std::size_t victim, std::size_t starting) const;

  void bring_back();

  const world& w_;
  preset_row rules_;
  std::int64_t licences_before_ = 0;
  std::vector<std::size_t> nodes_;  ///< The nodes that count: all but empty unschedulable ones.
  amounts total_{};
  std::vector<account> accounts_;  ///< The accounts in the order of names.
  std::map<std::string, std::size_t> number_of_queue_;
  picture now_;
  /// The place of each evicted job in the order in which they would return, by job.
  std::vector<std::optional<std::size_t>> come_back_;
  /// For each evicted job, the latest turn that was taken up to its own when they were numbered.
  std::map<std::size_t, turn_rank> keys_;
  /// For each job, whether urgency may not take its room.
  std::vector<bool> stays_;
  std::vector<stream> streams_;
  /// The memo_key() of each job that fitted nowhere, after its queue's name if it may fit for
  /// others.
  std::set<std::string> misfits_;
  std::set<std::size_t> left_out_;
  amounts started_{};
  double tokens_ = no_limit;
  double preemption_tokens_ = no_limit;
  std::uint64_t decisions_ = 0;
};

/// Returns the next number of the generator SplitMix64.
[[nodiscard]] std::uint64_t next_random(std::uint64_t state);
/// Returns that number and advances the state.
[[nodiscard]] std::uint64_t draw_random(std::uint64_t& state);

[[nodiscard]] amounts plus(amounts a, const amounts& b, std::int64_t sign = 1);
/// Whether the room is enough, as far as nodes have it; floating resources do not count.
[[nodiscard]] bool fits(const amounts& need, const amounts& room);
[[nodiscard]] bool tolerates(const std::vector<leave>& tolerated, const spot& taint);

}  // namespace argosy::oracle
