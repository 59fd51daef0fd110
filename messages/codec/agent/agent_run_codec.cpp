// SPDX-License-Identifier: Apache-2.0
// The runs of an agent on the wire: orders to start and stop them, reports on them, and their
// output.
#include <google/protobuf/arena.h>

#include <algorithm>

#include "messages/codec/agent/agent_codec.hpp"
#include "messages/codec/arena_decode.hpp"
#include "messages/codec/packed_output.hpp"
#include "messages/codec/wire.hpp"
#include "messages/proto/argosy/agent.pb.h"
#include "runtime/model/queue.hpp"

namespace argosy::codec {

namespace {

namespace wire = argosy::agent::v1;

void to_wire(const model::start_run& order, wire::StartRun& out) {
  codec::to_wire(order.run, *out.mutable_run());
  out.set_queue(order.queue);
  out.set_job_set(order.job_set);
  out.set_namespace_(order.name_space);
  out.set_owner(order.owner);
  out.set_node(order.node);
  codec::to_wire(order.requests, *out.mutable_requests());
  out.set_grace_seconds(order.grace_seconds);
  out.set_deadline_seconds(order.deadline_seconds);
  out.set_keep_on_disconnect(order.keep_on_disconnect);
  out.set_lapses(order.lapses);
  out.set_gang_rank(order.gang_rank);
  for (const auto& node : order.gang_nodes) out.add_gang_nodes(node);
  if (order.spec) out.set_spec(*order.spec);
  if (order.trace.valid()) codec::to_wire(order.trace, *out.mutable_trace());
}

result<model::start_run> from_wire(const wire::StartRun& in) {
  model::start_run order;
  auto run = codec::from_wire(in.run());
  if (!run) return fail(std::move(run.error()));
  auto requests = codec::from_wire(in.requests());
  if (!requests) return fail(std::move(requests.error()));
  auto trace = codec::from_wire(in.trace());
  if (!trace) return fail(std::move(trace.error()));
  order.run = *run;
  order.queue = model::queue_name{in.queue()};
  order.job_set = in.job_set();
  order.name_space = in.namespace_();
  order.owner = in.owner();
  order.node = model::node_name{in.node()};
  order.requests = std::move(*requests);
  order.grace_seconds = in.grace_seconds();
  order.deadline_seconds = in.deadline_seconds();
  order.keep_on_disconnect = in.keep_on_disconnect();
  order.lapses = in.lapses();
  order.gang_rank = in.gang_rank();
  for (const auto& node : in.gang_nodes()) order.gang_nodes.emplace_back(node);
  order.spec = std::make_shared<const std::string>(in.spec());
  order.trace = *trace;
  return order;
}

void to_wire(const model::stop_run& order, wire::StopRun& out) {
  codec::to_wire(order.run, *out.mutable_run());
  out.set_cause(static_cast<std::uint32_t>(order.cause));
  out.set_reason(order.reason);
  if (order.trace.valid()) codec::to_wire(order.trace, *out.mutable_trace());
}

result<model::stop_run> from_wire(const wire::StopRun& in) {
  auto run = codec::from_wire(in.run());
  if (!run) return fail(std::move(run.error()));
  auto cause = enum_from_wire(in.cause(), model::stop_cause::requeue, "stop cause");
  if (!cause) return fail(std::move(cause.error()));
  auto trace = codec::from_wire(in.trace());
  if (!trace) return fail(std::move(trace.error()));
  return model::stop_run{*run, *cause, in.reason(), *trace};
}

void to_wire(const model::run_report& report, wire::RunReport& out) {
  out.set_sequence(report.sequence);
  codec::to_wire(report.run, *out.mutable_run());
  out.set_queue(report.queue);
  out.set_phase(static_cast<std::uint32_t>(report.phase));
  out.set_time_ns(report.time_ns);
  if (report.outcome != model::run_outcome{})
    codec::to_wire(report.outcome, *out.mutable_outcome());
  out.set_note(report.note);
  if (!report.pod.empty()) codec::to_wire(report.pod, *out.mutable_pod());
  if (!report.usage.empty()) codec::to_wire(report.usage, *out.mutable_usage());
  out.set_namespace_(report.name_space);
  if (report.trace.valid()) codec::to_wire(report.trace, *out.mutable_trace());
}

result<model::run_report> from_wire(const wire::RunReport& in) {
  auto run = codec::from_wire(in.run());
  if (!run) return fail(std::move(run.error()));
  auto phase = enum_from_wire(in.phase(), model::run_phase::unknown, "phase of a run");
  if (!phase) return fail(std::move(phase.error()));
  auto trace = codec::from_wire(in.trace());
  if (!trace) return fail(std::move(trace.error()));
  // An agent that never had the run cannot say to which queue it belongs.
  if (!in.queue().empty())
    if (auto ok = model::validate_queue_name(in.queue(), "queue"); !ok)
      return fail(std::move(ok.error()));
  model::run_report report;
  report.sequence = in.sequence();
  report.run = *run;
  report.queue = model::queue_name{in.queue()};
  report.phase = *phase;
  report.time_ns = in.time_ns();
  report.outcome = codec::from_wire(in.outcome());
  report.note = in.note();
  report.pod = codec::from_wire(in.pod());
  report.usage = codec::from_wire(in.usage());
  report.name_space = in.namespace_();
  report.trace = *trace;
  return report;
}

}  // namespace

std::string encode(const model::agent_orders& orders) {
  google::protobuf::Arena arena;
  auto& out = *google::protobuf::Arena::CreateMessage<wire::Orders>(&arena);
  out.set_epoch(orders.epoch.value);
  out.set_hello_ns(orders.hello_ns);
  out.set_incarnation(orders.incarnation.value);
  out.set_nonce(orders.nonce.value);
  out.set_control_plane(orders.control_plane);
  out.set_process(orders.process.value);
  for (const auto& order : orders.start) to_wire(order, *out.add_start());
  for (const auto& order : orders.stop) to_wire(order, *out.add_stop());
  for (const auto& order : orders.find) to_wire(order, *out.add_find());
  return out.SerializeAsString();
}

result<model::agent_orders> decode_orders(std::string_view bytes) {
  return decode_with<wire::Orders>(bytes, "message of orders",
                                   [](const auto& in) -> result<model::agent_orders> {
                                     model::agent_orders orders;
                                     orders.epoch = {in.epoch()};
                                     orders.hello_ns = in.hello_ns();
                                     orders.incarnation = {in.incarnation()};
                                     orders.nonce = {in.nonce()};
                                     orders.control_plane = in.control_plane();
                                     orders.process = {in.process()};
                                     for (const auto& entry : in.start()) {
                                       auto order = from_wire(entry);
                                       if (!order) return fail(std::move(order.error()));
                                       orders.start.push_back(std::move(*order));
                                     }
                                     for (const auto& entry : in.find()) {
                                       auto order = from_wire(entry);
                                       if (!order) return fail(std::move(order.error()));
                                       orders.find.push_back(std::move(*order));
                                     }
                                     for (const auto& entry : in.stop()) {
                                       auto order = from_wire(entry);
                                       if (!order) return fail(std::move(order.error()));
                                       orders.stop.push_back(std::move(*order));
                                     }
                                     return orders;
                                   });
}

std::string encode(const model::report_batch& batch) {
  google::protobuf::Arena arena;
  auto& out = *google::protobuf::Arena::CreateMessage<wire::ReportBatch>(&arena);
  out.set_cluster(batch.cluster);
  out.set_incarnation(batch.incarnation.value);
  out.set_process(batch.process.value);
  for (const auto& report : batch.reports) to_wire(report, *out.add_reports());
  return out.SerializeAsString();
}

result<model::report_batch> decode_reports(std::string_view bytes) {
  return decode_with<wire::ReportBatch>(
      bytes, "batch of reports", [](const auto& in) -> result<model::report_batch> {
        if (auto ok = model::validate_name(in.cluster(), "cluster"); !ok)
          return fail(std::move(ok.error()));
        model::report_batch batch{
            model::cluster_name{in.cluster()}, {in.incarnation()}, {}, {in.process()}};
        batch.reports.reserve(static_cast<std::size_t>(in.reports_size()));
        for (const auto& entry : in.reports()) {
          auto report = from_wire(entry);
          if (!report) return fail(std::move(report.error()));
          batch.reports.push_back(std::move(*report));
        }
        return batch;
      });
}

std::string encode(const model::report_ack& ack) {
  wire::ReportAck out;
  out.set_committed_sequence(ack.committed_sequence);
  return out.SerializeAsString();
}

result<model::report_ack> decode_report_ack(std::string_view bytes) {
  return decode_with<wire::ReportAck>(bytes, "acknowledgement of reports",
                                      [](const auto& in) -> result<model::report_ack> {
                                        return model::report_ack{in.committed_sequence()};
                                      });
}

std::string encode(const model::log_request& request) {
  wire::LogRequest out;
  codec::to_wire(request.run, *out.mutable_run());
  out.set_offset(request.offset);
  out.set_size_max(request.size_max);
  out.set_container(request.container);
  out.set_tail_lines(request.tail_lines);
  out.set_since_ns(request.since_ns);
  out.set_position(request.position);
  out.set_follow(request.follow);
  out.set_unpacks(request.unpacks);
  return out.SerializeAsString();
}

result<model::log_request> decode_log_request(std::string_view bytes) {
  return decode_with<wire::LogRequest>(
      bytes, "request for output", [](const auto& in) -> result<model::log_request> {
        auto run = codec::from_wire(in.run());
        if (!run) return fail(std::move(run.error()));
        return model::log_request{*run,           in.offset(),     in.size_max(),
                                  in.container(), in.tail_lines(), in.since_ns(),
                                  in.position(),  in.follow(),     in.unpacks()};
      });
}

std::string encode(const model::log_chunk& chunk, bool packs) {
  wire::LogChunk out;
  auto packed = packs && !chunk.packed ? pack_output(chunk.data) : std::nullopt;
  out.set_packed(chunk.packed || packed);
  if (packed)
    out.set_data(std::move(*packed));
  else
    out.set_data(chunk.data);
  out.set_next_offset(chunk.next_offset);
  out.set_end(chunk.end);
  out.mutable_turns()->Assign(chunk.turns.begin(), chunk.turns.end());
  out.set_position(chunk.position);
  out.set_lost(chunk.lost);
  return out.SerializeAsString();
}

result<model::log_chunk> decode_log_chunk(std::string_view bytes) {
  return decode_with<wire::LogChunk>(
      bytes, "piece of output", [](const auto& in) -> result<model::log_chunk> {
        if (!std::ranges::is_sorted(in.turns()))
          return fail(ec::invalid_argument, "the turns in a piece of output do not ascend");
        return model::log_chunk{
            in.data(),     in.next_offset(), in.end(),   {in.turns().begin(), in.turns().end()},
            in.position(), in.lost(),        in.packed()};
      });
}

std::string encode(const model::run_report& report) {
  wire::RunReport out;
  to_wire(report, out);
  return out.SerializeAsString();
}

result<model::run_report> decode_report(std::string_view bytes) {
  return decode_with<wire::RunReport>(bytes, "report",
                                      [](const auto& in) { return from_wire(in); });
}

}  // namespace argosy::codec
