// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/self_check.hpp"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "runtime/scheduling/engine/zeros.hpp"

namespace argosy::scheduling::engine {

namespace {

/// How many records ahead of their use memory is asked for.
constexpr std::size_t ahead = 16;

/// A priority below all others, for jobs without a lease.
constexpr auto nobody = std::numeric_limits<std::int32_t>::min();

class plan_checker {
 public:
  plan_checker(const plan& made, const node_columns& nodes)
      : plan_(made),
        nodes_(nodes),
        t_(nodes.t),
        pool_(nodes.borders.pool()),
        told_(t_.jobs.size()),
        change_(std::size_t{nodes.count()} * nodes.dims),
        changed_(nodes.count()) {}

  std::string run(absl::FunctionRef<bool(std::uint32_t)> may_overcommit) {
    look_at_preemptions();
    look_at_lost_gangs();
    look_at_leases();
    look_at_urgency();
    look_at_started_gangs();
    look_at_nodes(may_overcommit);
    look_at_floating();
    look_at_queue_totals();
    return std::move(violation_);
  }

 private:
  void violate(std::string what) {
    if (violation_.empty()) violation_ = std::move(what);
  }

  void tell(const ulid& job, std::uint32_t number) {
    if (told_[number]) violate("job " + to_string(job) + " was decided twice");
    told_[number] = true;
  }

  void add(std::uint32_t slot, std::uint32_t job, std::int64_t sign) {
    const auto node = nodes_.number_of(slot);
    if (std::exchange(changed_[node], 1) == 0) named_.push_back(node);
    auto* sum = change_.begin() + std::size_t{node} * nodes_.dims;
    const auto* need = t_.amounts(t_.jobs[job].shape);
    for (std::uint32_t d = 0; d < nodes_.dims; ++d) sum[d] += sign * need[d];
  }

  void look_at_preemptions() {
    const auto& lost = plan_.preemptions;
    for (std::size_t i = 0; i < lost.size(); ++i) {
      if (i + ahead < lost.size()) __builtin_prefetch(&t_.jobs[lost[i + ahead].job_index]);
      const auto& p = lost[i];
      const auto& record = t_.jobs[p.job_index];
      tell(p.job, p.job_index);
      if (!record.running || record.node != p.node) {
        violate("job " + to_string(p.job) + " was preempted where it does not run");
        continue;
      }
      if (!runs_in_round(p.job_index) && !lost_with_guest(p))
        violate("job " + to_string(p.job) + " was preempted by a round that it is not part of");
      if (nodes_.number_of(p.node) != none) add(p.node, p.job_index, -1);
      urgent_ = urgent_ || p.cause == preemption_cause::urgency;
      const auto balanced =
          p.cause == preemption_cause::fair_share || p.cause == preemption_cause::not_returned;
      if (record.gang != none) {
        auto& for_balance = lost_gangs_[record.gang];
        for_balance = for_balance || balanced;
        // As in Armada, a class does not protect the members of a gang.
        if (!nodes_.conf.protect_whole_gang) continue;
      }
      look_at_class(p, balanced);
    }
  }

  void look_at_class(const preemption& p, bool balanced) {
    const auto& of = class_of(p.job_index);
    if (balanced ? of.fair_share_preemptible
                 : of.urgency_preemptible || may_be_evicted(p.job_index))
      return;
    violate("job " + to_string(p.job) + " was preempted although its class protects it");
  }

  [[nodiscard]] const priority_class& class_of(std::uint32_t job) const {
    return nodes_.conf.classes[t_.shapes[t_.jobs[job].shape].class_index];
  }

