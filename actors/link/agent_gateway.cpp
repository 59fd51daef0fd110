// SPDX-License-Identifier: Apache-2.0
#include "actors/link/agent_gateway.hpp"

#include <functional>
#include <map>
#include <string>

#include "actors/caf_error.hpp"
#include "actors/link/remote_executor.hpp"
#include "messages/codec/agent/agent_codec.hpp"
#include "messages/codec/agent/agent_subject.hpp"
#include "messages/codec/agent/hello_parts.hpp"
#include "messages/codec/span_codec.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

struct agent_gateway_state {
  static inline const logging::logger logger{"agents"};

  static inline const char* name = "argosy.gateway";
  using pointer = traced_pointer<frame_handler_actor, agent_gateway_state>;

  explicit agent_gateway_state(pointer self_) : self(self_) {}

  frame_handler_actor::behavior_type make_behavior(agent_gateway_config cfg);
  void dispatch(const native::frame_ptr& frame);
  void hello(const native::frame_ptr& frame, const std::string& cluster);
  void add_spans(const native::frame_ptr& frame);
  void answer(const native::frame_ptr& frame, std::string data);
  void refuse(const native::frame_ptr& frame, error why);

  /// Decodes, checks that the message names the subject's cluster, and asks its CLUSTER.
  template <class Message, class Ask>
  void forward(const native::frame_ptr& frame, const std::string& cluster, result<Message> message,
               const std::string& named, Ask ask);
  template <class Then, class... Args>
  void ask(const native::frame_ptr& frame, const cluster_actor& to, Then then, Args&&... args);

  pointer self;
  agent_gateway_config config;
  std::map<std::string, executor_actor> executors;
  codec::hello_parts parts;
};

frame_handler_actor::behavior_type agent_gateway_state::make_behavior(agent_gateway_config cfg) {
  config = std::move(cfg);
  parts = codec::hello_parts{{.age_max = config.request_timeout}};
  for (const auto* what : {"hello", "heartbeat", "report", "nodes", "goodbye", "spans"})
    self->request(config.bus, config.request_timeout, atom::serve_v,
                  codec::make_agent_subject("*", what), config.requests_max,
                  caf::actor_cast<frame_handler_actor>(self))
        .then([](atom::ok) {},
              [this](const caf::error& err) {
                logger.error("agents are not served", logging::kv("error", from_caf(err)));
                self->quit(err);
              });
  return {
      [this](atom::frame, const native::frame_ptr& frame) { dispatch(frame); },
  };
}

void agent_gateway_state::answer(const native::frame_ptr& frame, std::string data) {
  self->send(config.bus, atom::respond_v,
             std::make_shared<const native::frame_answer>(
                 native::frame_answer{frame, std::move(data), {ec::none, {}}, {}}));
}

void agent_gateway_state::refuse(const native::frame_ptr& frame, error why) {
  self->send(config.bus, atom::respond_v,
             std::make_shared<const native::frame_answer>(
                 native::frame_answer{frame, {}, std::move(why), {}}));
}

template <class Then, class... Args>
void agent_gateway_state::ask(const native::frame_ptr& frame, const cluster_actor& to, Then then,
                              Args&&... args) {
  self->request(to, config.request_timeout, std::forward<Args>(args)...)
      .then(std::move(then),
            [this, frame](const caf::error& err) { refuse(frame, from_caf(err)); });
}

template <class Message, class Ask>
void agent_gateway_state::forward(const native::frame_ptr& frame, const std::string& cluster,
                                  result<Message> message, const std::string& named, Ask ask_it) {
  if (!message) {
    refuse(frame, message.error());
    return;
  }
  if (named != cluster) {
    refuse(frame,
           {ec::denied, "an agent of cluster '" + cluster + "' cannot speak for '" + named + "'"});
    return;
  }
  self->request(config.root, config.request_timeout, atom::find_v, atom::nodes_v, cluster)
      .then(
          [ask_it, message = std::move(*message)](const cluster_actor& to) { ask_it(to, message); },
          [this, frame](const caf::error& err) { refuse(frame, from_caf(err)); });
}

