// SPDX-License-Identifier: Apache-2.0
#include "messages/view/job_codec.hpp"

#include <google/protobuf/arena.h>

#include "messages/codec/log/log_values.hpp"
#include "messages/codec/wire.hpp"
#include "messages/proto/argosy/store.pb.h"
#include "messages/view/record.hpp"
#include "messages/view/store_codec.hpp"

namespace argosy::view {

using codec::enum_from_wire;
using codec::from_wire;
using codec::optional_ulid_from_wire;

namespace {

namespace records = argosy::store::v1;
using store::table;

void to_wire(const model::run_record& run, records::Run& out) {
  out.set_number(run.number);
  out.set_state(static_cast<std::uint32_t>(run.state));
  out.set_cluster(run.cluster.str());
  out.set_node(run.node.str());
  out.set_pool(run.pool.str());
  out.set_scheduled_at_priority(run.scheduled_at_priority);
  out.set_round(run.round);
  out.set_leased_ns(run.leased_ns);
  out.set_pending_ns(run.pending_ns);
  out.set_started_ns(run.started_ns);
  out.set_finished_ns(run.finished_ns);
  if (run.outcome != model::run_outcome{}) codec::to_wire(run.outcome, *out.mutable_outcome());
  out.set_note(run.note);
  if (!run.pod.empty()) codec::to_wire(run.pod, *out.mutable_pod());
}

result<model::run_record> from_wire(const records::Run& in) {
  auto state = enum_from_wire(in.state(), model::run_state::lease_expired, "run state");
  if (!state) return fail(std::move(state.error()));
  model::run_record run;
  run.number = in.number();
  run.state = *state;
  run.cluster = model::cluster_name{in.cluster()};
  run.node = model::node_name{in.node()};
  run.pool = model::pool_name{in.pool()};
  run.scheduled_at_priority = in.scheduled_at_priority();
  run.round = in.round();
  run.leased_ns = in.leased_ns();
  run.pending_ns = in.pending_ns();
  run.started_ns = in.started_ns();
  run.finished_ns = in.finished_ns();
  run.outcome = codec::from_wire(in.outcome());
  run.note = in.note();
  run.pod = codec::from_wire(in.pod());
  return run;
}

}  // namespace

std::string encode_job(const model::job_record& record) {
  google::protobuf::Arena arena;
  auto& out = *google::protobuf::Arena::CreateMessage<records::Job>(&arena);
  out.set_format(record_format);
  out.set_queue(record.header->queue);
  codec::to_wire(*record.header, *out.mutable_header());
  out.set_state(static_cast<std::uint32_t>(record.state));
  out.set_priority(record.priority);
  out.set_stopping(static_cast<std::uint32_t>(record.stopping));
  out.set_comes_back(record.comes_back);
  out.set_changed_ns(record.changed_ns);
  for (const auto& run : record.runs) to_wire(run, *out.add_runs());
  out.set_reason(record.reason);
  out.set_requestor(record.requestor);
  if (!record.preemptor.is_nil()) {
    const auto id = codec::to_wire(record.preemptor);
    out.set_preemptor(id.data(), id.size());
  }
  if (record.hold) {
    auto& hold = *out.mutable_hold();
    hold.set_by(record.hold->by);
    hold.set_reason(record.hold->reason);
    hold.set_since_ns(record.hold->since_ns);
    hold.set_blocked(record.hold->blocked);
    hold.set_waits(record.hold->waits);
  }
  return codec::encode_sorted(out);
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
  record.comes_back = in.comes_back();
  record.changed_ns = in.changed_ns();
  for (const auto& entry : in.runs()) {
    auto run = from_wire(entry);
    if (!run) return fail(std::move(run.error()));
    record.runs.push_back(std::move(*run));
  }
  record.reason = in.reason();
  record.requestor = in.requestor();
  record.preemptor = *preemptor;
  if (in.has_hold())
    record.hold = std::make_shared<const model::job_hold>(
        model::job_hold{in.hold().by(), in.hold().reason(), in.hold().since_ns(),
                        in.hold().blocked(), in.hold().waits()});
  return record;
}

}  // namespace argosy::view
