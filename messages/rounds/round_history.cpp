// SPDX-License-Identifier: Apache-2.0
#include "messages/rounds/round_history.hpp"

#include <algorithm>

#include "messages/rounds/remedies.hpp"
#include "messages/rounds/round_digest.hpp"
#include "runtime/scheduling/explain/burst.hpp"
#include "runtime/scheduling/explain/capacity.hpp"
#include "runtime/scheduling/explain/exclusions.hpp"
#include "runtime/scheduling/explain/gang_room.hpp"
#include "runtime/scheduling/explain/queue_place.hpp"
#include "runtime/scheduling/snapshot.hpp"

namespace argosy::rounds {

namespace {

/// So many jobs before a waiting one are told by their ids.
constexpr std::size_t ahead_max = 5;

bool is_in_gang(const scheduling::snapshot& from, const ulid& job) {
  const auto kind = scheduling::kind_of(from, job);
  return kind && kind->second != scheduling::none;
}

void set_never(pool_facts& facts, const scheduling::impossibility& why) {
  facts.ever = false;
  facts.counts = why.counts;
  facts.gang = why.gang;
}

std::vector<native::excluded_nodes> nodes_by_cause(const pool_facts& facts) {
  std::vector<native::excluded_nodes> out;
  for (const auto& cause : facts.counts.causes)
    out.push_back({cause.nodes, scheduling::sentence(cause, *facts.config)});
  return out;
}

std::string code_of(const pool_facts& facts) {
  return facts.code ? std::string{to_string(*facts.code)} : std::string{};
}

}  // namespace

void look_at_nodes(const scheduling::snapshot& from, const ulid& job, pool_facts& facts) {
  const auto& conf = *facts.config;
  if (const auto why = scheduling::pool_capacity(from, conf, facts.pool).why_never(job)) {
    set_never(facts, *why);
    return;
  }
  facts.counts = scheduling::explain(from, conf, facts.pool, job);
  facts.gang = scheduling::room_for_gang(from, conf, facts.pool, job);
}

void round_memory::remember(const scheduling::plan& plan, const scheduling::snapshot& snapshot,
                            std::uint64_t round, std::int64_t time_ns) {
  round_ = round;
  time_ns_ = time_ns;
  unplaced_ = unplaced_kinds{plan, snapshot};
  shares_.clear();
  for (const auto& queue : plan.queues)
    if (!queue.guests)
      shares_[model::queue_name{queue.name}] = {queue.fair_share, queue.cost_after,
                                                queue.demand_share};
}

const native::queue_share* round_memory::share(const model::queue_name& queue) const {
  const auto found = shares_.find(queue);
  return found == shares_.end() ? nullptr : &found->second;
}

round_history::round_history(config_ptr common, std::map<std::string, config_ptr> by_pool,
                             std::size_t node_looks_max)
    : configs_(std::move(common), std::move(by_pool)), node_looks_max_(node_looks_max) {}

void round_history::keep_only(const std::vector<model::pool_name>& pools) {
  const auto is_over = [&](const auto& entry) {
    return std::find(pools.begin(), pools.end(), entry.first) == pools.end();
  };
  std::erase_if(memory_, is_over);
  std::erase_if(digests_, is_over);
  std::erase_if(discarded_, is_over);
}

void round_history::decided(const model::pool_name& pool, const scheduling::plan& plan,
                            const scheduling::snapshot& snapshot, std::uint64_t round,
                            std::int64_t time_ns) {
  discarded_.erase(pool);
  auto& memory = memory_[pool];
  memory.remember(plan, snapshot, round, time_ns);
  auto& digest = digests_[pool];
  digest = digest_of(plan, snapshot, *config_of(pool), pool, round, time_ns);
  name_kinds(memory.unplaced(), snapshot, *config_of(pool), digest);
}

void round_history::renumber(const std::vector<scheduling::shape_id>& shapes) {
  if (shapes.empty()) return;
  for (auto& [pool, memory] : memory_) memory.renumber(shapes);
}

void round_history::discarded(const model::pool_name& pool, std::string why) {
  discarded_[pool] = std::move(why);
}

void round_history::set_silent(const model::queue_name& queue, std::string why) {
  silent_.erase(queue);
  if (!why.empty()) silent_[queue] = {"QUEUE_SILENT", std::move(why)};
}

std::optional<scheduling::reason> round_history::code_in(const delta_fold& fold,
                                                         const model::pool_name& pool,
                                                         const ulid& job) const {
  const auto found = memory_.find(pool);
  const auto number = fold.snapshot().find_job(job);
  if (found == memory_.end() || !number) return {};
  // Rounds do not look at jobs that no node of their pool could take.
  if (!fold.placing().is_eligible(fold.snapshot(), job, pool))
    return is_in_gang(fold.snapshot(), job) ? scheduling::reason::gang_does_not_fit
                                            : scheduling::reason::job_does_not_fit;
  return found->second.unplaced().find(fold.snapshot(), *number);
}

pool_facts round_history::facts_of(const delta_fold& fold, const model::pool_name& pool,
                                   const ulid& job, const delta_fold::job_key& key) const {
  pool_facts facts;
  facts.pool = pool;
  facts.config = config_of(pool);
  facts.code = scheduling::exceeded_burst(fold.snapshot(), *facts.config, job);
  if (const auto why = discarded_.find(pool); why != discarded_.end())
    facts.discarded = why->second;
  const auto found = memory_.find(pool);
  if (found == memory_.end()) return facts;
  const auto& last = found->second;
  if (!facts.code) facts.code = code_in(fold, pool, job);
  if (!facts.code) return facts;
  facts.round = last.round();
  facts.time_ns = last.time_ns();
  if (const auto* share = last.share(key.queue)) facts.share = *share;
  return facts;
}

/// Why jobs can never run in the pools, remembered by kind of job while one page is answered.
class round_history::impossibilities {
 public:
  impossibilities(const round_history& of, const delta_fold& fold)
      : fold_(fold), snapshot_(fold.snapshot()) {
    for (const auto& pool : of.pools(fold))
      pools_.emplace(pool,
                     one_pool{{snapshot_, *of.config_of(pool), pool}, {}, of.node_looks_max_});
  }