void agent_gateway_state::dispatch(const native::frame_ptr& frame) {
  const auto [cluster, what] = codec::parse_agent_subject(frame->subject);
  if (what == "hello") {
    hello(frame, cluster);
  } else if (what == "heartbeat") {
    auto message = codec::decode_heartbeat(frame->data);
    const auto named = message ? message->cluster : std::string{};
    forward(
        frame, cluster, std::move(message), named,
        [this, frame](const cluster_actor& to, const model::agent_heartbeat& beat) {
          ask(
              frame, to,
              [this, frame](const model::heartbeat_ack& ack) { answer(frame, codec::encode(ack)); },
              atom::heartbeat_v, beat);
        });
  } else if (what == "report") {
    auto message = codec::decode_reports(frame->data);
    const auto named = message ? message->cluster : std::string{};
    forward(
        frame, cluster, std::move(message), named,
        [this, frame](const cluster_actor& to, const model::report_batch& batch) {
          ask(
              frame, to,
              [this, frame](const model::report_ack& ack) { answer(frame, codec::encode(ack)); },
              atom::report_v, std::make_shared<const model::report_batch>(batch));
        });
  } else if (what == "nodes") {
    auto message = codec::decode_nodes(frame->data);
    const auto named = message ? message->cluster : std::string{};
    forward(frame, cluster, std::move(message), named,
            [this, frame](const cluster_actor& to, const model::agent_nodes& nodes) {
              ask(
                  frame, to, [this, frame](atom::ok) { answer(frame, {}); }, atom::nodes_v,
                  std::make_shared<const model::agent_nodes>(nodes));
            });
  } else if (what == "goodbye") {
    auto message = codec::decode_goodbye(frame->data);
    const auto named = message ? message->cluster : std::string{};
    forward(frame, cluster, std::move(message), named,
            [this, frame](const cluster_actor& to, const model::agent_goodbye& bye) {
              ask(
                  frame, to, [this, frame](atom::ok) { answer(frame, {}); }, atom::goodbye_v, bye);
            });
  } else if (what == "spans") {
    add_spans(frame);
  } else {
    refuse(frame, {ec::invalid_argument, "agents have no request '" + what + "'"});
  }
}

/// The one message that may name a cluster which nobody knows yet.
void agent_gateway_state::hello(const native::frame_ptr& frame, const std::string& cluster) {
  auto part = codec::decode_hello_part(frame->data);
  if (!part) {
    refuse(frame, part.error());
    return;
  }
  if (part->hello.cluster.name != cluster) {
    refuse(frame, {ec::denied, "an agent of cluster '" + cluster + "' cannot speak for '" +
                                   part->hello.cluster.name + "'"});
    return;
  }
  const auto now = std::chrono::duration_cast<boot_time>(self->clock().now().time_since_epoch());
  auto message = parts.add(std::move(*part), frame->data.size(), now);
  if (!message) {
    refuse(frame, message.error());
    return;
  }
  if (!*message) {
    answer(frame, codec::encode(model::hello_ack{}));
    return;
  }
  auto& executor = executors[cluster];
  if (!executor) executor = spawn_remote_executor(self->system(), {cluster, config.bus});
  const auto shared = std::make_shared<const model::agent_hello>(std::move(**message));
  self->request(config.root, config.request_timeout, atom::ensure_v, atom::nodes_v, cluster)
      .then(
          [this, frame, shared, executor](const cluster_actor& to) {
            ask(
                frame, to,
                [this, frame](const model::hello_ack& ack) { answer(frame, codec::encode(ack)); },
                atom::hello_v, shared, executor);
          },
          [this, frame](const caf::error& err) { refuse(frame, from_caf(err)); });
}

void agent_gateway_state::add_spans(const native::frame_ptr& frame) {
  v1::ReportSpansRequest request;
  if (!request.ParseFromString(frame->data)) {
    refuse(frame, {ec::invalid_argument, "the request does not decode as ReportSpansRequest"});
    return;
  }
  auto spans = std::make_shared<std::vector<trace::finished_span>>();
  for (const auto& span : request.spans())
    if (auto one = codec::from_wire(span)) spans->push_back(std::move(*one));
  self->send(config.tracer, atom::spans_v, native::span_list{std::move(spans)});
  answer(frame, {});
}

namespace {

frame_handler_actor::behavior_type agent_gateway_behavior(
    traced_pointer<frame_handler_actor, agent_gateway_state> self, agent_gateway_config config) {
  return self->state.make_behavior(std::move(config));
}

}  // namespace

frame_handler_actor spawn_agent_gateway(caf::actor_system& system, agent_gateway_config config) {
  return spawn_actor(system, run_on::pool, agent_gateway_behavior, std::move(config));
}

}  // namespace argosy::actors
