// SPDX-License-Identifier: Apache-2.0
// This file turns a world into what the engine reads, and the engine's plan into lines.
#include "tests/oracle/engine_side.hpp"

#include <algorithm>
#include <stdexcept>

#include "runtime/scheduling/round.hpp"
#include "runtime/scheduling/snap1.hpp"

namespace argosy::oracle {

namespace {

namespace engine = argosy::scheduling;

engine::resource_list list_of(const amounts& a) {
  engine::resource_list list;
  for (std::size_t i = 0; i < all_amounts; ++i)
    if (a[i] != 0) list.emplace_back(amount_names[i], a[i]);
  return list;
}

std::vector<engine::taint> taints_of(const std::vector<spot>& list) {
  std::vector<engine::taint> taints;
  for (const auto& t : list) taints.push_back({t.key, t.value, t.effect});
  return taints;
}

std::vector<engine::toleration> leave_of(const std::vector<leave>& list) {
  std::vector<engine::toleration> tolerations;
  for (const auto& t : list) tolerations.push_back({t.key, t.value, t.exists, t.effect});
  return tolerations;
}

void add_classes(const world& w, engine::config& conf) {
  conf.classes.clear();
  conf.node_types.clear();
  for (const auto& c : w.classes) {
    auto& row = conf.classes.emplace_back();
    row.name = c.name;
    row.priority = c.priority;
    row.fair_share_preemptible = c.fair;
    row.urgency_preemptible = c.urgent;
    row.min_run_time_ns = c.least_run;
    for (const auto& a : c.away) {
      const auto type = "type" + std::to_string(conf.node_types.size());
      conf.node_types.push_back({type, taints_of(a.taints)});
      row.away.push_back({a.priority, type});
    }
  }
  conf.default_class = w.default_class;
  engine::mark_victims(conf);
}

engine::preset preset_of(kind name) {
  constexpr std::array<engine::preset, 4> presets = {
      engine::preset::argosy, engine::preset::unified, engine::preset::classic,
      engine::preset::lottery};
  return presets[static_cast<std::size_t>(name)];
}

/// Sets the keys of each column to those of the preset from which the world takes the column.
void mix_columns(const settings& r, engine::config& conf) {
  const auto from = [&](column which) { return engine::default_config(preset_of(r.of(which))); };
  const auto cost = from(column::cost);
  conf.cost = cost.cost;
  conf.cost_multipliers = cost.cost_multipliers;
  const auto selection = from(column::selection);
  conf.selection = selection.selection;
  conf.usage_priority = selection.usage_priority;
  const auto eviction = from(column::eviction);
  conf.evict_for_balance = eviction.evict_for_balance;
  conf.evict_contested_only = eviction.evict_contested_only;
  conf.protected_fraction = eviction.protected_fraction;
  conf.evicted_first = from(column::evicted_first).evicted_first;
  conf.class_before_cost = from(column::queue_order).class_before_cost;
  conf.class_in_job_order = from(column::job_order).class_in_job_order;
  const auto nodes = from(column::nodes);
  conf.node_order = nodes.node_order;
  conf.urgency = nodes.urgency;
  if (conf.node_order.front() != engine::node_key::no_preemption)
    conf.node_order.insert(conf.node_order.begin(), engine::node_key::no_preemption);
  conf.gang_in_one_cluster = from(column::gangs).gang_in_one_cluster;
}

engine::config config_of(const world& w) {
  const auto& r = w.rules;
  const auto preset = preset_of(r.preset);
  // The product's own configuration is taken, since its presets are what is tested. The resources
  // and the index are those of the recorded worlds, which have no ephemeral storage.
  auto conf = engine::default_config(preset);
  const auto bench = engine::bench_config(preset);
  conf.resources = bench.resources;
  conf.indexed_resources = bench.indexed_resources;
  conf.indexed_labels = w.indexed_labels;
  conf.indexed_taints = w.indexed_taints;
  conf.floating = {{amount_names[node_amounts], w.licences, {}}};
  mix_columns(r, conf);
  add_classes(w, conf);
  if (r.protected_fraction) conf.protected_fraction = *r.protected_fraction;
  conf.protect_uncapped = r.protect_uncapped;
  conf.gang_loss_factor = r.gang_loss_factor;
  conf.eviction_probability = r.eviction_probability;
  conf.prefer_large_jobs = r.prefer_large;
  if (r.usage_orders) conf.usage_priority = true;
  conf.feasible_heads = r.feasible_heads;
  conf.rank_at_share = r.rank_at_share;
  conf.max_lookback = r.lookback;
  conf.burst = r.burst;
  conf.queue_burst = r.queue_burst;
  conf.max_new_decisions = r.decisions;
  conf.max_new_decisions_queue = r.queue_decisions;
  for (const auto& [i, fraction] : r.round_cap)
    conf.max_fraction_to_schedule.emplace_back(amount_names[i], fraction);
  for (const auto i : r.unscheduled) conf.unscheduled_resources.emplace_back(amount_names[i]);
  conf.default_tolerations = leave_of(r.default_tolerations);
  if (r.no_fair_share) conf.disable_fair_share_preemption = true;
  if (r.no_urgency) conf.disable_urgency_preemption = true;
  conf.disable_away = r.no_away;
  conf.disable_gang_away = r.no_gang_away;
  conf.default_uniformity_label = r.default_label;
  if (r.lottery_only) conf.selection = engine::queue_selection::lottery;
  if (r.direct_slices) conf.slices = engine::slice_share::direct;
  conf.slice_batch = static_cast<std::uint32_t>(r.slice_batch);
  return conf;
}

engine::affinity_rule rule_of(const demand_rule& r) {
  using op = engine::affinity_operator;
  const std::map<std::string, op> words = {
      {"In", op::in},         {"NotIn", op::not_in},
      {"Exists", op::exists}, {"DoesNotExist", op::does_not_exist},
      {"Gt", op::gt},         {"Lt", op::lt}};
  const auto at = words.find(r.op);
  return {r.label, at == words.end() ? op::invalid : at->second, r.values};
}

engine::shape_row shape_of(const job& j) {
  engine::shape_row shape;
  shape.priority_class = j.class_name;
  shape.requests = list_of(j.request);
  shape.selector.assign(j.selector.begin(), j.selector.end());
  shape.tolerations = leave_of(j.tolerations);
  for (const auto& term : j.affinity) {
    auto& rules = shape.affinity.emplace_back();
    for (const auto& rule : term) rules.push_back(rule_of(rule));
  }
  return shape;
}

void must(const result<void>& done) {
  if (!done) throw std::runtime_error(done.error().detail);
}

/// Gives the jobs ids that sort as their names do, so that both sides break ties alike.
std::vector<ulid> ids_of(const world& w) {
  std::vector<std::string> names;
  for (const auto& j : w.jobs) names.push_back(j.id);
  std::sort(names.begin(), names.end());
  std::vector<ulid> ids;
  for (const auto& j : w.jobs) {
    const auto at = std::lower_bound(names.begin(), names.end(), j.id) - names.begin() + 1;
    ulid id;
    id.bytes[14] = static_cast<std::uint8_t>(at >> 8);
    id.bytes[15] = static_cast<std::uint8_t>(at & 255);
    ids.push_back(id);
  }
  return ids;
}

engine::node_row node_row_of(const node& n) {
  return {n.id,
          n.cluster,
          "default",
          list_of(n.total),
          list_of(n.held),
          {n.labels.begin(), n.labels.end()},
          taints_of(n.taints),
          n.unschedulable};
}

engine::queue_row queue_row_of(const queue& q) {
  engine::queue_row row{q.name, q.factor, q.cordoned, {}};
  for (const auto& l : q.limits)
    row.limits.push_back({l.class_name, "", {{amount_names[l.amount], l.fraction}}});
  for (const auto& l : q.total_limits)
    row.total_limit.emplace_back(amount_names[l.amount], l.fraction);
  return row;
}

engine::job_row job_row_of(const world& w, const job& j, const ulid& id, engine::snapshot& into) {
  auto shape = into.intern(shape_of(j));
  if (!shape) throw std::runtime_error(shape.error().detail);
  engine::job_row row;
  row.id = id;
  row.queue = j.queue;
  row.shape = *shape;
  row.priority = j.priority;
  row.submit_ns = j.submitted;
  if (!j.gang.empty()) row.gang = engine::gang_row{j.gang, j.cardinality, j.minimum, j.label};
  if (j.node)
    row.run =
        engine::run_row{w.nodes[*j.node].id, j.created, j.run_priority, "default", j.stopping};
  return row;
}

engine::snapshot snapshot_of(const world& w, const engine::config& conf,
                             const std::vector<ulid>& ids) {
  engine::snapshot from(conf);
  for (const auto& n : w.nodes) must(from.upsert_node(node_row_of(n)));
  for (const auto& q : w.queues) must(from.upsert_queue(queue_row_of(q)));
  for (std::size_t i = 0; i < w.jobs.size(); ++i)
    must(from.upsert_job(job_row_of(w, w.jobs[i], ids[i], from)));
  from.settle();
  return from;
}

engine::round_params params_of(const world& w) {
  engine::round_params params;
  params.seed = w.rules.seed;
  params.round_time_ns = w.rules.now;
  params.tokens = w.rules.tokens;
  params.preemption_tokens = w.rules.preemption_tokens;
  params.closed_executors = w.rules.closed;
  for (const auto& q : w.queues) {
    if (q.tokens) params.queue_tokens.emplace_back(q.name, *q.tokens);
    if (q.penalty != amounts{}) params.penalties.emplace_back(q.name, list_of(q.penalty));
    params.usage_priority.emplace_back(q.name, q.usage);
  }
  return params;
}

/// The name of the job to which ids_of() gave this id.
const std::string& name_of(const world& w, const std::vector<ulid>& ids, const ulid& id) {
  return w.jobs[static_cast<std::size_t>(std::find(ids.begin(), ids.end(), id) - ids.begin())].id;
}

/// The plan as lines; `name` gives a job's name by its id.
template <class Name>
std::vector<std::string> lines_of(const engine::snapshot& from, const engine::plan& plan,
                                  Name name) {
  std::vector<std::string> lines;
  if (!plan.error.empty()) lines.push_back("error " + plan.error);
  if (!plan.violation.empty()) lines.push_back("violation " + plan.violation);
  for (const auto& l : plan.leases)
    lines.push_back("S " + name(l.job) + " " + std::string(from.node_id(l.node)) + " " +
                    std::to_string(l.priority));
  for (const auto& p : plan.preemptions)
    lines.push_back("P " + name(p.job) + " " + std::string(from.node_id(p.node)));
  for (const auto& id : plan.failed) lines.push_back("F " + name(id));
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace

std::vector<std::string> engine_decides(const world& w) {
  const auto conf = config_of(w);
  const auto ids = ids_of(w);
  const auto from = snapshot_of(w, conf, ids);
  const auto plan = engine::schedule(from, conf, params_of(w));
  return lines_of(from, plan, [&](const ulid& id) { return name_of(w, ids, id); });
}

std::vector<std::string> engine_decides_text(const world& w) {
  const auto read =
      engine::read_snap1(snap1_text(w), engine::bench_config(engine::preset::current));
  if (!read) throw std::runtime_error(read.error().detail);
  const auto& from = read->jobs_and_nodes;
  const auto plan = engine::schedule(from, read->conf, read->params);
  const auto ids = ids_of(w);
  return lines_of(from, plan,
                  [&](const ulid& id) { return name_of(w, ids, *parse_ulid(read->job_name(id))); });
}

engine_rows rows_of(const world& w) {
  engine_rows out;
  out.conf = config_of(w);
  out.params = params_of(w);
  const auto ids = ids_of(w);
  engine::snapshot names(out.conf);
  for (const auto& n : w.nodes) out.nodes.push_back(node_row_of(n));
  for (const auto& q : w.queues) out.queues.push_back(queue_row_of(q));
  for (std::size_t i = 0; i < w.jobs.size(); ++i) {
    out.jobs.push_back(job_row_of(w, w.jobs[i], ids[i], names));
    out.shapes.push_back(shape_of(w.jobs[i]));
  }
  return out;
}

std::string snap1_text(const world& w) {
  const auto conf = config_of(w);
  return engine::write_snap1(snapshot_of(w, conf, ids_of(w)), conf, params_of(w));
}

}  // namespace argosy::oracle