  [[nodiscard]] const delta_fold& fold() const { return fold_; }
  [[nodiscard]] bool is_in_gang(const ulid& job) const {
    return rounds::is_in_gang(snapshot_, job);
  }
  /// Writes into `facts` whether the job can ever run in their pool and whether the nodes that
  /// could take it are closed, or that nobody looked.
  void look(const ulid& job, pool_facts& facts) {
    auto& of = pools_.at(facts.pool);
    const auto kind = scheduling::kind_of(snapshot_, job);
    if (!kind) return;
    auto known = of.known.find(*kind);
    if (known == of.known.end()) {
      facts.looked_at = of.looks_left >= of.capacity.nodes();
      if (!facts.looked_at) {
        facts.ever = fold_.placing().is_eligible(snapshot_, job, facts.pool);
        return;
      }
      of.looks_left -= of.capacity.nodes();
      auto never = of.capacity.why_never(job);
      const bool closed = !never && of.capacity.is_closed_to(job);
      known = of.known.emplace(*kind, prospect{std::move(never), closed}).first;
    }
    if (known->second.never) set_never(facts, *known->second.never);
    if (known->second.closed) facts.counts.causes = {{scheduling::exclusion_cause::closed, {}, 1}};
  }

 private:
  struct prospect {
    std::optional<scheduling::impossibility> never;
    bool closed = false;  ///< Whether no node that could take such a job takes new jobs now.
  };
  struct one_pool {
    scheduling::pool_capacity capacity;
    std::map<scheduling::job_kind, prospect> known;
    std::size_t looks_left = 0;
  };

