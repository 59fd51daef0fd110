// SPDX-License-Identifier: Apache-2.0
#include "messages/view/store_codec.hpp"

#include <google/protobuf/arena.h>

#include "messages/codec/log/log_codec.hpp"
#include "messages/codec/log/log_values.hpp"
#include "messages/codec/wire.hpp"
#include "messages/proto/argosy/store.pb.h"
#include "messages/view/history_codec.hpp"
#include "messages/view/record.hpp"
#include "runtime/store/key.hpp"

namespace argosy::view {

using codec::encode_sorted;
using codec::enum_from_wire;
using codec::from_wire;
using codec::optional_ulid_from_wire;
using codec::to_wire;
using codec::ulid_from_wire;

namespace {

namespace records = argosy::store::v1;

/// The value of records of which only the key says something.
constexpr std::string_view no_value = "\x01";

using store::table;
using store::write_txn;

void to_wire(const model::run_record& run, records::Run& out) {
  out.set_number(run.number);
  out.set_state(static_cast<std::uint32_t>(run.state));
  out.set_cluster(run.cluster);
  out.set_node(run.node);
  out.set_pool(run.pool);
  out.set_scheduled_at_priority(run.scheduled_at_priority);
  out.set_round(run.round);
  out.set_leased_ns(run.leased_ns);
  out.set_pending_ns(run.pending_ns);
  out.set_started_ns(run.started_ns);
  out.set_finished_ns(run.finished_ns);
  if (run.outcome != model::run_outcome{}) codec::to_wire(run.outcome, *out.mutable_outcome());
  out.set_note(run.note);
}

result<model::run_record> from_wire(const records::Run& in) {
  auto state = enum_from_wire(in.state(), model::run_state::lease_expired, "run state");
  if (!state) return fail(std::move(state.error()));
  model::run_record run;
  run.number = in.number();
  run.state = *state;
  run.cluster = in.cluster();
  run.node = in.node();
  run.pool = in.pool();
  run.scheduled_at_priority = in.scheduled_at_priority();
  run.round = in.round();
  run.leased_ns = in.leased_ns();
  run.pending_ns = in.pending_ns();
  run.started_ns = in.started_ns();
  run.finished_ns = in.finished_ns();
  run.outcome = codec::from_wire(in.outcome());
  run.note = in.note();
  return run;
}

std::string encode_job(const model::job_record& record) {
  google::protobuf::Arena arena;
  auto& out = *google::protobuf::Arena::CreateMessage<records::Job>(&arena);
  out.set_format(record_format);
  out.set_queue(record.header->queue);
  codec::to_wire(*record.header, *out.mutable_header());
  out.set_state(static_cast<std::uint32_t>(record.state));
  out.set_priority(record.priority);
  out.set_stopping(static_cast<std::uint32_t>(record.stopping));
  out.set_changed_ns(record.changed_ns);
  for (const auto& run : record.runs) to_wire(run, *out.add_runs());
  out.set_reason(record.reason);
  out.set_requestor(record.requestor);
  if (!record.preemptor.is_nil()) {
    const auto id = codec::to_wire(record.preemptor);
    out.set_preemptor(id.data(), id.size());
  }
  return out.SerializeAsString();
}

/// Carries out each kind of change.
struct change_writer {
  write_txn& txn;
  event_place place;

  result<void> operator()(const ledger::put_job& change) const {
    const auto& record = change.record;
    const auto& header = *record.header;
    const auto id = job_key(header.id);
    if (change.is_new) {
      if (header.spec)
        if (auto ok = txn.put(table::specs, id, *header.spec); !ok) return ok;
      const auto key = job_set_prefix(header.queue, header.job_set).append(id);
      if (auto ok = txn.put(table::job_sets, key, no_value); !ok) return ok;
    }
    if (!model::is_terminal(record.state)) return txn.put(table::jobs_live, id, encode_job(record));
    if (auto gone = txn.erase(table::jobs_live, id); !gone) return fail(std::move(gone.error()));
    return txn.put(table::jobs_done, id, encode_job(record));
  }