  /// Whether the queue gives the job up for balance, so that it may leave for urgency as well.
  [[nodiscard]] bool may_be_evicted(std::uint32_t job) const {
    const auto& conf = nodes_.conf;
    if (conf.disable_fair_share_preemption && conf.base != preset::current) return false;
    if (!conf.evict_for_balance || !class_of(job).fair_share_preemptible || nodes_.is_guest(job))
      return false;
    const auto& name = t_.queues[t_.jobs[job].queue].name;
    auto at = std::lower_bound(
        plan_.queues.begin(), plan_.queues.end(), name,
        [](const queue_figures& q, const auto& wanted) { return q.name < wanted; });
    while (at != plan_.queues.end() && at->guests) ++at;
    if (at == plan_.queues.end() || at->name != name) return false;
    const auto share =
        conf.protect_uncapped ? at->uncapped_share : std::max(at->capped_share, at->fair_share);
    return at->cost_before / share > conf.protected_fraction;
  }

  /// Whether the queue gives the job up, or a gang mate where classes do not protect members of a
  /// gang.
  [[nodiscard]] bool given_up(std::uint32_t job) const {
    const auto gang = t_.jobs[job].gang;
    if (gang == none || nodes_.conf.protect_whole_gang) return may_be_evicted(job);
    const auto& members = t_.gangs[gang].members;
    return std::any_of(members.begin(), members.end(), [&](std::uint32_t mate) {
      return runs_in_round(mate) && may_be_evicted(mate);
    });
  }

  /// Whether the job leaves because its gang, which ends everywhere, lost a guest.
  [[nodiscard]] bool lost_with_guest(const preemption& p) const {
    const auto gang = t_.jobs[p.job_index].gang;
    if (gang == none || p.cause != preemption_cause::gang_mate) return false;
    const auto& members = t_.gangs[gang].members;
    return std::any_of(members.begin(), members.end(),
                       [&](std::uint32_t mate) { return runs_in_round(mate) && told_[mate]; });
  }

  [[nodiscard]] bool runs_in_round(std::uint32_t job) const {
    const auto& record = t_.jobs[job];
    return record.running && nodes_.number_of(record.node) != none &&
           (record.run_pool == pool_ || nodes_.is_guest(job));
  }

  void look_at_lost_gangs() {
    for (const auto& [gang, for_balance] : lost_gangs_)
      for (const auto mate : t_.gangs[gang].members)
        if (runs_in_round(mate) && !told_[mate])
          violate("gang '" + name_of(gang) + "' was preempted in part");
    if (!nodes_.conf.protect_whole_gang) return;
    // The members of a gang leave for the same cause as the first of them.
    for (const auto& p : plan_.preemptions) {
      const auto gang = t_.jobs[p.job_index].gang;
      if (gang != none && p.cause == preemption_cause::gang_mate)
        look_at_class(p, lost_gangs_[gang]);
    }
  }

  void look_at_leases() {
    const auto& leases = plan_.leases;
    // Without explicit victims it is not known for which job a victim leaves.
    urgent_ = urgent_ && nodes_.conf.explicit_victims();
    for (std::size_t i = 0; i < leases.size(); ++i) {
      if (i + ahead < leases.size()) __builtin_prefetch(&t_.jobs[leases[i + ahead].job_index]);
      const auto& lease = leases[i];
      const auto& record = t_.jobs[lease.job_index];
      if (record.running) violate("job " + to_string(lease.job) + " runs and was leased again");
      tell(lease.job, lease.job_index);
      if (record.gang != none) ++gang_leases_[record.gang];
      if (urgent_) starts_at_[lease.job_index] = lease.priority;
      highest_ = std::max(highest_, lease.priority);
      if (nodes_.number_of(lease.node) != none)
        add(lease.node, lease.job_index, +1);
      else
        violate("job " + to_string(lease.job) + " was leased on a node outside the round");
    }
  }

  void look_at_urgency() {
    if (!urgent_) return;
    for (const auto& p : plan_.preemptions) {
      if (p.cause != preemption_cause::urgency) continue;
      const auto found = starts_at_.find(p.preemptor_index);
      const auto starts = found == starts_at_.end() ? nobody : found->second;
      const auto level = level_of(p.job_index);
      if (starts > level || (starts == level && given_up(p.job_index))) continue;
      // A preemptor that lost its place again lost it to a job that is more urgent still.
      const auto waits = p.preemptor_index != none && !t_.jobs[p.preemptor_index].running;
      if (starts == nobody && waits && highest_ > level) continue;
      violate("job " + to_string(p.job) + " was preempted for one that is not more urgent");
    }
  }

