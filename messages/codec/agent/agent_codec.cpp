// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/agent/agent_codec.hpp"

#include <google/protobuf/arena.h>

#include <algorithm>
#include <limits>

#include "messages/codec/arena_decode.hpp"
#include "messages/codec/wire.hpp"
#include "messages/proto/argosy/agent.pb.h"
#include "runtime/model/queue.hpp"

namespace argosy::codec {

namespace {

namespace wire = argosy::agent::v1;
namespace wire_log = argosy::log::v1;

/// What an entry takes for its field's tag and length, and what each part of a hello takes besides
/// its entries.
constexpr std::size_t entry_head_bytes = 6;
constexpr std::size_t part_head_bytes = 16;

result<void> check_node_name(std::string_view name) {
  if (name.empty()) return fail(ec::invalid_argument, "node name is empty");
  return model::validate_printable(name, "node name", model::name_size_max);
}

/// Fills `out` from a list of nodes whose names are fit to be keys.
template <class Nodes>
result<void> read_nodes(const Nodes& in, std::vector<model::node_info>& out) {
  out.reserve(static_cast<std::size_t>(in.size()));
  for (const auto& entry : in) {
    if (auto ok = check_node_name(entry.name()); !ok) return ok;
    auto node = from_wire(entry);
    if (!node) return fail(std::move(node.error()));
    out.push_back(std::move(*node));
  }
  return {};
}

void to_wire(const model::start_run& order, wire::StartRun& out) {
  codec::to_wire(order.run, *out.mutable_run());
  out.set_queue(order.queue);
  out.set_job_set(order.job_set);
  out.set_node(order.node);
  codec::to_wire(order.requests, *out.mutable_requests());
  out.set_grace_seconds(order.grace_seconds);
  out.set_deadline_seconds(order.deadline_seconds);
  out.set_keep_on_disconnect(order.keep_on_disconnect);
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
  order.queue = in.queue();
  order.job_set = in.job_set();
  order.node = in.node();
  order.requests = std::move(*requests);
  order.grace_seconds = in.grace_seconds();
  order.deadline_seconds = in.deadline_seconds();
  order.keep_on_disconnect = in.keep_on_disconnect();
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
  if (report.trace.valid()) codec::to_wire(report.trace, *out.mutable_trace());
}

result<model::run_phase> phase_from_wire(std::uint32_t number) {
  return enum_from_wire(number, model::run_phase::unknown, "phase of a run");
}

result<model::run_report> from_wire(const wire::RunReport& in) {
  auto run = codec::from_wire(in.run());
  if (!run) return fail(std::move(run.error()));
  auto phase = phase_from_wire(in.phase());
  if (!phase) return fail(std::move(phase.error()));
  auto trace = codec::from_wire(in.trace());
  if (!trace) return fail(std::move(trace.error()));
  // An agent that never had the run cannot say to which queue it belongs.
  if (!in.queue().empty())
    if (auto ok = model::validate_name(in.queue(), "queue"); !ok)
      return fail(std::move(ok.error()));
  model::run_report report;
  report.sequence = in.sequence();
  report.run = *run;
  report.queue = in.queue();
  report.phase = *phase;
  report.time_ns = in.time_ns();
  report.outcome = codec::from_wire(in.outcome());
  report.note = in.note();
  report.trace = *trace;
  return report;
}

result<model::known_run> from_wire(const wire::KnownRun& in) {
  auto run = codec::from_wire(in.run());
  if (!run) return fail(std::move(run.error()));
  auto phase = phase_from_wire(in.phase());
  if (!phase) return fail(std::move(phase.error()));
  if (auto ok = model::validate_name(in.queue(), "queue"); !ok) return fail(std::move(ok.error()));
  return model::known_run{*run, in.queue(), *phase, in.node()};
}

}  // namespace

std::string encode(const model::agent_orders& orders) {
  google::protobuf::Arena arena;
  auto& out = *google::protobuf::Arena::CreateMessage<wire::Orders>(&arena);
  out.set_epoch(orders.epoch);
  out.set_hello_ns(orders.hello_ns);
  out.set_incarnation(orders.incarnation);
  for (const auto& order : orders.start) to_wire(order, *out.add_start());
  for (const auto& order : orders.stop) to_wire(order, *out.add_stop());
  return out.SerializeAsString();
}

result<model::agent_orders> decode_orders(std::string_view bytes) {
  return decode_with<wire::Orders>(bytes, "message of orders",
                                   [](const auto& in) -> result<model::agent_orders> {
                                     model::agent_orders orders;
                                     orders.epoch = in.epoch();
                                     orders.hello_ns = in.hello_ns();
                                     orders.incarnation = in.incarnation();
                                     for (const auto& entry : in.start()) {
                                       auto order = from_wire(entry);
                                       if (!order) return fail(std::move(order.error()));
                                       orders.start.push_back(std::move(*order));
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
  out.set_incarnation(batch.incarnation);
  for (const auto& report : batch.reports) to_wire(report, *out.add_reports());
  return out.SerializeAsString();
}

result<model::report_batch> decode_reports(std::string_view bytes) {
  return decode_with<wire::ReportBatch>(
      bytes, "batch of reports", [](const auto& in) -> result<model::report_batch> {
        if (auto ok = model::validate_name(in.cluster(), "cluster"); !ok)
          return fail(std::move(ok.error()));
        model::report_batch batch{in.cluster(), in.incarnation(), {}};
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

std::vector<std::string> encode_parts(const model::agent_hello& hello, std::size_t bytes_max) {
  std::vector<std::string> parts;
  wire::Hello out;
  codec::to_wire(hello.cluster, *out.mutable_cluster());
  out.set_epoch_seen(hello.epoch_seen);
  out.set_said_ns(hello.said_ns);
  out.set_take_over(hello.take_over);
  const auto head_bytes = out.ByteSizeLong() + part_head_bytes;
  auto bytes = head_bytes;
  const auto close = [&](bool more) {
    out.set_part(static_cast<std::uint32_t>(parts.size()));
    out.set_more(more);
    parts.push_back(out.SerializeAsString());
    out.clear_nodes();
    out.clear_runs();
    bytes = head_bytes;
  };
  // Calls `add`, which puts the entry into the part, after closing a part that it does not fit
  // into.
  const auto place = [&](const auto& entry, auto add) {
    const auto size = entry.ByteSizeLong() + entry_head_bytes;
    if (bytes > head_bytes && size > bytes_max - std::min(bytes, bytes_max)) close(true);
    bytes += size;
    add();
  };
  for (const auto& node : hello.nodes) {
    wire_log::Node entry;
    codec::to_wire(node, entry);
    place(entry, [&] { *out.add_nodes() = std::move(entry); });
  }
  for (const auto& run : hello.runs) {
    wire::KnownRun entry;
    codec::to_wire(run.run, *entry.mutable_run());
    entry.set_queue(run.queue);
    entry.set_phase(static_cast<std::uint32_t>(run.phase));
    entry.set_node(run.node);
    place(entry, [&] { *out.add_runs() = std::move(entry); });
  }
  close(false);
  return parts;
}

std::string encode(const model::agent_hello& hello) {
  return encode_parts(hello, std::numeric_limits<std::size_t>::max()).front();
}

result<hello_part> decode_hello_part(std::string_view bytes) {
  return decode_with<wire::Hello>(bytes, "hello", [](const auto& in) -> result<hello_part> {
    if (auto ok = model::validate_name(in.cluster().name(), "cluster"); !ok)
      return fail(std::move(ok.error()));
    if (auto ok = model::validate_name(in.cluster().pool(), "pool"); !ok)
      return fail(std::move(ok.error()));
    hello_part out;
    out.number = in.part();
    out.more = in.more();
    auto& hello = out.hello;
    hello.cluster = codec::from_wire(in.cluster());
    hello.epoch_seen = in.epoch_seen();
    hello.said_ns = in.said_ns();
    hello.take_over = in.take_over();
    if (auto ok = read_nodes(in.nodes(), hello.nodes); !ok) return fail(std::move(ok.error()));
    for (const auto& entry : in.runs()) {
      auto run = from_wire(entry);
      if (!run) return fail(std::move(run.error()));
      hello.runs.push_back(std::move(*run));
    }
    return out;
  });
}

result<model::agent_hello> decode_hello(std::string_view bytes) {
  auto part = decode_hello_part(bytes);
  if (!part) return fail(std::move(part.error()));
  if (part->number != 0 || part->more)
    return fail(ec::invalid_argument, "this is a part of a hello");
  return std::move(part->hello);
}

std::string encode(const model::hello_ack& ack) {
  wire::HelloAck out;
  out.set_epoch(ack.epoch);
  out.set_lease_ns(ack.lease_ns);
  out.set_heartbeat_ns(ack.heartbeat_ns);
  out.set_compare_ns(ack.compare_ns);
  out.set_kill_grace_ns(ack.kill_grace_ns);
  return out.SerializeAsString();
}

result<model::hello_ack> decode_hello_ack(std::string_view bytes) {
  return decode_with<wire::HelloAck>(
      bytes, "answer to a hello", [](const auto& in) -> result<model::hello_ack> {
        return model::hello_ack{in.epoch(), in.lease_ns(), in.heartbeat_ns(), in.compare_ns(),
                                std::max<std::int64_t>(in.kill_grace_ns(), 0)};
      });
}

std::string encode(const model::agent_heartbeat& heartbeat) {
  wire::Heartbeat out;
  out.set_cluster(heartbeat.cluster);
  out.set_incarnation(heartbeat.incarnation);
  return out.SerializeAsString();
}

result<model::agent_heartbeat> decode_heartbeat(std::string_view bytes) {
  return decode_with<wire::Heartbeat>(
      bytes, "heartbeat", [](const auto& in) -> result<model::agent_heartbeat> {
        if (auto ok = model::validate_name(in.cluster(), "cluster"); !ok)
          return fail(std::move(ok.error()));
        return model::agent_heartbeat{in.cluster(), in.incarnation()};
      });
}

std::string encode(const model::heartbeat_ack& ack) {
  wire::HeartbeatAck out;
  out.set_epoch(ack.epoch);
  out.set_lease_ns(ack.lease_ns);
  out.set_hello_wanted(ack.hello_wanted);
  out.set_kill_grace_ns(ack.kill_grace_ns);
  return out.SerializeAsString();
}

result<model::heartbeat_ack> decode_heartbeat_ack(std::string_view bytes) {
  return decode_with<wire::HeartbeatAck>(
      bytes, "answer to a heartbeat", [](const auto& in) -> result<model::heartbeat_ack> {
        return model::heartbeat_ack{in.epoch(), in.lease_ns(), in.hello_wanted(),
                                    std::max<std::int64_t>(in.kill_grace_ns(), 0)};
      });
}

std::string encode(const model::agent_nodes& nodes) {
  wire::Nodes out;
  out.set_cluster(nodes.cluster);
  out.set_incarnation(nodes.incarnation);
  for (const auto& node : nodes.set) codec::to_wire(node, *out.add_set());
  for (const auto& name : nodes.removed) out.add_removed(name);
  return out.SerializeAsString();
}

result<model::agent_nodes> decode_nodes(std::string_view bytes) {
  return decode_with<wire::Nodes>(
      bytes, "message of nodes", [](const auto& in) -> result<model::agent_nodes> {
        if (auto ok = model::validate_name(in.cluster(), "cluster"); !ok)
          return fail(std::move(ok.error()));
        model::agent_nodes nodes{in.cluster(), in.incarnation(), {}, {}};
        if (auto ok = read_nodes(in.set(), nodes.set); !ok) return fail(std::move(ok.error()));
        for (const auto& name : in.removed()) {
          if (auto ok = check_node_name(name); !ok) return fail(std::move(ok.error()));
          nodes.removed.push_back(name);
        }
        return nodes;
      });
}

std::string encode(const model::agent_goodbye& goodbye) {
  wire::Goodbye out;
  out.set_cluster(goodbye.cluster);
  out.set_incarnation(goodbye.incarnation);
  out.set_reason(goodbye.reason);
  return out.SerializeAsString();
}

result<model::agent_goodbye> decode_goodbye(std::string_view bytes) {
  return decode_with<wire::Goodbye>(
      bytes, "goodbye", [](const auto& in) -> result<model::agent_goodbye> {
        if (auto ok = model::validate_name(in.cluster(), "cluster"); !ok)
          return fail(std::move(ok.error()));
        return model::agent_goodbye{in.cluster(), in.incarnation(), in.reason()};
      });
}

std::string encode(const model::log_request& request) {
  wire::LogRequest out;
  codec::to_wire(request.run, *out.mutable_run());
  out.set_offset(request.offset);
  out.set_size_max(request.size_max);
  return out.SerializeAsString();
}

result<model::log_request> decode_log_request(std::string_view bytes) {
  return decode_with<wire::LogRequest>(
      bytes, "request for output", [](const auto& in) -> result<model::log_request> {
        auto run = codec::from_wire(in.run());
        if (!run) return fail(std::move(run.error()));
        return model::log_request{*run, in.offset(), in.size_max()};
      });
}

std::string encode(const model::log_chunk& chunk) {
  wire::LogChunk out;
  out.set_data(chunk.data);
  out.set_next_offset(chunk.next_offset);
  out.set_end(chunk.end);
  return out.SerializeAsString();
}

result<model::log_chunk> decode_log_chunk(std::string_view bytes) {
  return decode_with<wire::LogChunk>(
      bytes, "piece of output", [](const auto& in) -> result<model::log_chunk> {
        return model::log_chunk{in.data(), in.next_offset(), in.end()};
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