  result<void> operator()(const ledger::index_event& change) const {
    return txn.put(table::events, event_key(change.queue, change.job_set, place),
                   codec::encode_event(change.event, false));
  }

  result<void> operator()(const ledger::put_client_id& change) const {
    records::ClientId out;
    out.set_format(record_format);
    const auto id = codec::to_wire(change.job);
    out.set_job(id.data(), id.size());
    out.set_body_hash(change.body_hash);
    out.set_used_ns(change.used_ns);
    return txn.put(table::client_ids, client_id_key(change.queue, change.client_id),
                   out.SerializeAsString());
  }

  result<void> operator()(const ledger::put_queue& change) const {
    records::Queue out;
    out.set_format(record_format);
    codec::to_wire(change.settings, *out.mutable_settings());
    return txn.put(table::queues, change.settings.name, encode_sorted(out));
  }

  result<void> operator()(const ledger::erase_queue& change) const {
    if (auto gone = erase(table::queue_totals, change.name); !gone) return gone;
    return erase(table::queues, change.name);
  }

  result<void> operator()(const ledger::put_queue_totals& change) const {
    const auto& totals = change.totals;
    records::QueueTotals out;
    out.set_format(record_format);
    out.set_succeeded(totals.succeeded);
    out.set_failed(totals.failed);
    out.set_preempted(totals.preempted);
    out.set_cancelled(totals.cancelled);
    out.set_rejected(totals.rejected);
    out.set_usage_cpu_ms(totals.usage_cpu_ms);
    return txn.put(table::queue_totals, change.queue, out.SerializeAsString());
  }

  result<void> operator()(const ledger::put_cluster& change) const {
    records::Cluster out;
    out.set_format(record_format);
    codec::to_wire(change.cluster, *out.mutable_cluster());
    out.set_present(change.present);
    return txn.put(table::clusters, change.cluster.name, out.SerializeAsString());
  }

  result<void> operator()(const ledger::put_node& change) const {
    records::Node out;
    out.set_format(record_format);
    codec::to_wire(change.node, *out.mutable_node());
    return txn.put(table::nodes, node_key(change.cluster, change.node.name), encode_sorted(out));
  }

  result<void> operator()(const ledger::erase_node& change) const {
    return erase(table::nodes, node_key(change.cluster, change.node));
  }

  result<void> operator()(const ledger::put_round& change) const {
    records::Round out;
    out.set_format(record_format);
    out.set_time_ns(change.time_ns);
    codec::to_wire(change.round, *out.mutable_round());
    return txn.put(table::rounds, store::number_key(change.round.number), out.SerializeAsString());
  }

  result<void> operator()(const ledger::put_carried& change) const {
    const auto key = carried_key(change.entry);
    if (change.entry.gone) return erase(table::carried, key);
    records::Carried out;
    out.set_format(record_format);
    codec::to_wire(change.entry, *out.mutable_entry());
    return txn.put(table::carried, key, out.SerializeAsString());
  }

  result<void> operator()(const ledger::put_epoch& change) const {
    auto position = read_position(txn);
    if (!position) return fail(std::move(position.error()));
    auto next = position->value_or(view_position{});
    next.epoch = change.epoch;
    next.holder = change.holder;
    if (!change.control_plane.empty()) next.control_plane = change.control_plane;
    return write_position(txn, next);
  }

  result<void> operator()(const ledger::expire_history& change) const {
    return view::expire_history(txn, change.limits);
  }