  [[nodiscard]] std::int32_t level_of(std::uint32_t job) const {
    const auto guest = nodes_.conf.cross_pool_jobs_first && nodes_.is_guest(job);
    return guest ? cross_pool_priority : t_.jobs[job].run_priority;
  }

  void look_at_started_gangs() {
    if (!nodes_.conf.isolated_trials) return;  // As in Armada, the last member's number decides.
    for (const auto& [gang, count] : gang_leases_) {
      std::uint32_t least = none;
      for (const auto member : t_.gangs[gang].members) {
        const auto& declared = t_.gang_terms[t_.jobs[member].gang_terms];
        least = std::min(least,
                         nodes_.conf.minimum_cardinality ? declared.minimum : declared.cardinality);
      }
      if (count < least) violate("gang '" + name_of(gang) + "' was placed in part");
    }
  }

  void look_at_nodes(absl::FunctionRef<bool(std::uint32_t)> may_overcommit) {
    const auto dims = nodes_.dims;
    std::sort(named_.begin(), named_.end());  // The first one that is wrong is told.
    for (const auto node : named_) {
      const auto* sum = change_.begin() + std::size_t{node} * dims;
      if (std::all_of(sum, sum + dims, [](auto amount) { return amount <= 0; })) continue;
      const auto& record = nodes_.record(node);
      // The snapshot is asked, and not what the pool keeps of it.
      const auto first = std::size_t{nodes_.slot(node)} * dims;
      const auto* stopping = nodes_.held_by_stopping(node);
      for (std::uint32_t d = 0; d < dims; ++d) {
        auto left = std::max<std::int64_t>(0, t_.node_total[first + d] - t_.node_held[first + d]);
        left -= sum[d];
        if (stopping != nullptr) left -= stopping[d];
        for (std::size_t i = 0; i < record.cutoffs.size(); ++i) left -= record.bound[i * dims + d];
        if (left >= 0 || sum[d] <= 0 || may_overcommit(node)) continue;
        violate("node '" + record.id + "' was given more " + t_.dim_names[d] + " than it has");
      }
    }
  }

  /// Floating resources: no more may be used than there is, or than was used before, whatever the
  /// books say.
  void look_at_floating() {
    const auto first = t_.node_dims;
    if (first == t_.dims) return;
    std::vector<wide> before(t_.dims, 0);
    for (const auto& queue : t_.queues)
      for (const auto& usage : queue.running_usage)
        for (auto d = first; d < t_.dims && usage.pool == pool_ && counts(queue); ++d)
          before[d] += usage.sum[d];
    for (const auto& usage : t_.stopping_usage)
      for (auto d = first; d < t_.dims && usage.pool == pool_; ++d)
        if (nodes_.conf.base != preset::current) before[d] += usage.sum[d];
    const auto add_to = [&](std::vector<wide>& sums, std::uint32_t job, int sign) {
      for (auto d = first; d < t_.dims; ++d) sums[d] += sign * t_.amounts(t_.jobs[job].shape)[d];
    };
    for (const auto job : nodes_.guests())
      if (t_.queues[t_.jobs[job].queue].configured) add_to(before, job, +1);
    auto after = before;
    for (const auto& lease : plan_.leases) add_to(after, lease.job_index, +1);
    for (const auto& p : plan_.preemptions)
      if (t_.jobs[p.job_index].run_pool == pool_ || nodes_.is_guest(p.job_index))
        add_to(after, p.job_index, -1);
    for (auto d = first; d < t_.dims; ++d)
      if (after[d] > before[d] && after[d] > floating_total(d - first))
        violate("more " + t_.dim_names[d] + " was given than the pool has");
  }

