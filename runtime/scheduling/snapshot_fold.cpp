// SPDX-License-Identifier: Apache-2.0
// How nodes, queues and jobs are added to the snapshot and removed from it.
#include <algorithm>
#include <tuple>
#include <vector>

#include "runtime/scheduling/fold.hpp"
#include "runtime/scheduling/snapshot.hpp"
#include "runtime/scheduling/tables.hpp"

namespace argosy::scheduling {

namespace {

std::uint32_t node_number(tables& t, std::string_view id) {
  const auto [at, added] =
      t.node_numbers.try_emplace(std::string(id), static_cast<std::uint32_t>(t.nodes.size()));
  if (added) {
    t.nodes.emplace_back().id = std::string(id);
    t.node_total.resize(t.node_total.size() + t.node_dims, 0);
    t.node_held.resize(t.node_held.size() + t.node_dims, 0);
    t.changed_nodes.note_other();
    t.settled = false;
  }
  return at->second;
}

std::uint32_t queue_number(tables& t, std::string_view name) {
  const auto [at, added] =
      t.queue_numbers.try_emplace(std::string(name), static_cast<std::uint32_t>(t.queues.size()));
  if (added) {
    t.queues.emplace_back().name = std::string(name);
    const auto place = std::lower_bound(
        t.queues_by_name.begin(), t.queues_by_name.end(), name,
        [&](std::uint32_t q, std::string_view text) { return t.queues[q].name < text; });
    t.queues_by_name.insert(place, at->second);
  }
  return at->second;
}

void touch(tables& t, std::uint32_t queue) {
  t.settled = false;
  if (t.queues[queue].dirty) return;
  t.queues[queue].dirty = true;
  t.dirty_queues.push_back(queue);
}

/// Adds (+1) or takes (-1) a running job's need to its node's sums.
void bind_sums(tables& t, node_record& node, const job_record& job, int sign) {
  const auto cutoff = t.class_of(job).urgency_preemptible ? job.run_priority : every_row;
  const auto at = std::find(node.cutoffs.begin(), node.cutoffs.end(), cutoff);
  const auto i = static_cast<std::size_t>(at - node.cutoffs.begin());
  if (at == node.cutoffs.end()) {
    ++t.cutoff_nodes[cutoff];
    node.cutoffs.push_back(cutoff);
    node.counts.push_back(0);
    node.bound.resize(node.bound.size() + t.node_dims, 0);
  }
  const auto* need = t.amounts(job.shape);
  auto* sum = node.bound.data() + i * t.node_dims;
  for (std::uint32_t d = 0; d < t.node_dims; ++d) sum[d] += sign * need[d];
  node.counts[i] += static_cast<std::uint32_t>(sign);
  if (node.counts[i] != 0) return;
  if (--t.cutoff_nodes[cutoff] == 0) t.cutoff_nodes.erase(cutoff);
  node.cutoffs.erase(node.cutoffs.begin() + static_cast<std::ptrdiff_t>(i));
  node.counts.erase(node.counts.begin() + static_cast<std::ptrdiff_t>(i));
  const auto first = node.bound.begin() + static_cast<std::ptrdiff_t>(i * t.node_dims);
  node.bound.erase(first, first + t.node_dims);
}

void count_usage(tables& t, std::vector<usage_record>& list, std::uint32_t name,
                 const job_record& job, std::uint32_t pool, int sign) {
  auto at = std::find_if(list.begin(), list.end(), [&](const auto& entry) {
    return entry.class_name == name && entry.pool == pool;
  });
  if (at == list.end()) {
    list.push_back({name, pool, 0, std::vector<wide>(t.dims, 0)});
    at = list.end() - 1;
  }
  const auto* request = t.amounts(job.shape);
  for (std::uint32_t d = 0; d < t.dims; ++d) at->sum[d] += sign * wide{request[d]};
  at->jobs += static_cast<std::uint64_t>(static_cast<std::int64_t>(sign));
  if (at->jobs == 0) list.erase(at);
}

/// Adds (+1) or takes (-1) what a stopping run holds on its node.
void hold_room(tables& t, node_record& node, const job_record& job, int sign) {
  node.stopping += static_cast<std::uint32_t>(sign);
  node.stopping_need.resize(t.node_dims, 0);
  const auto* need = t.amounts(job.shape);
  for (std::uint32_t d = 0; d < t.node_dims; ++d) node.stopping_need[d] += sign * need[d];
  if (node.stopping == 0) node.stopping_need.clear();
}

void count_job(tables& t, const job_record& job, int sign) {
  auto& queue = t.queues[job.queue];
  const auto name = t.shapes[job.shape].class_name;
  if (job.stopping) {
    count_usage(t, t.stopping_usage, 0, job, job.run_pool, sign);
    t.running += static_cast<std::size_t>(static_cast<std::int64_t>(sign));
    hold_room(t, t.nodes[job.node], job, sign);
    t.changed_nodes.note(job.node);
  } else if (job.running) {
    count_usage(t, queue.running_usage, name, job, job.run_pool, sign);
    t.running += static_cast<std::size_t>(static_cast<std::int64_t>(sign));
    bind_sums(t, t.nodes[job.node], job, sign);
    t.changed_nodes.note(job.node);
  } else {
    count_usage(t, queue.queued_usage, name, job, job.pools, sign);
    t.queued += static_cast<std::size_t>(static_cast<std::int64_t>(sign));
  }
}

void join_gang(tables& t, std::uint32_t number) {
  auto& job = t.jobs[number];
  const auto [at, added] = t.gang_numbers.try_emplace(gang_key(job.queue, job.gang), 0);
  if (added) {
    if (t.free_gangs.empty()) {
      at->second = static_cast<std::uint32_t>(t.gangs.size());
      t.gangs.emplace_back();
    } else {
      at->second = t.free_gangs.back();
      t.free_gangs.pop_back();
    }
    t.gangs[at->second].queue = job.queue;
    t.gangs[at->second].name = job.gang;
  }
  job.gang = at->second;
  t.gangs[job.gang].members.push_back(number);
}

void leave_gang(tables& t, std::uint32_t number) {
  auto& gang = t.gangs[t.jobs[number].gang];
  std::erase(gang.members, number);
  if (!gang.members.empty()) return;
  t.gang_numbers.erase(gang_key(gang.queue, gang.name));
  t.free_gangs.push_back(t.jobs[number].gang);
  gang.queue = none;
}

std::uint32_t intern_gang_terms(tables& t, const gang_row& row) {
  gang_terms_record terms;
  terms.cardinality = row.cardinality;
  terms.minimum = row.minimum == 0 ? row.cardinality : std::min(row.minimum, row.cardinality);
  if (!row.uniformity_label.empty()) terms.label = t.label_names.intern(row.uniformity_label);
  const gang_terms_key key{terms.cardinality, terms.minimum, terms.label};
  const auto [at, added] =
      t.gang_terms_numbers.try_emplace(key, static_cast<std::uint32_t>(t.gang_terms.size()));
  if (added) t.gang_terms.push_back(terms);
  return at->second;
}

std::uint16_t intern_pools(tables& t, const std::vector<std::string>& pools) {
  std::vector<std::uint32_t> set;
  for (const auto& pool : pools) set.push_back(t.pools.intern(pool));
  std::sort(set.begin(), set.end());
  set.erase(std::unique(set.begin(), set.end()), set.end());
  const auto at = std::find(t.pool_sets.begin(), t.pool_sets.end(), set);
  const auto number = static_cast<std::uint16_t>(at - t.pool_sets.begin());
  if (at == t.pool_sets.end()) t.pool_sets.push_back(std::move(set));
  return number;
}

/// The queued jobs that are like this one, which are about to change.
settled_list<std::uint32_t>& jobs_like(tables& t, const job_record& job) {
  auto& queue = t.queues[job.queue];
  const auto key = alike_key_of(job);
  queue.dirty_alike.push_back(key);
  return queue.queued_alike[key];
}

running_key running_key_of(const job_record& job) {
  return {job.shape, job.run_pool, job.gang != none};
}

std::uint32_t job_slot(tables& t) {
  if (t.free_jobs.empty()) {
    t.jobs.emplace_back();
    return static_cast<std::uint32_t>(t.jobs.size() - 1);
  }
  const auto slot = t.free_jobs.back();
  t.free_jobs.pop_back();
  t.jobs[slot] = {};
  return slot;
}

}  // namespace

result<void> snapshot::upsert_node(const node_row& row) {
  auto& t = *tables_;
  for (const auto& [name, amount] : row.total) {
    if (auto ok = check_amount("node '" + row.id + "'", name, amount, node_limit); !ok) return ok;
  }
  for (const auto& [name, amount] : row.held) {
    if (auto ok = check_amount("node '" + row.id + "', held", name, amount, node_limit); !ok)
      return ok;
  }
  const auto number = node_number(t, row.id);
  auto& node = t.nodes[number];
  const auto described = [&] {
    return std::tuple(node.executor, node.pool, node.profile, node.kind, node.present,
                      node.unschedulable, node.quarantined);
  };
  const auto before = described();
  node.executor = t.executors.intern(row.executor);
  node.pool = t.pools.intern(row.pool);
  node.profile = intern_profile(t, row.labels, row.taints);
  node.kind = intern_kind(t, t.profiles[node.profile]);
  node.present = true;
  node.unschedulable = row.unschedulable;
  node.quarantined = row.quarantined;
  std::vector<std::int64_t> amounts(t.node_dims, 0);
  const auto read = [&](const resource_list& list) {
    for (const auto& [name, amount] : list)
      if (const auto dim = dimension_of(t, name); dim < t.node_dims) amounts[dim] = amount;
  };
  const auto fill = [&](std::vector<std::int64_t>& column) {
    auto* into = column.data() + std::size_t{number} * t.node_dims;
    const auto same = std::equal(amounts.begin(), amounts.end(), into);
    std::copy(amounts.begin(), amounts.end(), into);
    amounts.assign(t.node_dims, 0);
    return same;
  };
  const auto pods = dimension_of(t, pod_resource);
  if (t.conf.pod_limits && pods < t.node_dims) amounts[pods] = unlimited_pods;
  read(row.total);
  const auto same_total = fill(t.node_total);
  read(row.held);
  const auto same_held = fill(t.node_held);
  if (!same_total || !same_held || before != described()) t.changed_nodes.note_other();
  return {};
}

void snapshot::remove_node(std::string_view id) {
  auto& t = *tables_;
  const auto at = t.node_numbers.find(id);
  if (at == t.node_numbers.end()) return;
  t.nodes[at->second].present = false;
  t.changed_nodes.note_other();
}

result<void> snapshot::upsert_queue(const queue_row& row) {
  if (row.name.empty()) return fail(ec::invalid_argument, "a queue needs a name");
  auto& queue = tables_->queues[queue_number(*tables_, row.name)];
  queue.configured = true;
  queue.cordoned = row.cordoned;
  queue.factor = row.priority_factor;
  queue.limits = row.limits;
  queue.total_limit = row.total_limit;
  return {};
}

void snapshot::remove_queue(std::string_view name) {
  const auto at = tables_->queue_numbers.find(name);
  if (at != tables_->queue_numbers.end()) tables_->queues[at->second].configured = false;
}

result<void> snapshot::upsert_job(const job_row& row) {
  auto& t = *tables_;
  if (row.shape >= t.shapes.size())
    return fail(ec::invalid_argument, "job " + to_string(row.id) + " has an unknown shape number");
  if (row.queue.empty())
    return fail(ec::invalid_argument, "job " + to_string(row.id) + " has no queue");
  remove_job(row.id);
  const auto slot = job_slot(t);
  const auto queue = queue_number(t, row.queue);
  auto& job = t.jobs[slot];
  job.id = row.id;
  job.submit_ns = row.submit_ns;
  job.queue = queue;
  job.shape = row.shape;
  job.priority = row.priority;
  job.pools = intern_pools(t, row.pools);
  if (row.run) {
    job.running = !row.run->stopping;
    job.stopping = row.run->stopping;
    job.node = node_number(t, row.run->node);
    job.created_ns = row.run->created_ns;
    job.run_priority = row.run->priority;
    auto& node = t.nodes[job.node];
    if (row.run->pool.empty())
      job.run_pool = static_cast<std::uint16_t>(node.pool == none ? 0 : node.pool);
    else
      job.run_pool = static_cast<std::uint16_t>(t.pools.intern(row.run->pool));
    if (job.running) node.jobs.push_back(slot);
  }
  count_job(t, job, +1);
  if (row.gang && row.gang->cardinality > 1 && !job.stopping) {
    job.gang = t.gang_names.intern(row.gang->id);
    job.gang_terms = intern_gang_terms(t, *row.gang);
    join_gang(t, slot);
  }
  if (job.running) {
    t.queues[queue].running.add({slot, row.shape, job.node, job.run_priority, job.gang});
    ++t.queues[queue].running_alike[running_key_of(job)];
  } else if (!job.stopping) {
    t.queues[queue].queued.add({slot, row.shape, job.gang});
    jobs_like(t, job).add(slot);
  }
  t.job_numbers[row.id] = slot;
  touch(t, queue);
  return {};
}

void snapshot::remove_job(const ulid& id) {
  auto& t = *tables_;
  const auto at = t.job_numbers.find(id);
  if (at == t.job_numbers.end()) return;
  const auto slot = at->second;
  auto& job = t.jobs[slot];
  count_job(t, job, -1);
  if (job.gang != none) leave_gang(t, slot);
  if (job.running) {
    std::erase(t.nodes[job.node].jobs, slot);
    auto& queue = t.queues[job.queue];
    queue.running.one_died({slot});
    const auto alike = queue.running_alike.find(running_key_of(job));
    if (--alike->second == 0) queue.running_alike.erase(alike);
  } else if (!job.stopping) {
    t.queues[job.queue].queued.one_died({slot});
    jobs_like(t, job).one_died(slot);
  }
  touch(t, job.queue);
  job.queue = none;
  t.freed_jobs.push_back(slot);
  t.job_numbers.erase(at);
}

std::uint16_t pool_set(snapshot& of, const std::vector<std::string>& pools) {
  return intern_pools(*of.tables_, pools);
}

void put_in(snapshot& of, std::uint32_t job, std::uint16_t pool_set) {
  auto& t = *of.tables_;
  auto& record = t.jobs[job];
  if (record.pools == pool_set) return;
  if (record.has_run()) {
    record.pools = pool_set;
    return;
  }
  count_job(t, record, -1);
  jobs_like(t, record).one_died(job);
  record.pools = pool_set;
  jobs_like(t, record).add(job);
  count_job(t, record, +1);
  touch(t, record.queue);
}

void close_node(snapshot& of, std::string_view id) {
  auto& t = *of.tables_;
  const auto at = t.node_numbers.find(id);
  if (at == t.node_numbers.end()) return;
  t.nodes[at->second].unschedulable = true;
  t.changed_nodes.note_other();
}

}  // namespace argosy::scheduling
