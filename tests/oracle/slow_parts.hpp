// SPDX-License-Identifier: Apache-2.0
// The slow round from the inside: facts of the world, queues and their sums, who stands where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/oracle/slow_world.hpp"

namespace argosy::oracle {

/// The columns of the presets' table that a round asks for.
struct preset_row {
  enum class cost_rule { dominant, weighted, per_cpu } cost = cost_rule::dominant;
  bool slices = false;  ///< Queues share by slices and lottery instead of progressive filling.
  bool usage_priority = false;  ///< The lottery weighs queues by their decayed usage.
  bool evicts = true;
  /// Jobs are evicted only at priorities at which another queue has jobs waiting.
  bool evicts_contested = false;
  double protected_fraction = 1.0;
  bool evicted_first = true;
  bool class_first = true;     ///< The class goes first between queues.
  bool class_in_queue = true;  ///< The class goes first within a queue.
  bool asks_victims = true;  ///< Nodes are compared by the class and share of the jobs that leave.
  bool fewest_victims = true;
  bool sole_user_first = false;
  /// Which jobs of a lower class urgency may push out: those with the class flag, those that may be
  /// preempted for balance, all, or none.
  enum class victim_rule { flagged, preemptible, any, none } victims = victim_rule::flagged;
  bool one_cluster = false;
};
[[nodiscard]] preset_row row_of(kind preset);
/// The row of the preset, with the columns that are taken from other presets.
[[nodiscard]] preset_row row_of(const settings& rules);

/// Where a job stands. An evicted job holds its room until it is pushed out. A job that is leaving
/// since an earlier round holds its room, too, and is nothing else to this round.
enum class place { waiting, bound, evicted, out, leaving };
struct standing {
  place where = place::waiting;
  std::size_t node = 0;
  int at = 0;  ///< The priority at which it is bound, which counts for jobs that want its room.
};
using picture = std::vector<standing>;  ///< Where each job stands, by job.

struct band {
  std::vector<std::size_t> jobs;
  bool returning = false;
};

struct stream {
  std::vector<std::size_t> evicted;
  std::vector<std::size_t> queued;
  std::size_t next_evicted = 0;
  std::size_t next_queued = 0;
  std::uint64_t fetched = 0;
  bool closed = false;  ///< The queue gets no new jobs any more.
  std::map<std::pair<std::string, bool>, std::vector<std::size_t>> waiting;
  std::optional<band> head;
};

struct account {
  const queue* row = nullptr;
  double weight = 1;
  double fair = 0;
  double capped = 0;
  double uncapped = 0;
  double demand = 0;
  double tokens = no_limit;
  std::uint64_t decisions = 0;
  amounts used{};
  amounts used_before{};
  std::map<std::string, amounts> by_class;
};

/// What all members of a gang must have in common.
struct common_ground {
  std::string label;
  std::string value;
  std::string cluster;
};

struct victim {
  std::size_t job = 0;
  bool urgent = false;
  bool was_bound = false;
};

/// A gang's trial on a copy of the picture.
struct trial_result {
  bool good = false;
  std::vector<std::size_t> jobs;
  picture after;
  std::vector<victim> victims;
  std::vector<std::size_t> left_out;
  double mean_reach = 0;
};

enum class answer { placed, no_fit, refused, ends_queue, ends_round };

class slow_round {
 public:
  explicit slow_round(const world& w);
  [[nodiscard]] std::vector<std::string> run();

 private:
  // The facts of the world.
  [[nodiscard]] const class_row& class_of(std::size_t job) const;
  [[nodiscard]] bool runs(std::size_t job) const;
  [[nodiscard]] bool is_queued(std::size_t job) const { return !w_.jobs[job].node; }
  [[nodiscard]] bool known_queue(const std::string& name) const;
  [[nodiscard]] std::vector<std::size_t> mates(std::size_t job) const;
  [[nodiscard]] bool may_be_pushed(const class_row& c) const;
  [[nodiscard]] bool keeps_balance_place(std::size_t job) const;
  [[nodiscard]] bool keeps_urgent_place(std::size_t job) const;
  [[nodiscard]] amounts allocatable(std::size_t node) const;
  [[nodiscard]] std::string memo_key(std::size_t job) const;

