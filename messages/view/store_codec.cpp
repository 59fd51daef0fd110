// SPDX-License-Identifier: Apache-2.0
#include "messages/view/store_codec.hpp"

#include "messages/codec/api/retry_codec.hpp"
#include "messages/codec/log/log_codec.hpp"
#include "messages/codec/log/log_values.hpp"
#include "messages/codec/wire.hpp"
#include "messages/proto/argosy/store.pb.h"
#include "messages/view/call_table.hpp"
#include "messages/view/history_codec.hpp"
#include "messages/view/job_codec.hpp"
#include "messages/view/operation_table.hpp"
#include "messages/view/queue_sums_codec.hpp"
#include "messages/view/record.hpp"
#include "messages/view/settings_table.hpp"
#include "runtime/store/key.hpp"

namespace argosy::view {

using codec::encode_sorted;
using codec::ulid_from_wire;

namespace {

namespace records = argosy::store::v1;

using store::table;
using store::write_txn;

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
    if (change.kind == ledger::id_kind::job) {
      const auto id = codec::to_wire(change.jobs.front().first);
      out.set_job(id.data(), id.size());
    } else {
      for (const auto& range : change.jobs) codec::to_wire(range, *out.add_jobs());
    }
    out.set_body_hash(change.body_hash);
    out.set_used_ns(change.used_ns);
    return txn.put(table::client_ids, client_id_key(change), codec::encode_sorted(out));
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
    if (change.sums) to_record(*change.sums, out);
    return txn.put(table::queue_totals, change.queue, codec::encode_sorted(out));
  }

  result<void> operator()(const ledger::put_cluster& change) const {
    records::Cluster out;
    out.set_format(record_format);
    codec::to_wire(change.cluster, *out.mutable_cluster());
    out.set_present(change.present);
    out.set_left_ns(change.left_ns);
    return txn.put(table::clusters, change.cluster.name, codec::encode_sorted(out));
  }

  result<void> operator()(const ledger::erase_cluster& change) const {
    return erase(table::clusters, change.name);
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
    return txn.put(table::rounds, store::number_key(change.round.number),
                   codec::encode_sorted(out));
  }

  result<void> operator()(const ledger::put_carried& change) const {
    const auto key = carried_key(change.entry);
    if (change.entry.gone) return erase(table::carried, key);
    records::Carried out;
    out.set_format(record_format);
    codec::to_wire(change.entry, *out.mutable_entry());
    return txn.put(table::carried, key, codec::encode_sorted(out));
  }

  result<void> operator()(const ledger::put_cordon& change) const {
    records::Cordon out;
    out.set_format(record_format);
    out.set_by(change.cordon.by);
    out.set_reason(change.cordon.reason);
    out.set_since_ns(change.cordon.since_ns);
    return txn.put(table::cordons, node_key(change.cluster, change.node),
                   codec::encode_sorted(out));
  }

  result<void> operator()(const ledger::erase_cordon& change) const {
    return erase(table::cordons, node_key(change.cluster, change.node));
  }

  result<void> operator()(const ledger::put_call& change) const { return write_call(txn, change); }

  result<void> operator()(const ledger::put_settings_change& change) const {
    return write_settings_change(txn, change);
  }

  result<void> operator()(const ledger::put_operation& change) const {
    return write_operation(txn, change);
  }

  result<void> operator()(const ledger::put_retry_policy& change) const {
    records::RetryPolicy out;
    out.set_format(record_format);
    codec::to_wire(change.policy, *out.mutable_policy());
    return txn.put(table::retry_policies, change.policy.name, codec::encode_sorted(out));
  }