  /// A queue uses no more than its limit of all classes, or than it used before, whatever the books
  /// say.
  void look_at_queue_totals() {
    if (!nodes_.conf.queue_totals) return;
    const auto capped = [&](std::uint32_t queue) {
      return t_.queues[queue].configured && !t_.queues[queue].total_limit.empty();
    };
    absl::flat_hash_map<std::uint32_t, std::vector<wide>> more;
    const auto add_to = [&](std::uint32_t job, int sign) {
      const auto& record = t_.jobs[job];
      if (!capped(record.queue)) return;
      auto& sum = more.try_emplace(record.queue, t_.dims, 0).first->second;
      for (std::uint32_t d = 0; d < t_.dims; ++d) sum[d] += sign * t_.amounts(record.shape)[d];
    };
    for (const auto& lease : plan_.leases) add_to(lease.job_index, +1);
    for (const auto& p : plan_.preemptions)
      if (t_.jobs[p.job_index].run_pool == pool_) add_to(p.job_index, -1);
    for (const auto& [number, sum] : more) look_at_queue_total(t_.queues[number], sum);
  }

  /// The queue's jobs get `more` than they lose.
  void look_at_queue_total(const queue_record& queue, const std::vector<wide>& more) {
    for (const auto& [name, fraction] : queue.total_limit) {
      const auto at = std::find(t_.dim_names.begin(), t_.dim_names.end(), name);
      const auto d = static_cast<std::uint32_t>(at - t_.dim_names.begin());
      if (at == t_.dim_names.end() || more[d] <= 0) continue;
      auto used = more[d];
      for (const auto& usage : queue.running_usage)
        if (usage.pool == pool_) used += usage.sum[d];
      const auto total =
          d < t_.node_dims ? nodes_.pool_total()[d] : floating_total(d - t_.node_dims);
      if (static_cast<double>(used) > static_cast<double>(total) * fraction)
        violate("queue '" + queue.name + "' was given more " + name + " than its resourceLimits");
    }
  }

  /// Whether the queue's jobs count. Armada ignores what jobs of unknown queues hold.
  [[nodiscard]] bool counts(const queue_record& queue) const {
    return queue.configured || nodes_.conf.return_room_only;
  }

  [[nodiscard]] std::int64_t floating_total(std::uint32_t number) const {
    const auto& resource = nodes_.conf.floating[number];
    const auto& pools = resource.pools;
    const auto here =
        pools.empty() || std::find(pools.begin(), pools.end(), t_.pools.name(pool_)) != pools.end();
    return here ? resource.total : 0;
  }

  [[nodiscard]] const std::string& name_of(std::uint32_t gang) const {
    return t_.gang_names.name(t_.gangs[gang].name);
  }

  const plan& plan_;
  const node_columns& nodes_;
  const tables& t_;
  std::uint32_t pool_;
  std::string violation_;
  std::vector<bool> told_;            ///< Whether the plan names each job.
  zeros<std::int64_t> change_;        ///< What each node is given, less what it loses.
  zeros<std::uint8_t> changed_;       ///< Whether the plan names each node.
  std::vector<std::uint32_t> named_;  ///< Those that it names.
  /// The gangs that lost a member, and whether one left for balance.
  absl::flat_hash_map<std::uint32_t, bool> lost_gangs_;
  absl::flat_hash_map<std::uint32_t, std::uint32_t> gang_leases_;
  bool urgent_ = false;  ///< Whether jobs leave for somebody's urgency.
  /// The priority of each job's lease.
  absl::flat_hash_map<std::uint32_t, std::int32_t> starts_at_;
  std::int32_t highest_ = nobody;  ///< The highest priority of a lease.
};

}  // namespace

std::string find_violation(const plan& made, const node_columns& nodes,
                           absl::FunctionRef<bool(std::uint32_t)> may_overcommit) {
  return plan_checker(made, nodes).run(may_overcommit);
}

void discard(plan& made, std::string violation) {
  made.violation = std::move(violation);
  made.leases.clear();
  made.preemptions.clear();
  made.failed.clear();
  made.rescheduled = 0;
  made.tokens_used = 0;
  made.preemption_tokens_used = 0;
  for (auto& queue : made.queues) {
    queue.tokens_used = 0;
    queue.resources_taken.clear();
  }
}

}  // namespace argosy::scheduling::engine
