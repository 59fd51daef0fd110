// SPDX-License-Identifier: Apache-2.0
// The records of an agent's own store; agent_codec.cpp has the messages that the agent sends.
#include "messages/codec/agent/agent_codec.hpp"
#include "messages/codec/arena_decode.hpp"
#include "messages/codec/wire.hpp"
#include "messages/proto/argosy/store.pb.h"
#include "runtime/store/key.hpp"

namespace argosy::codec {

namespace {

constexpr std::uint32_t record_format = 1;

}  // namespace

std::string encode(const agent_run& run) {
  store::v1::AgentRun out;
  out.set_format(record_format);
  codec::to_wire(run.run, *out.mutable_run());
  out.set_queue(run.queue);
  out.set_job_set(run.job_set);
  out.set_node(run.node);
  out.set_phase(static_cast<std::uint32_t>(run.phase));
  out.set_started_ns(run.started_ns);
  codec::to_wire(run.outcome, *out.mutable_outcome());
  codec::to_wire(run.requests, *out.mutable_requests());
  if (run.trace.valid()) codec::to_wire(run.trace, *out.mutable_trace());
  out.set_grace_seconds(run.grace_seconds);
  out.set_deadline_seconds(run.deadline_seconds);
  out.set_stopping(static_cast<std::uint32_t>(run.stopping));
  out.set_namespace_(run.name_space);
  out.set_pod_uid(run.pod_uid);
  return out.SerializeAsString();
}

result<agent_run> decode_agent_run(std::string_view bytes) {
  return decode_with<store::v1::AgentRun>(
      bytes, "record of a run", [](const auto& in) -> result<agent_run> {
        if (auto ok = check_format(in.format(), record_format, "record of a run"); !ok)
          return fail(std::move(ok.error()));
        auto key = codec::from_wire(in.run());
        if (!key) return fail(std::move(key.error()));
        auto phase = enum_from_wire(in.phase(), model::run_phase::unknown, "phase of a run");
        if (!phase) return fail(std::move(phase.error()));
        auto requests = codec::from_wire(in.requests());
        if (!requests) return fail(std::move(requests.error()));
        auto trace = codec::from_wire(in.trace());
        if (!trace) return fail(std::move(trace.error()));
        auto stopping = enum_from_wire(in.stopping(), model::stop_cause::requeue, "stop cause");
        if (!stopping) return fail(std::move(stopping.error()));
        return agent_run{*key,
                         model::queue_name{in.queue()},
                         in.job_set(),
                         model::node_name{in.node()},
                         *phase,
                         in.started_ns(),
                         codec::from_wire(in.outcome()),
                         std::move(*requests),
                         *trace,
                         in.grace_seconds(),
                         in.deadline_seconds(),
                         *stopping,
                         in.namespace_(),
                         in.pod_uid()};
      });
}

std::string agent_run_key(const model::run_key& run) {
  return store::key_builder{}.bytes(codec::to_wire(run.job)).number(run.number).take();
}

std::string encode(const ledger::executor_facts& facts) {
  store::v1::AgentFacts out;
  out.set_format(record_format);
  out.set_incarnation(facts.incarnation.value);
  out.set_epoch_seen(facts.epoch_seen.value);
  out.set_next_sequence(facts.next_sequence);
  out.set_nonce_seen(facts.nonce_seen.value);
  out.set_control_plane(facts.control_plane);
  out.set_place(facts.place);
  return out.SerializeAsString();
}

result<ledger::executor_facts> decode_agent_facts(std::string_view bytes) {
  return decode_with<store::v1::AgentFacts>(
      bytes, "record of the agent", [](const auto& in) -> result<ledger::executor_facts> {
        if (auto ok = check_format(in.format(), record_format, "record of the agent"); !ok)
          return fail(std::move(ok.error()));
        return ledger::executor_facts{{in.incarnation()}, {in.epoch_seen()},  in.next_sequence(),
                                      {in.nonce_seen()},  in.control_plane(), in.place()};
      });
}

}  // namespace argosy::codec
