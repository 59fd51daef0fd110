// SPDX-License-Identifier: Apache-2.0
#include "messages/rounds/delta_fold.hpp"

#include <absl/container/flat_hash_set.h>

#include "runtime/base/planted.hpp"
#include "runtime/model/affinity.hpp"
#include "runtime/model/namespace_part.hpp"
#include "runtime/model/process_plan.hpp"
#include "runtime/model/served_namespaces.hpp"
#include "runtime/scheduling/tables.hpp"

namespace argosy::rounds {

namespace {

/// With fewer entries than this, about 1 MiB, nothing is forgotten.
constexpr std::size_t entries_min = 10'000;

static_assert(static_cast<int>(model::affinity_rule::op::lt) ==
                  static_cast<int>(scheduling::affinity_operator::lt),
              "the operators of the model and of the round are numbered alike");

scheduling::queue_row to_row(const model::queue_settings& settings) {
  const bool cordoned = settings.cordoned && !is_planted(planted_fault::ignores_closed_queues);
  scheduling::queue_row row{settings.name, settings.priority_factor, cordoned, {}};
  row.total_limit.assign(settings.total_limit.begin(), settings.total_limit.end());
  for (const auto& [priority_class, limit] : settings.limits) {
    const auto add = [&, &name = priority_class](const std::string& pool,
                                                 const std::map<std::string, double>& fractions) {
      row.limits.push_back({name, pool, {fractions.begin(), fractions.end()}});
    };
    if (!limit.fraction.empty()) add({}, limit.fraction);
    for (const auto& [pool, fractions] : limit.fraction_by_pool) add(pool, fractions);
  }
  return row;
}

scheduling::gang_row row_of(const model::gang_info& gang) {
  return {gang.id, gang.cardinality, gang.minimum_cardinality, gang.uniformity_label};
}

/// The row of a job, as it was folded, but for its pools.
scheduling::job_row row_of_job(const scheduling::tables& t, const scheduling::job_record& job) {
  scheduling::job_row row;
  row.id = job.id;
  row.queue = t.queues[job.queue].name;
  row.shape = job.shape;
  row.priority = job.priority;
  row.submit_ns = job.submit_ns;
  if (job.has_run())
    row.run = scheduling::run_row{t.nodes[job.node].id, job.created_ns, job.run_priority,
                                  t.pools.name(job.run_pool), job.stopping};
  if (job.gang == scheduling::none) return row;
  const auto& terms = t.gang_terms[job.gang_terms];
  row.gang = scheduling::gang_row{
      t.gang_names.name(t.gangs[job.gang].name), terms.cardinality, terms.minimum, {}};
  if (terms.label != scheduling::none) row.gang->uniformity_label = t.label_names.name(terms.label);
  return row;
}

/// A shape of jobs, with what a round asks for their namespace.
scheduling::shape_row row_of(const model::job_shape& shape, const admission& to) {
  scheduling::shape_row row;
  row.priority_class = shape.priority_class;
  row.requests = shape.requests;
  row.selector = shape.node_selector;
  const auto is_ours = [&](const model::toleration& each) {
    return each.key == model::namespaces_taint ||
           (each.key == model::process_backend_taint && !shape.process_obstacle.empty() &&
            !model::is_of_containers(each.key, each.exists, each.value));
  };
  for (const auto& t : shape.tolerations)
    if (!is_ours(t)) row.tolerations.push_back({t.key, t.value, t.exists, t.effect});
  // It tolerates nothing, and names the field to whoever asks why.
  if (!shape.process_obstacle.empty())
    row.tolerations.push_back({model::process_backend_taint, shape.process_obstacle, false, ""});
  const auto enter = [&](const std::string& cluster) {
    row.tolerations.push_back({std::string{model::namespaces_taint}, to.entry, false, cluster});
  };
  if (!to.entry.empty()) {
    enter({});
    for (const auto& cluster : to.tries_in) enter(cluster);
  }
  for (const auto& term : model::affinity_of(shape)) {
    auto& out = row.affinity.emplace_back();
    for (const auto& rule : term)
      out.push_back(
          {rule.key, static_cast<scheduling::affinity_operator>(rule.operation), rule.values});
  }
  return row;
}

error about(std::string what, error err) {
  err.detail = std::move(what) + ": " + err.detail;
  return err;
}

}  // namespace

delta_fold::delta_fold(config_ptr common, std::map<std::string, config_ptr> by_pool)
    : snapshot_(std::make_shared<scheduling::snapshot>(*common)),
      pools_(std::move(common), std::move(by_pool)) {}

result<scheduling::shape_id> delta_fold::intern(
    const std::shared_ptr<const model::job_shape>& shape, const admission& to) {
  auto& known = shapes_[shape];
  if (const auto found = known.find(to); found != known.end()) return found->second;
  auto id = snapshot_->intern(row_of(*shape, to));
  if (id) known.emplace(to, *id);
  return id;
}

std::string delta_fold::entry_of(const model::job_header& header) const {
  return model::entry_of(header.name_space, header.shape->attached, header.owner,
                         [this](const auto& part) { return parts_of_owners_.contains(part); });
}

void delta_fold::see_owners(const scheduling::taint& spot) {
  // Owners are few who lack a right at a time.
  constexpr std::size_t parts_max = 1024;
  if (spot.key != model::namespaces_taint || spot.value.find('@') == std::string::npos) return;
  if (parts_of_owners_.size() > parts_max) parts_of_owners_.clear();
  auto limits = model::read_taint_value(spot.value);
  for (const auto& each : limits.tried) limits.closed.push_back(each.name_space);
  std::map<std::string_view, std::set<std::string>> owners;  // By namespace.
  for (const auto& part : limits.closed)
    if (auto owner = model::owner_in(part); !owner.empty() && parts_of_owners_.insert(part).second)
      owners[model::namespace_in(part)].insert(std::move(owner));
  if (owners.empty()) return;
  for (const auto& [id, job] : waiting_)
    if (const auto at = owners.find(job->name_space);
        at != owners.end() && at->second.contains(job->owner))
      unaware_.insert(id);
}

result<void> delta_fold::upsert(const model::queue_name& queue, const ledger::job_upsert& job) {
  auto shape =
      intern(job.header->shape, {entry_of(*job.header), trials_.clusters_of(job.header->id)});
  if (!shape) return fail(shape.error());
  scheduling::job_row row;
  row.id = job.header->id;
  row.queue = queue;
  row.shape = *shape;
  row.priority = job.priority;
  row.submit_ns = job.header->submitted_ns;
  if (job.gang) row.gang = row_of(*job.gang);
  if (job.run)
    row.run =
        scheduling::run_row{model::node_id(job.run->cluster, job.run->node), job.run->leased_ns,
                            job.run->scheduled_at_priority, job.run->pool.str(), job.stopping};
  pools_.leaves(*snapshot_, row.id);
  if (auto done = snapshot_->upsert_job(row); !done) return done;
  pools_.enters(*snapshot_, row.id, job.run ? 0 : job.blocked_ns);
  if (job.run)
    waiting_.erase(row.id);
  else
    waiting_[row.id] = job.header;
  return {};
}

scheduling::snapshot delta_fold::trial_of(
    const std::vector<std::shared_ptr<const model::job_header>>& jobs) const {
  scheduling::snapshot out{snapshot_->data().conf};
  for (const auto& header : jobs) {
    const auto shape = out.intern(row_of(*header->shape, {entry_of(*header), {}}));
    if (!shape) continue;
    scheduling::job_row row;
    row.id = header->id;
    row.queue = header->queue;
    row.shape = *shape;
    if (header->gang) row.gang = row_of(*header->gang);
    static_cast<void>(out.upsert_job(row));
  }
  out.settle();
  return out;
}

bool delta_fold::is_known_to_fit(const model::job_header& job) const {
  const auto known = shapes_.find(job.shape);
  if (known == shapes_.end()) return false;
  const auto number = known->second.find({entry_of(job), {}});
  return number != known->second.end() && pools_.is_taken(number->second);
}

std::vector<scheduling::shape_id> delta_fold::settle() {
  admit(std::exchange(unaware_, {}));
  snapshot_->settle();
  pools_.settle(*snapshot_);
  const auto entries = [this] { return snapshot_->entry_count() + shapes_.size(); };
  if (entries() <= 2 * entries_left_ + entries_min) return {};
  auto numbers = snapshot_->compact();
  // Equal folds must forget the same, while it is chance who else holds a shape.
  absl::flat_hash_set<const model::job_shape*> waiting;
  for (const auto& [id, header] : waiting_) waiting.insert(header->shape.get());
  absl::erase_if(shapes_, [&](auto& known) {
    std::erase_if(known.second,
                  [&](const auto& each) { return numbers[each.second] == scheduling::none; });
    return !waiting.contains(known.first.get()) || known.second.empty();
  });
  for (auto& [shape, by_admission] : shapes_)
    for (auto& [admission, number] : by_admission) number = numbers[number];
  entries_left_ = entries();
  pools_.forget();
  pools_.settle(*snapshot_);
  return numbers;
}

std::vector<std::vector<scheduling::shape_id>> delta_fold::settle_for_round() {
  std::vector<std::vector<scheduling::shape_id>> out{settle()};
  if (let_try()) out.push_back(settle());
  return out;
}

void delta_fold::admit(const std::set<ulid>& jobs) {
  const auto& t = snapshot_->data();
  for (const auto& id : jobs) {
    const auto found = snapshot_->find_job(id);
    const auto known = waiting_.find(id);
    if (!found || known == waiting_.end()) continue;
    const auto& header = *known->second;
    const auto number = intern(header.shape, {entry_of(header), trials_.clusters_of(id)});
    if (!number) continue;
    auto row = row_of_job(t, t.jobs[*found]);
    row.shape = *number;
    // Whether it is blocked does not change.
    if (snapshot_->upsert_job(row)) pools_.changes(*snapshot_, id);
  }
}

void delta_fold::assume(const model::queue_name& queue, assumed_job job,
                        const scheduling::run_row& run) {
  auto row = job.before;
  row.run = run;
  pools_.leaves(*snapshot_, row.id);
  if (!snapshot_->upsert_job(row)) return;
  pools_.enters(*snapshot_, row.id, 0);
  waiting_.erase(row.id);
  assumed_[queue].push_back(std::move(job));
}

std::set<std::string> delta_fold::set_aside(const model::queue_name& queue,
                                            const ledger::place_request& part) {
  snapshot_->remove_queue(queue);
  const auto remember = [this](const ulid& id) -> std::optional<assumed_job> {
    const auto found = snapshot_->find_job(id);
    if (!found) return {};
    const auto waits = waiting_.find(id);
    const auto& t = snapshot_->data();
    return assumed_job{row_of_job(t, t.jobs[*found]),
                       waits == waiting_.end() ? nullptr : waits->second};
  };
  std::set<std::string> freed;
  for (const auto& item : part.preemptions) {
    auto job = remember(item.job);
    if (!job || !job->before.run) continue;
    auto run = *job->before.run;
    run.stopping = true;
    freed.insert(run.node);
    assume(queue, std::move(*job), run);
  }
  for (const auto& item : part.leases)
    if (auto job = remember(item.job); job && !job->before.run)
      assume(queue, std::move(*job),
             {model::node_id(item.cluster, item.node), 0, item.priority, item.pool, false});
  return freed;
}

/// What the queue tells takes the place of what was assumed.
void delta_fold::take_back(const model::queue_name& queue) {
  const auto found = assumed_.find(queue);
  if (found == assumed_.end()) return;
  for (auto& [row, header] : found->second) {
    const auto number = snapshot_->find_job(row.id);
    if (!number) continue;
    row.shape = snapshot_->job_shape(*number);  // It may have another number by now.
    pools_.leaves(*snapshot_, row.id);
    if (!snapshot_->upsert_job(row)) continue;
    pools_.enters(*snapshot_, row.id, 0);
    if (header) waiting_[row.id] = header;
  }
  assumed_.erase(found);
}

bool delta_fold::let_try() {
  const auto before = trials_.withdraw(*snapshot_);
  admit(before);
  snapshot_->settle();
  const auto after = trials_.let_in(*snapshot_);
  admit(after);
  return !before.empty() || !after.empty();
}

bool delta_fold::decided(const model::pool_name& pool) {
  trials_.decided(pool);
  return trials_.wants_round(pool);
}

std::vector<error> delta_fold::fold(const native::queue_delta& delta) {
  std::vector<error> errors;
  trials_.note_change();
  take_back(delta.queue);
  if (delta.exists) {
    if (auto done = snapshot_->upsert_queue(to_row(delta.settings)); !done)
      errors.push_back(about("queue " + delta.queue, done.error()));
  } else {
    snapshot_->remove_queue(delta.queue);
  }
  for (const auto& id : delta.jobs->removed) {
    pools_.leaves(*snapshot_, id);
    snapshot_->remove_job(id);
    waiting_.erase(id);
  }
  for (const auto& job : delta.jobs->set)
    if (auto done = upsert(delta.queue, job); !done)
      errors.push_back(about("job " + to_string(job.header->id), done.error()));
  return errors;
}

std::vector<error> delta_fold::fold(const native::node_delta& delta, bool held) {
  const auto id = model::node_id(delta.cluster, delta.info.name);
  trials_.note_change();
  if (!delta.present) {
    trials_.see(id, {}, {});
    snapshot_->remove_node(id);
    pools_.see_node(*snapshot_, id);
    nodes_.erase(id);
    return {};
  }
  scheduling::node_row row;
  row.id = id;
  row.executor = delta.cluster;
  row.pool = delta.pool;
  row.total = delta.info.allocatable;
  if (is_planted(planted_fault::sees_larger_nodes))
    for (auto& [name, amount] : row.total) amount += amount / 4;
  row.labels = delta.info.labels;
  row.labels.emplace_back(model::cluster_label, delta.cluster);
  for (const auto& t : delta.info.taints) row.taints.push_back({t.key, t.value, t.effect});
  for (const auto& spot : row.taints) see_owners(spot);
  row.unschedulable = delta.info.unschedulable || held;
  row.quarantined = delta.quarantined || held;
  trials_.see(id, row.pool, row.taints);
  if (auto done = snapshot_->upsert_node(row); !done) return {about("node " + id, done.error())};
  pools_.see_node(*snapshot_, id);
  nodes_.put(id, delta.pool);
  return {};
}

std::optional<delta_fold::job_key> delta_fold::find(const ulid& job) const {
  const auto found = snapshot_->find_job(job);
  if (!found) return {};
  const auto waits = waiting_.find(job);
  return job_key{model::queue_name{snapshot_->job_queue(*found)}, snapshot_->job_shape(*found),
                 waits == waiting_.end() ? nullptr : waits->second.get()};
}

}  // namespace argosy::rounds
