// SPDX-License-Identifier: Apache-2.0
// The service Trace gives causal traces and the graph of actors, and takes the spans of other
// processes.
#include "actors/api/gateway_services.hpp"
#include "messages/codec/span_codec.hpp"
#include "messages/native/job_trace.hpp"
#include "messages/proto/argosy/trace.pb.h"
#include "runtime/trace/actor_counts.hpp"
#include "runtime/trace/recorder.hpp"

namespace argosy::actors {

namespace {

void reply_spans(gateway_services& gateway, const call& caller, const std::string& trace_id) {
  gateway.ask(
      caller, gateway.config.tracer,
      [caller, trace_id](const native::span_list& spans) {
        v1::GetTraceResponse response;
        response.set_trace_id(trace_id);
        for (const auto& span : *spans) codec::to_wire(span, *response.add_spans());
        caller.reply(response);
      },
      atom::query_v, trace_id);
}

void get_trace(gateway_services& gateway, const call& caller, const v1::GetTraceRequest& request) {
  if (!request.trace_id().empty()) {
    reply_spans(gateway, caller, request.trace_id());
    return;
  }
  gateway.with_job(
      caller, request.job_id(), false, [&gateway, caller](const model::job_record& job) {
        reply_spans(gateway, caller, trace::to_string(native::to_context(job.header->trace).trace));
      });
}

void report_spans(gateway_services& gateway, const call& caller,
                  const v1::ReportSpansRequest& request) {
  auto spans = std::make_shared<std::vector<trace::finished_span>>();
  for (const auto& span : request.spans()) {
    auto decoded_span = codec::from_wire(span);
    if (!decoded_span) {
      caller.fail(decoded_span.error());
      return;
    }
    spans->push_back(std::move(*decoded_span));
  }
  gateway.self->send(gateway.config.tracer, atom::spans_v, native::span_list{std::move(spans)});
  caller.reply(v1::ReportSpansResponse{});
}

void get_graph(gateway_services& gateway, const call& caller, const v1::GetGraphRequest&) {
  gateway.ask(
      caller, gateway.config.tracer,
      [caller](const native::flow_list& flows) {
        v1::GetGraphResponse response;
        std::map<std::string, v1::ActorType*> types;
        for (const auto& count : trace::actor_type_counts()) {
          auto* type = response.add_actors();
          type->set_name(count.type);
          type->set_instances(static_cast<std::uint32_t>(count.instances));
          types[count.type] = type;
        }
        for (const auto& edge : *flows) {
          auto* flow = response.add_flows();
          flow->set_from(edge.from);
          flow->set_to(edge.to);
          flow->set_message(edge.message);
          flow->set_count(edge.handled);
          const auto found = types.find(edge.to);
          if (found == types.end()) continue;
          auto& type = *found->second;
          type.set_messages(type.messages() + edge.handled);
          type.set_waiting_ns(type.waiting_ns() +
                              static_cast<std::uint64_t>(edge.wait.sum_nanos()));
          type.set_processing_ns(type.processing_ns() +
                                 static_cast<std::uint64_t>(edge.processing.sum_nanos()));
          type.set_mailbox_depth_max(
              std::max(type.mailbox_depth_max(), static_cast<std::uint32_t>(edge.depth_max)));
        }
        caller.reply(response);
      },
      atom::graph_v);
}

}  // namespace

void add_trace_service(method_table& table) {
  table["Trace.GetTrace"] = decoded<v1::GetTraceRequest>(get_trace);
  table["Trace.ReportSpans"] = decoded<v1::ReportSpansRequest>(report_spans);
  table["Trace.GetGraph"] = decoded<v1::GetGraphRequest>(get_graph);
}

}  // namespace argosy::actors