  // The queues.
  void open_accounts();
  void set_demand(account& a) const;
  void share_out();
  [[nodiscard]] amounts fraction_of(const std::vector<std::pair<std::size_t, double>>& of) const;
  [[nodiscard]] double cost(const amounts& a) const;
  [[nodiscard]] amounts class_limit(const account& a, const std::string& class_name) const;
  void charge(std::size_t job, std::int64_t sign, bool starts);

  // The eviction.
  void evict();
  /// Whether what runs on the node may be evicted in this round.
  [[nodiscard]] bool drawn(std::size_t node) const;
  /// Whether the preset lets jobs of its class be evicted now.
  [[nodiscard]] bool wanted(std::size_t job) const;
  void number();
  [[nodiscard]] bool runs_before(std::size_t a, std::size_t b) const;
  [[nodiscard]] bool queued_before(std::size_t a, std::size_t b) const;

  // The turns of queues.
  void open_streams(bool with_queued);
  [[nodiscard]] std::optional<std::size_t> fetch(std::size_t queue);
  void fill_head(std::size_t queue);
  void fill_heads();
  void close(stream& s);
  [[nodiscard]] bool goes_before(std::size_t a, std::size_t b,
                                 const std::vector<amounts>& used) const;
  [[nodiscard]] std::optional<std::size_t> next_queue(const std::vector<amounts>& used) const;
  [[nodiscard]] std::vector<amounts> used_now() const;
  void compete();
  [[nodiscard]] answer attempt(std::size_t queue, const band& g);
  [[nodiscard]] answer barred(std::size_t queue, const band& g);

  // The licences, which the pool has as a whole.
  /// The licences that jobs at this place hold, jobs of unknown queues too.
  [[nodiscard]] std::int64_t licences_held(const picture& p, place where) const;
  /// The licences that nobody can take: those of bound and of leaving jobs.
  [[nodiscard]] std::int64_t licences_taken(const picture& p) const;
  [[nodiscard]] std::int64_t licences_of(const std::vector<std::size_t>& jobs) const;
  /// The most licences that may be held. Evicted jobs return as long as no more are held than there
  /// are, or than were at first.
  [[nodiscard]] std::int64_t licences_most() const;
  /// The evicted jobs, gang mates included, that may not be able to return once these start.
  [[nodiscard]] std::set<std::size_t> at_stake(const std::vector<std::size_t>& starting) const;

  // The slices and the lottery.
  struct slice {
    double part = 0;
    amounts left{};
    std::vector<band> deferred;
    std::size_t next = 0;
    std::uint64_t misses = 0;  ///< How many gangs were tried against the slice and not placed.
  };
  [[nodiscard]] double claim(std::size_t queue) const;
  /// The number to which a queue's slice is proportional, which is its chance once all slices are
  /// used.
  [[nodiscard]] double part_of(std::size_t queue) const;
  [[nodiscard]] static std::int64_t steps_of(double part);
  [[nodiscard]] std::vector<slice> cut_slices();
  [[nodiscard]] bool takes_turn(std::size_t queue, std::vector<slice>& slices);
  [[nodiscard]] answer try_in_slice(std::size_t queue, const band& g, slice& own);
  /// Notes that a queue has ended; it draws no lots for new gangs any more.
  void end_lots(std::vector<slice>& slices, std::size_t queue, answer outcome);
  void draw_lots();

  // The placing.
  [[nodiscard]] answer place_gang(const band& g);
  [[nodiscard]] std::vector<common_ground> grounds(const band& g) const;
  [[nodiscard]] trial_result try_under(const band& g, const common_ground& ground) const;
  void settle(const trial_result& t);
  [[nodiscard]] bool suits(std::size_t job, std::size_t node, const std::vector<leave>& tolerated,
                           const common_ground& ground) const;
  [[nodiscard]] amounts room(const picture& p, std::size_t node) const;
  [[nodiscard]] int soft_taints(std::size_t node, const std::vector<leave>& tolerated) const;
  /// Whether `a` fits better than `b`: by the least of the indexed amounts, then by the fewest soft
  /// taints, then by id.
  [[nodiscard]] bool tighter(const picture& p, std::size_t a, std::size_t b,
                             const std::vector<leave>& tolerated) const;
  [[nodiscard]] int user_rank(const picture& p, std::size_t node, const std::string& queue) const;

