// SPDX-License-Identifier: Apache-2.0
// Runs the steps of a round and writes the plan.
#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <cstring>

#include "runtime/scheduling/engine/mixing.hpp"
#include "runtime/scheduling/engine/nodes/idle_islands.hpp"
#include "runtime/scheduling/engine/round_engine.hpp"

namespace argosy::scheduling::engine {

namespace {

/// How many records ahead of their use memory is asked for.
constexpr std::size_t ahead = 16;

std::uint64_t hash_decision(const ulid& job, std::uint64_t salt, std::uint64_t node) {
  std::uint64_t hash = node ^ (salt * 0x9e3779b97f4a7c15u);
  std::uint64_t half[2];
  std::memcpy(half, job.bytes.data(), sizeof half);
  for (const auto part : half) {
    hash = (hash ^ part) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  return hash * 0x9e3779b97f4a7c15u;
}

}  // namespace

round_engine::round_engine(const snapshot& from, const config& conf, const round_params& params,
                           std::uint32_t pool)
    : t_(from.data()),
      conf_(conf),
      params_(params),
      pool_(pool),
      order_(conf),
      nodes_(t_, conf, params, pool),
      matching_(nodes_),
      search_(nodes_, matching_),
      books_(leave_out_islands(nodes_, matching_, pool), params, pool),
      heads_(nodes_, matching_, search_),
      banned_(banned_resources(nodes_)),
      users_(nodes_, matching_, newcomers_),
      urgency_(urgency_cache::most(nodes_.node_count())) {
  for (const auto& book : books_.queues)
    victim_shares_.push_back(books_.cost(book.used_before.data()) / book.weight);
  last_urgent_.assign(nodes_.node_count(), none);
  reshuffled_.assign(nodes_.node_count(), 0);
  lowest_return_.assign(nodes_.node_count(), every_row);
  if (books_.caps_totals()) totals_.open(books_, t_, {});
  if (conf.explicit_victims() || order_.asks_users) newcomers_.open(nodes_.node_count());
}

void round_engine::fail(std::string why) {
  plan_.error = std::move(why);
}

plan round_engine::run() {
  if (books_.overflowed()) {
    fail("what the running jobs of a queue use does not fit into 62 bits");
    return std::move(plan_);
  }
  protect_gangs();
  evict_for_balance();
  if (!plan_.error.empty()) return std::move(plan_);
  number_evicted();
  std::vector<const std::int64_t*> used;
  for (const auto& queue : books_.queues) used.push_back(queue.used.data());
  {
    contest_options options;
    options.with_queued = true;
    options.skips_lost =
        conf_.return_room_only && conf_.selection == queue_selection::progressive_filling;
    options.lookback = conf_.max_lookback;
    options.admission = &heads_;
    options.pool = pool_;
    contest streams(nodes_, books_, returning_, used, options);
    streams.close_cordoned();
    if (conf_.selection == queue_selection::progressive_filling)
      compete(streams);
    else
      draw_lots(streams);
    report_rest(streams);
  }
  if (!search_.stuck() && !conf_.explicit_victims()) {
    auto again = oversubscribed();
    if (!again.empty()) {
      evict_oversubscribed(std::move(again));
      if (!plan_.error.empty()) return std::move(plan_);
      nodes_.enter({});
      second_ = true;
      contest_options options;
      options.by_run_priority = true;
      contest streams(nodes_, books_, returning_, used, options);
      compete(streams);
    }
  }
  if (search_.stuck() || matching_.failed()) {
    plan_ = {};
    fail(matching_.failed()
             ? "an invalid rule of required node affinity had to be judged"
             : "the search for a node does not advance: a negative amount was rounded "
               "to a request of zero");
    return std::move(plan_);
  }
  bring_back();
  write_plan();
  if (!conf_.explicit_victims() && books_contradict()) {
    plan_ = {};
    fail("jobs that request nothing lose their place together, and the books of their queue break");
  }
  return std::move(plan_);
}

bool round_engine::books_contradict() const {
  absl::flat_hash_map<std::uint32_t, std::uint32_t> lost;  // The number of lost jobs on each node.
  for (const auto& p : plan_.preemptions) {
    const auto* request = t_.amounts(shape_of(p.job_index));
    if (std::all_of(request, request + t_.dims, [](auto amount) { return amount == 0; }))
      ++lost[p.node];
  }
  // If other jobs are on the node, Armada's outcome depends on chance; if these are alone there,
  // its round fails.
  for (const auto& [node, count] : lost)
    if (count >= 2 && count == t_.nodes[node].jobs.size()) return true;
  return false;
}

void round_engine::write_plan() {
  plan_.resources = t_.dim_names;
  plan_.pool_total = books_.total;
  plan_.rescheduled = returned_;
  write_queues();
  write_leases();
  write_preemptions();
  self_check();
}

void round_engine::write_leases() {
  plan_.leases.reserve(placed_.size());
  for (std::size_t i = 0; i < placed_.size(); ++i) {
    if (i + ahead < placed_.size()) {
      __builtin_prefetch(&nodes_.state(placed_[i + ahead].job));
      __builtin_prefetch(&t_.jobs[placed_[i + ahead].job]);
    }
    const auto& p = placed_[i];
    if (!nodes_.is_bound(p.job)) {
      refuse_displaced(p.job);
      continue;
    }
    const auto& record = t_.jobs[p.job];
    const auto slot = nodes_.slots[nodes_.node_of(p.job)];
    const auto priority = nodes_.bound_priority(p.job);
    plan_.leases.push_back({record.id, p.job, slot, priority, p.away});
    ++plan_.queues[books_.of(p.job)].leased;
    plan_.digest +=
        hash_decision(record.id, static_cast<std::uint64_t>(priority) + 1, hash_of_node(slot));
  }
  // A gang that was placed and pushed out again waits as a whole.
  for (const auto job : left_out_) {
    const auto& members = t_.gangs[t_.jobs[job].gang].members;
    if (std::any_of(members.begin(), members.end(), [&](std::uint32_t member) {
          return !t_.jobs[member].running && nodes_.is_bound(member);
        }))
      plan_.failed.push_back(t_.jobs[job].id);
    else
      refuse_displaced(job);
  }
}

void round_engine::refuse_displaced(std::uint32_t job) {
  const auto alone = t_.jobs[job].gang == none;
  plan_.refusals.push_back({job, alone ? reason::job_does_not_fit : reason::gang_does_not_fit});
}

void round_engine::write_preemptions() {
  for (std::size_t i = 0; i < evicted_.size(); ++i) {
    if (i + ahead < evicted_.size()) {
      __builtin_prefetch(&nodes_.state(evicted_[i + ahead].job), 1);
      __builtin_prefetch(&t_.jobs[evicted_[i + ahead].job]);
    }
    const auto& e = evicted_[i];
    auto& state = nodes_.state(e.job);
    const auto& record = t_.jobs[e.job];
    if (!record.running || nodes_.is_bound(e.job) || (state.flags & evicted) == 0) continue;
    // The flag is cleared, so that the job is reported once.
    state.flags = static_cast<std::uint8_t>(state.flags & ~evicted);
    preemption lost{record.id, e.job, record.node, preemption_cause::not_returned, {}, none};
    if (state.cause != 0) {
      const auto& cause = causes_[state.cause - 1];
      lost.cause = cause.cause;
      lost.preemptor_index = cause.preemptor;
      if (cause.preemptor != none) lost.preemptor = t_.jobs[cause.preemptor].id;
    }
    plan_.preemptions.push_back(lost);
    ++plan_.queues[books_.of(e.job)].preempted;
    plan_.digest += hash_decision(record.id, 0, hash_of_node(record.node));
  }
  if (!nodes_.guests.empty()) write_mates_elsewhere();
}

void round_engine::write_mates_elsewhere() {
  absl::flat_hash_set<std::uint32_t> told;
  for (const auto& lost : plan_.preemptions) told.insert(lost.job_index);
  for (std::size_t i = 0, count = plan_.preemptions.size(); i < count; ++i) {
    const auto lost = plan_.preemptions[i];
    const auto gang = t_.jobs[lost.job_index].gang;
    if (gang == none) continue;
    auto& figures = plan_.queues[books_.of(lost.job_index)];
    for (const auto mate : t_.gangs[gang].members) {
      const auto& record = t_.jobs[mate];
      if (!record.running || nodes_.is_bound(mate) || !told.insert(mate).second) continue;
      plan_.preemptions.push_back({record.id, mate, record.node, preemption_cause::gang_mate,
                                   lost.preemptor, lost.preemptor_index});
      ++figures.preempted;
      plan_.digest += hash_decision(record.id, 0, hash_of_node(record.node));
    }
  }
}

std::uint64_t round_engine::hash_of_node(std::uint32_t slot) {
  if (node_hashes_.empty()) node_hashes_.resize(t_.nodes.size(), 0);
  if (node_hashes_[slot] == 0) node_hashes_[slot] = hash_text(t_.nodes[slot].id);
  return node_hashes_[slot];
}

void round_engine::write_queues() {
  plan_.queues.reserve(books_.queues.size());
  for (const auto& book : books_.queues) {
    auto& out = plan_.queues.emplace_back();
    out.name = books_.name_of(book);
    out.guests = book.away;
    out.weight = book.weight;
    out.fair_share = book.fair;
    out.capped_share = book.capped;
    out.uncapped_share = book.uncapped;
    out.tokens_used = book.tokens_used;
    out.resources_taken = book.resources_taken;
    out.demand_share = book.demand;
    out.used_before = book.used_before;
    out.used_after = book.used;
    out.demand = book.wanted;
    out.cost_before = books_.cost(book.used_before.data());
    out.cost_after = books_.cost(book.used.data());
    if (!book.away) out.usage_cores = books_.cores(book.used.data());
  }
}

}  // namespace argosy::scheduling::engine

namespace argosy::scheduling {

namespace {

bool same_columns(const config& a, const config& b) {
  const auto same = [](const auto& x, const auto& y, auto key) {
    return x.size() == y.size() &&
           std::equal(x.begin(), x.end(), y.begin(),
                      [&](const auto& l, const auto& r) { return key(l) == key(r); });
  };
  return same(a.resources, b.resources, [](const auto& e) { return e.name; }) &&
         same(a.floating, b.floating, [](const auto& e) { return e.name; }) &&
         same(
             a.classes, b.classes,
             [](const auto& e) { return std::tuple(e.name, e.priority, e.urgency_preemptible); }) &&
         a.default_class == b.default_class && a.indexed_labels == b.indexed_labels &&
         a.indexed_taints == b.indexed_taints && a.soft_taints_prefer == b.soft_taints_prefer &&
         a.class_in_job_order == b.class_in_job_order;
}

}  // namespace

plan schedule(const snapshot& from, const config& conf, const round_params& params) {
  plan failed;
  if (!from.settled()) {
    failed.error = "the snapshot is not settled";
    return failed;
  }
  if (auto ok = validate(conf); !ok) {
    failed.error = ok.error().detail;
    return failed;
  }
  if (!same_columns(from.data().conf, conf)) {
    failed.error = "the snapshot was built for other resources, classes or indexes";
    return failed;
  }
  const auto pool = from.data().pools.find(params.pool);
  // The pool has no nodes and no jobs, so that there is nothing to decide.
  if (pool == none) return failed;
  return engine::round_engine(from, conf, params, pool).run();
}

}  // namespace argosy::scheduling