  result<void> operator()(const ledger::erase_retry_policy& change) const {
    return erase(table::retry_policies, change.name);
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

  result<void> operator()(const ledger::put_planes& change) const {
    auto position = read_position(txn);
    if (!position) return fail(std::move(position.error()));
    auto next = position->value_or(view_position{});
    next.planes_before.push_back(std::exchange(next.planes, change.planes));
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

result<model::queue_settings> decode_queue(std::string_view value) {
  records::Queue in;
  if (auto ok = read_record(value, in, "queue record"); !ok) return fail(std::move(ok.error()));
  return codec::from_wire(in.settings());
}

result<ledger::put_queue_totals> decode_queue_totals(const store::entry& entry) {
  records::QueueTotals in;
  if (auto ok = read_record(entry.value, in, "record of a queue's totals"); !ok)
    return fail(std::move(ok.error()));
  auto sums = sums_of(in);
  if (!sums) return fail(std::move(sums.error()));
  return ledger::put_queue_totals{model::queue_name{entry.key},
                                  {in.succeeded(), in.failed(), in.preempted(), in.cancelled(),
                                   in.rejected(), in.usage_cpu_ms()},
                                  std::move(*sums)};
}

result<ledger::put_client_id> decode_client_id(const store::entry& entry) {
  store::key_reader key{entry.key};
  const auto queue = key.text();
  if (!queue) return fail(ec::corrupt, "a key of the client ids names no queue");
  records::ClientId in;
  if (auto ok = read_record(entry.value, in, "client id record"); !ok)
    return fail(std::move(ok.error()));
  ledger::put_client_id out{model::queue_name{*queue}, {}, {}, in.body_hash(), in.used_ns()};
  auto id = key.rest();
  if (id.starts_with(request_mark)) {
    id.remove_prefix(1);
    out.kind = ledger::id_kind::request;
    if (in.jobs().empty()) return fail(ec::corrupt, "a request is known that has no jobs");
    for (const auto& each : in.jobs()) {
      const auto range = codec::from_wire(each);
      if (!range) return fail(range.error());
      out.jobs.push_back(*range);
    }
  } else {
    const auto job = ulid_from_wire(in.job());
    if (!job) return fail(job.error());
    out.jobs = {{*job, 1}};
  }
  out.client_id = id;
  return out;
}

result<ledger::put_cluster> decode_cluster(std::string_view value) {
  records::Cluster in;
  if (auto ok = read_record(value, in, "cluster record"); !ok) return fail(std::move(ok.error()));
  return ledger::put_cluster{codec::from_wire(in.cluster()), in.present(), in.left_ns()};
}

result<ledger::put_node> decode_node(const store::entry& entry) {
  const auto cluster = store::key_reader{entry.key}.text();
  if (!cluster) return fail(ec::corrupt, "a key of the nodes names no cluster");
  records::Node in;
  if (auto ok = read_record(entry.value, in, "node record"); !ok)
    return fail(std::move(ok.error()));
  auto node = codec::from_wire(in.node());
  if (!node) return fail(std::move(node.error()));
  return ledger::put_node{model::cluster_name{*cluster}, std::move(*node)};
}

result<ledger::put_cordon> decode_cordon(const store::entry& entry) {
  store::key_reader key{entry.key};
  const auto cluster = key.text();
  if (!cluster) return fail(ec::corrupt, "a key of the cordons names no cluster");
  records::Cordon in;
  if (auto ok = read_record(entry.value, in, "record of a cordon"); !ok)
    return fail(std::move(ok.error()));
  return ledger::put_cordon{model::cluster_name{*cluster},
                            model::node_name{key.rest()},
                            {in.by(), in.reason(), in.since_ns()}};
}

result<model::retry_policy> decode_retry_policy(std::string_view value) {
  records::RetryPolicy in;
  if (auto ok = read_record(value, in, "record of a retry policy"); !ok)
    return fail(std::move(ok.error()));
  auto policy = codec::from_wire(in.policy());
  if (!policy) return fail(ec::corrupt, "a stored retry policy: " + policy.error().detail);
  return policy;
}

result<ledger::put_round> decode_round(std::string_view value) {
  records::Round in;
  if (auto ok = read_record(value, in, "round record"); !ok) return fail(std::move(ok.error()));
  auto round = codec::from_wire(in.round());
  if (!round) return fail(std::move(round.error()));
  return ledger::put_round{in.time_ns(), std::move(*round)};
}

result<model::carried_entry> decode_carried(std::string_view value) {
  records::Carried in;
  if (auto ok = read_record(value, in, "carried record"); !ok) return fail(std::move(ok.error()));
  return codec::from_wire(in.entry());
}

}  // namespace argosy::view
