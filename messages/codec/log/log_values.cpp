// SPDX-License-Identifier: Apache-2.0
// This file converts values of argosy.log.v1 between the model and the wire.
#include "messages/codec/log/log_values.hpp"

#include "messages/codec/audit/call_fields.hpp"
#include "messages/codec/operation_fields.hpp"
#include "messages/codec/shape_table.hpp"

namespace argosy::codec {

namespace {

/// No request of 8 MiB can have so many jobs.
constexpr std::uint32_t range_ids_max = 1U << 24U;

result<std::vector<model::job_dependency>> dependencies_from_wire(
    const google::protobuf::RepeatedPtrField<log::v1::Dependency>& in) {
  std::vector<model::job_dependency> out;
  for (const auto& one : in) {
    auto job = ulid_from_wire(one.job());
    if (!job) return fail(std::move(job.error()));
    const auto when = enum_from_wire(one.when(), model::dependency_condition::started,
                                     "condition of a dependency");
    if (!when) return fail(when.error());
    out.push_back({*job, *when});
  }
  return out;
}

}  // namespace

void to_wire(const model::job_header& header, log::v1::JobHeader& out) {
  const auto id = to_wire(header.id);
  out.set_id(id.data(), id.size());
  out.set_job_set(header.job_set);
  out.set_name_space(header.name_space);
  out.set_owner(header.owner);
  out.set_client_id(header.client_id);
  out.set_body_hash(header.body_hash);
  out.set_priority(header.priority);
  out.set_submitted_ns(header.submitted_ns);
  out.set_grace_seconds(header.grace_seconds);
  out.set_deadline_seconds(header.deadline_seconds);
  if (header.shape) out.set_shape(process_shapes().encoded(*header.shape));
  if (header.gang) {
    auto& gang = *out.mutable_gang();
    gang.set_id(header.gang->id);
    gang.set_cardinality(header.gang->cardinality);
    gang.set_minimum_cardinality(header.gang->minimum_cardinality);
    gang.set_uniformity_label(header.gang->uniformity_label);
  }
  if (header.trace.valid()) to_wire(header.trace, *out.mutable_trace());
  if (header.on_lease_expiry)
    out.set_on_lease_expiry(1 + static_cast<std::uint32_t>(*header.on_lease_expiry));
  out.set_keep_on_disconnect(header.keep_on_disconnect);
  out.set_fail_fast(header.fail_fast);
  out.set_held(header.held);
  out.set_hold_if_unfit(header.hold_if_unfit);
  out.set_name(header.name);
  if (header.requeue_if_preempted)
    out.set_requeue_if_preempted(*header.requeue_if_preempted ? 2 : 1);
  out.set_hold_if_unmet(header.hold_if_unmet);
  if (header.after)
    for (const auto& one : *header.after) {
      auto& dependency = *out.add_after();
      const auto job = to_wire(one.job);
      dependency.set_job(job.data(), job.size());
      dependency.set_when(static_cast<std::uint32_t>(one.when));
    }
}

result<model::job_header> from_wire(const log::v1::JobHeader& in, std::string_view queue) {
  model::job_header header;
  auto id = ulid_from_wire(in.id());
  if (!id) return fail(std::move(id.error()));
  header.id = *id;
  header.queue = model::queue_name{queue};
  header.job_set = in.job_set();
  header.name_space = in.name_space();
  header.owner = in.owner();
  header.client_id = in.client_id();
  header.body_hash = in.body_hash();
  header.priority = in.priority();
  header.submitted_ns = in.submitted_ns();
  header.grace_seconds = in.grace_seconds();
  header.deadline_seconds = in.deadline_seconds();
  auto shape = process_shapes().intern_encoded(in.shape());
  if (!shape) return fail(std::move(shape.error()));
  header.shape = std::move(*shape);
  if (in.has_gang())
    header.gang = std::make_shared<const model::gang_info>(
        model::gang_info{in.gang().id(), in.gang().cardinality(), in.gang().minimum_cardinality(),
                         in.gang().uniformity_label()});
  auto trace = from_wire(in.trace());
  if (!trace) return fail(std::move(trace.error()));
  header.trace = *trace;
  if (in.on_lease_expiry() != 0) {
    auto policy =
        enum_from_wire(in.on_lease_expiry() - 1, model::lease_policy::fail, "lease policy");
    if (!policy) return fail(std::move(policy.error()));
    header.on_lease_expiry = *policy;
  }
  header.keep_on_disconnect = in.keep_on_disconnect();
  header.fail_fast = in.fail_fast();
  header.held = in.held();
  header.hold_if_unfit = in.hold_if_unfit();
  header.name = in.name();
  if (in.requeue_if_preempted() != 0) header.requeue_if_preempted = in.requeue_if_preempted() == 2;
  header.hold_if_unmet = in.hold_if_unmet();
  auto after = dependencies_from_wire(in.after());
  if (!after) return fail(std::move(after.error()));
  if (!after->empty())
    header.after = std::make_shared<const std::vector<model::job_dependency>>(std::move(*after));
  return header;
}

void to_wire(const model::leader_elected& claim, log::v1::LeaderElected& out) {
  out.set_epoch(claim.epoch.value);
  out.set_holder(claim.holder);
  out.set_nonce(claim.nonce.value);
  out.set_control_plane(claim.control_plane);
}

model::leader_elected from_wire(const log::v1::LeaderElected& in) {
  return {{in.epoch()}, in.holder(), {in.nonce()}, in.control_plane()};
}

void to_wire(const model::plane& plane, log::v1::Plane& out) {
  out.set_id(plane.id);
  out.set_place(plane.place);
}

model::plane from_wire(const log::v1::Plane& in) {
  return {in.id(), in.place()};
}

void to_wire(const model::generation_begun& begun, log::v1::GenerationBegun& out) {
  out.set_generation(begun.generation.value);
  out.set_previous(begun.previous.value);
  out.set_position(begun.position.value);
  out.set_queues(begun.queues);
  out.set_live_jobs(begun.live_jobs);
  out.set_clusters(begun.clusters);
}

model::generation_begun from_wire(const log::v1::GenerationBegun& in) {
  return {{in.generation()}, {in.previous()}, {in.position()},
          in.queues(),       in.live_jobs(),  in.clusters()};
}

void to_wire(const model::round_decided& round, log::v1::RoundDecided& out) {
  out.set_number(round.number);
  out.set_snapshot_position(round.snapshot_position.value);
  out.set_pool(round.pool);
  out.set_seed(round.seed);
  out.set_config_version(round.config_version);
  out.set_digest(round.digest);
  out.set_leases(round.leases);
  out.set_preemptions(round.preemptions);
  out.set_duration_ns(round.duration_ns);
  for (const auto& entry : round.carried) to_wire(entry, *out.add_carried());
  out.set_began_ns(round.began_ns);
  out.set_draw_limit(round.draw_limit);
  for (const auto& entry : round.before) to_wire(entry, *out.add_before());
  for (const auto& cut : round.cuts) {
    auto& to = *out.add_cuts();
    to.set_queue(cut.queue);
    to.set_since(cut.since.value);
    to.set_position(cut.position.value);
  }
}

namespace {

result<std::vector<model::carried_entry>> entries_from_wire(
    const google::protobuf::RepeatedPtrField<log::v1::CarriedEntry>& in) {
  std::vector<model::carried_entry> out;
  out.reserve(static_cast<std::size_t>(in.size()));
  for (const auto& message : in) {
    auto entry = codec::from_wire(message);
    if (!entry) return fail(std::move(entry.error()));
    out.push_back(std::move(*entry));
  }
  return out;
}

}  // namespace

result<model::round_decided> from_wire(const log::v1::RoundDecided& in) {
  model::round_decided round;
  round.number = in.number();
  round.snapshot_position = {in.snapshot_position()};
  round.pool = model::pool_name{in.pool()};
  round.seed = in.seed();
  round.config_version = in.config_version();
  round.digest = in.digest();
  round.leases = in.leases();
  round.preemptions = in.preemptions();
  round.duration_ns = in.duration_ns();
  auto carried = entries_from_wire(in.carried());
  if (!carried) return fail(std::move(carried.error()));
  round.carried = std::move(*carried);
  round.began_ns = in.began_ns();
  round.draw_limit = in.draw_limit();
  auto before = entries_from_wire(in.before());
  if (!before) return fail(std::move(before.error()));
  round.before = std::move(*before);
  for (const auto& cut : in.cuts())
    round.cuts.push_back({model::queue_name{cut.queue()}, {cut.since()}, {cut.position()}});
  return round;
}

namespace {

void to_wire(const model::estimate& what, log::v1::Estimate& out) {
  out.set_ok(what.ok);
  out.set_runs(what.runs);
  out.set_failed(what.failed);
  out.set_time_ns(what.time_ns);
}

model::estimate from_wire(const log::v1::Estimate& in) {
  return {in.ok(), in.runs(), in.failed(), in.time_ns()};
}

void to_wire(const model::health_record& what, log::v1::Health& out) {
  to_wire(what.machine, *out.mutable_machine());
  to_wire(what.results, *out.mutable_results());
  out.set_last_failure(what.last_failure);
  out.set_until_ns(what.quarantine.until_ns);
  out.set_period_ns(what.quarantine.period_ns);
  out.set_why(what.quarantine.why);
}

model::health_record from_wire(const log::v1::Health& in) {
  return {from_wire(in.machine()),
          from_wire(in.results()),
          in.last_failure(),
          {in.until_ns(), in.period_ns(), in.why()}};
}

}  // namespace

void to_wire(const model::carried_entry& entry, log::v1::CarriedEntry& out) {
  out.set_kind(static_cast<log::v1::CarriedEntry::Kind>(entry.what));
  out.set_pool(entry.pool);
  out.set_name(entry.name);
  if (!entry.job.is_nil()) {
    const auto id = to_wire(entry.job);
    out.set_job(id.data(), id.size());
  }
  out.set_gone(entry.gone);
  out.set_time_ns(entry.time_ns);
  out.set_level(entry.level);
  out.set_cores(entry.cores);
  to_wire(entry.amounts, *out.mutable_amounts());
  out.set_slowed(entry.slowed);
  if (entry.health != model::health_record{}) to_wire(entry.health, *out.mutable_health());
  out.set_resource(entry.resource);
}

result<model::carried_entry> from_wire(const log::v1::CarriedEntry& in) {
  using kind = model::carried_entry::kind;
  auto what = enum_from_wire(static_cast<std::uint32_t>(in.kind()), kind::closed_node,
                             "the kind of what rounds hand on");
  if (!what) return fail(std::move(what.error()));
  auto job = optional_ulid_from_wire(in.job());
  if (!job) return fail(std::move(job.error()));
  auto amounts = from_wire(in.amounts());
  if (!amounts) return fail(std::move(amounts.error()));
  model::carried_entry out{
      *what,      model::pool_name{in.pool()}, in.name(), *job, in.gone(), in.time_ns(), in.level(),
      in.cores(), std::move(*amounts)};
  out.slowed = in.slowed();
  if (in.has_health()) out.health = from_wire(in.health());
  out.resource = in.resource();
  return out;
}

void to_wire(const ulid_range& range, log::v1::IdRange& out) {
  const auto id = to_wire(range.first);
  out.set_first(id.data(), id.size());
  out.set_count(range.count);
}

result<ulid_range> from_wire(const log::v1::IdRange& in) {
  const auto first = ulid_from_wire(in.first());
  if (!first) return fail(first.error());
  if (in.count() == 0 || in.count() > range_ids_max)
    return fail(ec::corrupt, "a range of " + std::to_string(in.count()) + " ids");
  return ulid_range{*first, in.count()};
}

void to_wire(const model::operation& operation, log::v1::Operation& out) {
  const auto id = to_wire(operation.id);
  out.set_id(id.data(), id.size());
  out.set_kind(static_cast<std::uint32_t>(operation.kind));
  out.set_state(static_cast<std::uint32_t>(operation.state));
  put_operation(operation, out);
  out.set_states(operation.jobs.states);
  for (const auto& each : operation.jobs.classes) out.add_classes(each);
  for (const auto& each : operation.jobs.pools) out.add_pools(each);
  out.set_priority(operation.jobs.priority);
  out.set_with_gangs(operation.jobs.with_gangs);
}

result<model::operation> from_wire(const log::v1::Operation& in) {
  auto id = ulid_from_wire(in.id());
  if (!id) return fail(std::move(id.error()));
  auto kind = enum_from_wire(in.kind(), model::operation_kind::release, "kind of an operation");
  if (!kind) return fail(std::move(kind.error()));
  auto state = enum_from_wire(in.state(), model::operation_state::failed, "state of an operation");
  if (!state) return fail(std::move(state.error()));
  model::operation out;
  out.id = *id;
  out.kind = *kind;
  out.state = *state;
  out.queue = model::queue_name{in.queue()};
  out.job_set = in.job_set();
  out.cluster = model::cluster_name{in.cluster()};
  out.node = model::node_name{in.node()};
  out.by = in.by();
  out.reason = in.reason();
  out.begun_ns = in.begun_ns();
  out.ended_ns = in.ended_ns();
  out.total = in.total();
  out.done = in.done();
  out.detail = in.detail();
  out.deadline_ns = in.deadline_ns();
  out.preempts = in.preempts();
  out.jobs.states = in.states();
  out.jobs.classes.assign(in.classes().begin(), in.classes().end());
  for (const auto& pool : in.pools()) out.jobs.pools.emplace_back(pool);
  out.jobs.priority = in.priority();
  out.jobs.with_gangs = in.with_gangs();
  return out;
}

void to_wire(const model::call_recorded& call, log::v1::CallRecorded& out) {
  put_call(call, out);
}

model::call_recorded from_wire(const log::v1::CallRecorded& in) {
  model::call_recorded out;
  out.number = in.number();
  out.user = in.user();
  out.via = in.via();
  out.peer = in.peer();
  out.method = in.method();
  out.outcome = in.outcome();
  out.detail = in.detail();
  out.queue = model::queue_name{in.queue()};
  out.job_set = in.job_set();
  out.cluster = model::cluster_name{in.cluster()};
  out.node = model::node_name{in.node()};
  out.jobs = in.jobs();
  out.summary = in.summary();
  out.left_out = in.left_out();
  out.proof = in.proof();
  return out;
}

void to_wire(const model::settings_changed& change, log::v1::SettingsChanged& out) {
  out.set_number(change.number);
  out.set_version(change.version);
  out.set_version_before(change.version_before);
  out.set_by(change.by);
  out.set_cause(change.cause);
  for (const auto& key : change.changed) {
    auto& to = *out.add_changed();
    to.set_name(key.name);
    to.set_before(key.before);
    to.set_after(key.after);
  }
  out.set_text(change.text);
  for (const auto& setting : change.overrides) {
    auto& to = *out.add_overrides();
    to.set_name(setting.name);
    to.set_value(setting.value);
  }
}

model::settings_changed from_wire(const log::v1::SettingsChanged& in) {
  model::settings_changed out;
  out.number = in.number();
  out.version = in.version();
  out.version_before = in.version_before();
  out.by = in.by();
  out.cause = in.cause();
  for (const auto& key : in.changed())
    out.changed.push_back({key.name(), key.before(), key.after()});
  out.text = in.text();
  for (const auto& setting : in.overrides())
    out.overrides.push_back({setting.name(), setting.value()});
  return out;
}

}  // namespace argosy::codec
