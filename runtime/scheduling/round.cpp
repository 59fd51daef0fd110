// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/round.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/scheduling/engine/round_parts.hpp"
#include "runtime/scheduling/engine/self_check.hpp"
#include "runtime/scheduling/engine/steps/evictor.hpp"
#include "runtime/scheduling/engine/steps/lots.hpp"
#include "runtime/scheduling/engine/steps/plan_writer.hpp"
#include "runtime/scheduling/engine/steps/returning_order.hpp"
#include "runtime/scheduling/engine/steps/second_chance.hpp"
#include "runtime/scheduling/engine/steps/starter.hpp"
#include "runtime/scheduling/pool_state.hpp"

namespace argosy::scheduling {

namespace {

using namespace engine;

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

/// The plan of a round that fails. It has the number of lots as well, so that the round fails in
/// the same way when it is decided again.
plan failed(std::string why, std::uint64_t draw_limit = 0) {
  plan made;
  made.error = std::move(why);
  made.draw_limit = draw_limit;
  return made;
}

std::string why_stuck(const world& w) {
  if (w.terms.failed()) return "an invalid rule of required node affinity had to be judged";
  if (w.is_stuck())
    return "the search for a node does not advance: a negative amount was rounded to a request "
           "of zero";
  return {};
}

/// What each queue uses, as the contest reads it.
std::vector<const std::int64_t*> usage_of(const books& queues) {
  std::vector<const std::int64_t*> used;
  for (const auto& queue : queues.queues) used.push_back(queue.used.data());
  return used;
}

/// Lines up the evicted jobs, and says how well entitled they are to their places.
returning_order line_up_evicted(round_parts& parts, const evictions& evicted, heads& admission) {
  auto line = line_up(parts.nodes, parts.queues, evicted, parts.made.evicted().size(), admission);
  returning_order order;
  if (!parts.order.walks_table() && !line.empty()) {
    order = returning_order(parts.nodes.nodes.t, parts.queues, line);
    std::vector<std::uint32_t> rivals;
    for (std::uint32_t q = 0; q < evicted.returning.size(); ++q)
      if (!evicted.returning[q].empty()) rivals.push_back(q);
    parts.under_way.held().open(parts.queues, parts.nodes.nodes.t, std::move(rivals));
  }
  parts.nodes.table.enter(std::move(line));
  return order;
}

/// All queues have their turns, evicted jobs first. Returns after how many lots no more were drawn.
std::uint64_t hold_contest(round_parts& parts, const evictions& evicted, heads& admission,
                           starter& turns, plan_writer& writer, const round_params& params) {
  const auto& conf = parts.nodes.nodes.conf;
  contest_options options;
  options.with_queued = true;
  options.skips_lost =
      conf.return_room_only && conf.selection == queue_selection::progressive_filling;
  options.lookback = conf.max_lookback;
  options.admission = &admission;
  contest streams(parts.nodes.nodes, parts.nodes.bound, parts.queues, evicted.returning,
                  usage_of(parts.queues), options);
  std::uint64_t draw_limit = 0;
  if (conf.selection == queue_selection::progressive_filling)
    compete(streams, turns, parts.under_way);
  else
    draw_limit = lots(parts.nodes.nodes.t, conf, parts.queues, streams, turns).draw(params);
  writer.report_rest(streams, admission, parts.made);
  return draw_limit;
}

/// As in Armada, jobs of oversubscribed nodes are evicted and return if there is room. Returns why
/// the round fails, if it does.
std::string second_pass(round_parts& parts, evictor& leaves, starter& turns) {
  if (parts.nodes.is_stuck() || parts.nodes.nodes.conf.explicit_victims()) return {};
  auto found = parts.traces.oversubscribed(parts.queues, parts.made);
  if (found.empty()) return {};
  const auto first = parts.made.evicted().size();
  const auto evicted = leaves.of(std::move(found));
  for (auto i = first; i < parts.made.evicted().size(); ++i) {
    const auto& gone = parts.made.evicted()[i];
    parts.made.note_cause(gone.job, preemption_cause::urgency, parts.traces.last_urgent(gone.node));
  }
  if (!evicted.error.empty()) return evicted.error;
  parts.nodes.table.enter({});
  parts.traces.begin_second_pass();
  contest_options options;
  options.by_run_priority = true;
  contest streams(parts.nodes.nodes, parts.nodes.bound, parts.queues, evicted.returning,
                  usage_of(parts.queues), options);
  compete(streams, turns, parts.under_way);
  return {};
}

/// Discards a plan that breaks a rule.
void check(plan& made, const round_parts& parts) {
  auto violation = find_violation(made, parts.nodes.nodes, [&](std::uint32_t node) {
    return parts.traces.may_overcommit(node, parts.queues);
  });
  if (!violation.empty()) discard(made, std::move(violation));
}

plan decide(world& nodes, const round_params& params) {
  const auto& conf = nodes.nodes.conf;
  round_parts parts(nodes, params);
  if (parts.queues.overflowed())
    return failed("what the running jobs of a queue use does not fit into 62 bits");
  protect_gangs(parts.nodes);
  evictor leaves(parts.nodes, parts.queues, params, parts.made);
  const auto evicted = leaves.for_balance();
  if (!evicted.error.empty()) return failed(evicted.error);
  heads admission(parts.nodes);
  auto order = line_up_evicted(parts, evicted, admission);
  parts.budget.watch(evicted.floating_holders);
  parts.chooser.open(order);
  parts.places.open(order);
  starter turns(parts.nodes, parts.queues, parts.under_way, parts.places, parts.made, parts.budget,
                parts.traces, admission.known_misfits());
  turns.open(order);
  plan_writer writer(parts.nodes, parts.queues);
  const auto draw_limit = hold_contest(parts, evicted, admission, turns, writer, params);
  if (auto why = second_pass(parts, leaves, turns); !why.empty())
    return failed(std::move(why), draw_limit);
  if (auto why = why_stuck(parts.nodes); !why.empty()) return failed(std::move(why), draw_limit);
  bring_back(parts.nodes, parts.queues, parts.under_way, parts.made, parts.budget,
             evicted.untouched);
  auto made = writer.write(parts.made);
  made.spared_by_draw = evicted.spared_by_draw;
  made.of_age_ns = evicted.of_age_ns;
  made.tokens_used = turns.tokens_used();
  made.preemption_tokens_used = parts.budget.used();
  made.draw_limit = draw_limit;
  check(made, parts);
  if (!conf.explicit_victims() && books_contradict(made, nodes.nodes.t))
    return failed(
        "jobs that request nothing lose their place together, and the books of their queue break",
        draw_limit);
  return made;
}

}  // namespace

pool_state::pool_state() = default;
pool_state::~pool_state() = default;
pool_state::pool_state(pool_state&&) noexcept = default;
pool_state& pool_state::operator=(pool_state&&) noexcept = default;

void pool_state::clear() {
  world_.reset();
}

void pool_state::make_ready(const tables& t, const std::shared_ptr<const config>& conf,
                            const round_params& params, std::uint32_t pool) {
  const auto same = world_ && tables_ == &t && conf_ == conf && pool_ == pool &&
                    closed_executors_ == params.closed_executors;
  if (const auto measured = same ? world_->begin_round() : std::nullopt) {
    measured_ = *measured;
    return;
  }
  ++made_anew_;
  world_.reset();  // Two of them would take twice the memory.
  tables_ = &t;
  conf_ = conf;
  pool_ = pool;
  closed_executors_ = params.closed_executors;
  world_ = std::make_unique<world>(t, *conf, params, pool);
  measured_ = world_->nodes.count();
}

plan pool_state::decide(const snapshot& from, const std::shared_ptr<const config>& conf,
                        const round_params& params) {
  if (!from.settled()) return failed("the snapshot is not settled");
  if (auto ok = validate(*conf); !ok) return failed(ok.error().detail);
  if (!same_columns(from.data().conf, *conf))
    return failed("the snapshot was built for other resources, classes or indexes");
  const auto pool = from.data().pools.find(params.pool);
  // The pool has no nodes and no jobs, so that there is nothing to decide.
  if (pool == none) return plan{};
  make_ready(from.data(), conf, params, pool);
  auto made = scheduling::decide(*world_, params);
  // What was remembered may be what led to it.
  if (!made.error.empty() || !made.violation.empty()) clear();
  return made;
}

bool decide_alike(const plan& a, const plan& b) {
  return a.digest == b.digest && a.leases.size() == b.leases.size() &&
         a.preemptions.size() == b.preemptions.size() && a.failed == b.failed &&
         a.error == b.error && a.violation == b.violation;
}

plan schedule(const snapshot& from, const config& conf, const round_params& params) {
  const std::shared_ptr<const config> borrowed{std::shared_ptr<const config>{}, &conf};
  return pool_state{}.decide(from, borrowed, params);
}

}  // namespace argosy::scheduling