  const delta_fold& fold_;
  const scheduling::snapshot& snapshot_;
  std::map<model::pool_name, one_pool> pools_;
};

native::placement_report round_history::explain(const delta_fold& fold, const ulid& job) const {
  native::placement_report report;
  const auto key = fold.find(job);
  if (!key) return report;
  report.known = true;
  const auto& from = fold.snapshot();
  report.place = scheduling::place_in_queue(from, job);
  for (const auto& other : scheduling::jobs_ahead(from, job, ahead_max))
    report.ahead.push_back({other.id, std::string{scheduling::sentence(other.why)}});
  const waiting_job about{key->queue, is_in_gang(from, job)};
  std::vector<pool_facts> all;
  for (const auto& pool : pools(fold))
    look_at_nodes(from, job, all.emplace_back(facts_of(fold, pool, job, *key)));
  sort_by_promise(all);
  report.reason = sentence(about, all);
  for (const auto& facts : all)
    report.pools.push_back({facts.pool, code_of(facts), is_never(facts), facts.round, facts.time_ns,
                            pool_line(about, facts), remedies(facts), nodes_by_cause(facts),
                            facts.share});
  if (all.empty()) return report;
  report.code = report.pools.front().code;
  report.round = all.front().round;
  report.time_ns = all.front().time_ns;
  if (const auto silent = silent_.find(key->queue); silent != silent_.end()) {
    report.code = silent->second.code;
    report.reason = silent->second.reason;
  }
  return report;
}

namespace {

/// All that the sentence in a list depends on. It is the same for many jobs of a queue.
struct question {
  model::queue_name queue;
  scheduling::job_kind kind;
  std::vector<std::optional<scheduling::reason>> codes;  ///< The codes by pool.

  friend auto operator<=>(const question&, const question&) = default;
};

}  // namespace

std::vector<native::waiting_reason> round_history::reasons(const delta_fold& fold,
                                                           const std::vector<ulid>& jobs) const {
  std::vector<native::waiting_reason> out(jobs.size());
  impossibilities never(*this, fold);
  const auto names = pools(fold);
  std::map<question, native::waiting_reason> answers;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto key = fold.find(jobs[i]);
    const auto kind = scheduling::kind_of(fold.snapshot(), jobs[i]);
    if (!key || !kind) continue;
    if (const auto silent = silent_.find(key->queue); silent != silent_.end()) {
      out[i] = silent->second;
      continue;
    }
    question asked{key->queue, *kind, {}};
    for (const auto& pool : names) asked.codes.push_back(code_in(fold, pool, jobs[i]));
    const auto [answer, is_new] = answers.try_emplace(std::move(asked));
    if (is_new) answer->second = short_reason(jobs[i], *key, names, never);
    out[i] = answer->second;
  }
  return out;
}

native::waiting_reason round_history::short_reason(const ulid& job, const delta_fold::job_key& key,
                                                   const std::vector<model::pool_name>& names,
                                                   impossibilities& never) const {
  const auto& fold = never.fold();
  std::vector<pool_facts> all;
  for (const auto& pool : names) never.look(job, all.emplace_back(facts_of(fold, pool, job, key)));
  sort_by_promise(all);
  return {all.empty() ? "" : code_of(all.front()),
          sentence({key.queue, never.is_in_gang(job)}, all)};
}

native::round_report_ptr round_history::report(const delta_fold& fold,
                                               std::map<model::queue_name, double> slowed,
                                               std::vector<native::round_trend> trends) const {
  auto out = std::make_shared<native::round_report>();
  out->slowed = std::move(slowed);
  out->trends = std::move(trends);
  for (const auto& pool : pools(fold)) {
    auto& last = out->pools.emplace_back();
    if (const auto found = digests_.find(pool); found != digests_.end()) last = found->second;
    last.pool = pool;
    if (const auto why = discarded_.find(pool); why != discarded_.end())
      last.discarded = why->second;
  }
  return out;
}

std::map<model::queue_name, native::pool_shares> round_history::shares() const {
  std::map<model::queue_name, native::pool_shares> out;
  for (const auto& [pool, last] : memory_)
    for (const auto& [queue, share] : last.shares()) out[queue][pool] = share;
  return out;
}

}  // namespace argosy::rounds