  struct search {
    std::size_t job = 0;
    int priority = 0;
    std::vector<leave> tolerated;
    common_ground ground;
  };
  struct found {
    std::size_t node = 0;
    int priority = 0;
    int reach = -2;
    std::vector<victim> victims;  ///< The victims, their gang mates included.
  };
  [[nodiscard]] std::optional<found> choose(const trial_result& so_far, std::size_t job,
                                            const common_ground& ground) const;
  [[nodiscard]] std::optional<found> choose_at(const trial_result& so_far, const search& s) const;
  [[nodiscard]] std::optional<found> without_preemption(const picture& p, const search& s) const;
  [[nodiscard]] std::optional<found> preempt_fairly(const trial_result& so_far,
                                                    const search& s) const;
  [[nodiscard]] std::optional<found> push_in(const picture& p, const search& s) const;
  /// A node, and the jobs that leave it.
  struct choice {
    std::size_t node = 0;
    std::vector<std::size_t> victims;
    int level = -1;
    double share = 0;
    int users = 0;
  };
  /// Gives the jobs that would leave a node; an empty list if the job does not fit there even so.
  using victims_of = std::function<std::vector<std::size_t>(std::size_t node)>;
  void weigh(choice& c, const picture& p, const search& s, bool for_balance) const;
  /// The best of all suitable nodes that somebody leaves; nothing if there is none.
  [[nodiscard]] std::optional<choice> best_choice(const picture& p, const search& s,
                                                  bool for_balance,
                                                  const victims_of& victims) const;
  /// Whether `a` is better in the preset's order of nodes.
  [[nodiscard]] bool better(const picture& p, const search& s, const choice& a,
                            const choice& b) const;
  /// The jobs that leave a node for balance.
  [[nodiscard]] std::vector<std::size_t> balance_victims(const trial_result& so_far,
                                                         const search& s, std::size_t node) const;
  /// The share of what a queue's jobs hold, bound and evicted ones, with this much more.
  [[nodiscard]] double share_held(const picture& p, std::size_t queue, const amounts& more) const;
  [[nodiscard]] std::vector<std::size_t> urgent_victims(const picture& p, const search& s,
                                                        std::size_t node) const;
  [[nodiscard]] bool may_leave(const picture& p, std::size_t job, int below) const;
  [[nodiscard]] double share_before(std::size_t job) const;
  /// The victims without whom the job would not fit; the best entitled one stands last.
  [[nodiscard]] std::vector<std::size_t> needed(const picture& p, const search& s, std::size_t node,
                                                std::vector<std::size_t> victims) const;

  void bring_back();

  const world& w_;
  preset_row rules_;
  std::int64_t licences_before_ = 0;
  std::vector<std::size_t> nodes_;  ///< The nodes that take part.
  std::vector<bool> overfull_;      ///< Whether a node is overfull, by node.
  amounts total_{};
  std::vector<account> accounts_;  ///< The accounts in the order of names.
  std::map<std::string, std::size_t> number_of_queue_;
  picture now_;
  /// The number of each job among those that come back, by job.
  std::vector<std::optional<std::size_t>> come_back_;
  std::vector<stream> streams_;
  std::set<std::string> misfits_;
  std::set<std::size_t> left_out_;
  amounts started_{};
  double tokens_ = no_limit;
  double preemption_tokens_ = no_limit;
  std::uint64_t decisions_ = 0;
};

/// SplitMix64's step from one number to the next.
[[nodiscard]] std::uint64_t next_random(std::uint64_t state);

[[nodiscard]] amounts plus(amounts a, const amounts& b, std::int64_t sign = 1);
/// Whether the amounts that nodes have are enough.
[[nodiscard]] bool fits(const amounts& need, const amounts& room);
[[nodiscard]] bool tolerates(const std::vector<leave>& tolerated, const spot& taint);

}  // namespace argosy::oracle