 private:
  result<void> erase(table in, std::string_view key) const {
    if (auto gone = txn.erase(in, key); !gone) return fail(std::move(gone.error()));
    return {};
  }
};

}  // namespace

result<void> write_change(write_txn& txn, const ledger::change& change, event_place place) {
  return std::visit(change_writer{txn, place}, change);
}

result<model::job_record> decode_job(store::read_txn& txn, std::string_view value, bool with_spec) {
  google::protobuf::Arena arena;
  auto& in = *google::protobuf::Arena::CreateMessage<records::Job>(&arena);
  if (auto ok = read_record(value, in, "job record"); !ok) return fail(std::move(ok.error()));
  auto header = codec::from_wire(in.header(), in.queue());
  if (!header) return fail(std::move(header.error()));
  auto state = enum_from_wire(in.state(), model::job_state::rejected, "job state");
  if (!state) return fail(std::move(state.error()));
  auto stopping = enum_from_wire(in.stopping(), model::stop_cause::requeue, "stop cause");
  if (!stopping) return fail(std::move(stopping.error()));
  auto preemptor = optional_ulid_from_wire(in.preemptor());
  if (!preemptor) return fail(std::move(preemptor.error()));
  if (with_spec) {
    auto spec = txn.get(table::specs, codec::to_wire(header->id));
    if (!spec) return fail(std::move(spec.error()));
    if (!*spec)
      return fail(ec::corrupt, "the specification of job " + to_string(header->id) + " is missing");
    header->spec = std::make_shared<const std::string>(**spec);
  }
  model::job_record record;
  record.header = std::make_shared<const model::job_header>(std::move(*header));
  record.state = *state;
  record.priority = in.priority();
  record.stopping = *stopping;
  record.changed_ns = in.changed_ns();
  for (const auto& entry : in.runs()) {
    auto run = from_wire(entry);
    if (!run) return fail(std::move(run.error()));
    record.runs.push_back(std::move(*run));
  }
  record.reason = in.reason();
  record.requestor = in.requestor();
  record.preemptor = *preemptor;
  return record;
}

result<model::queue_settings> decode_queue(std::string_view value) {
  records::Queue in;
  if (auto ok = read_record(value, in, "queue record"); !ok) return fail(std::move(ok.error()));
  return codec::from_wire(in.settings());
}

result<ledger::put_queue_totals> decode_queue_totals(const store::entry& entry) {
  records::QueueTotals in;
  if (auto ok = read_record(entry.value, in, "record of a queue's totals"); !ok)
    return fail(std::move(ok.error()));
  return ledger::put_queue_totals{std::string{entry.key},
                                  {in.succeeded(), in.failed(), in.preempted(), in.cancelled(),
                                   in.rejected(), in.usage_cpu_ms()}};
}

result<ledger::put_client_id> decode_client_id(const store::entry& entry) {
  store::key_reader key{entry.key};
  const auto queue = key.text();
  if (!queue) return fail(ec::corrupt, "a key of the client ids names no queue");
  records::ClientId in;
  if (auto ok = read_record(entry.value, in, "client id record"); !ok)
    return fail(std::move(ok.error()));
  auto job = ulid_from_wire(in.job());
  if (!job) return fail(std::move(job.error()));
  return ledger::put_client_id{std::string{*queue}, std::string{key.rest()}, *job, in.body_hash(),
                               in.used_ns()};
}

result<ledger::put_cluster> decode_cluster(std::string_view value) {
  records::Cluster in;
  if (auto ok = read_record(value, in, "cluster record"); !ok) return fail(std::move(ok.error()));
  return ledger::put_cluster{codec::from_wire(in.cluster()), in.present()};
}

result<ledger::put_node> decode_node(const store::entry& entry) {
  const auto cluster = store::key_reader{entry.key}.text();
  if (!cluster) return fail(ec::corrupt, "a key of the nodes names no cluster");
  records::Node in;
  if (auto ok = read_record(entry.value, in, "node record"); !ok)
    return fail(std::move(ok.error()));
  auto node = codec::from_wire(in.node());
  if (!node) return fail(std::move(node.error()));
  return ledger::put_node{std::string{*cluster}, std::move(*node)};
}

result<model::carried_entry> decode_carried(std::string_view value) {
  records::Carried in;
  if (auto ok = read_record(value, in, "carried record"); !ok) return fail(std::move(ok.error()));
  return codec::from_wire(in.entry());
}

}  // namespace argosy::view
