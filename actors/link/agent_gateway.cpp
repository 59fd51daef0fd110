// SPDX-License-Identifier: Apache-2.0
#include "actors/link/agent_gateway.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/call.hpp"
#include "actors/directory.hpp"
#include "actors/frame_line.hpp"
#include "actors/interfaces/tracer.hpp"
#include "actors/link/executor_proxy.hpp"
#include "actors/state/cluster_log.hpp"
#include "messages/codec/agent/agent_codec.hpp"
#include "messages/codec/agent/agent_subject.hpp"
#include "messages/codec/agent/hello_parts.hpp"
#include "messages/codec/api/request_weight.hpp"
#include "messages/codec/span_codec.hpp"
#include "runtime/bus/caller_headers.hpp"
#include "runtime/ledger/cluster/cluster_core.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

namespace {

/// `Gateway` has the members `self` and `config`, which names the tracer.
template <class Gateway>
void take_spans(Gateway& gateway, const call& caller) {
  v1::ReportSpansRequest request;
  if (auto read = codec::read_request(caller.frame().data, request); !read) {
    caller.fail(read.error());
    return;
  }
  auto spans = std::make_shared<std::vector<trace::finished_span>>();
  for (const auto& span : request.spans())
    if (auto one = codec::from_wire(span)) spans->push_back(std::move(*one));
  gateway.self->send(gateway.config.tracer, atom::spans_v, native::span_list{std::move(spans)});
  caller.reply(std::string{});
}

/// Whether the message names the cluster of the subject on which it came. If not, answers the call
/// with ec::denied.
bool speaks_for(const call& caller, const std::string& named) {
  const auto cluster = codec::parse_agent_subject(caller.frame().subject).cluster;
  if (named == cluster) return true;
  caller.fail(ec::denied, "an agent of cluster '" + cluster + "' cannot speak for '" + named + "'");
  return false;
}

/// Makes a method whose message has a member `cluster` and goes to that CLUSTER; `hand_over` sends
/// it. `Gateway` has the members `self` and `actors`, a directory.
template <class Gateway, class Message, class HandOver>
method_of<Gateway> forwarded(result<Message> (*decode)(std::string_view), HandOver hand_over) {
  return [decode, hand_over](Gateway& gateway, const call& caller) {
    auto message = decode(caller.frame().data);
    if (!message) {
      caller.fail(message.error());
      return;
    }
    if (!speaks_for(caller, message->cluster)) return;
    const auto cluster = message->cluster;
    gateway.actors->find_cluster(
        gateway.self, cluster,
        [&gateway, caller, hand_over, message = std::move(*message)](const cluster_actor& to) {
          hand_over(gateway, caller, to, message);
        },
        [caller](const error& why) { caller.fail(why); });
  };
}

}  // namespace

struct agent_gateway_state;

namespace {

using agent_method_table = method_table_of<agent_gateway_state>;

agent_method_table agent_methods();

}  // namespace

struct agent_gateway_state {
  static inline const logging::logger logger{"agents"};

  static inline const char* name = "argosy.agent_gateway";
  using pointer = traced_pointer<gateway_actor, agent_gateway_state>;

  explicit agent_gateway_state(pointer self_) : self(self_) {}

  gateway_actor::behavior_type make_behavior(agent_gateway_config cfg);
  void serve(const native::frame_ptr& frame);

  executor_actor add_executor(const model::cluster_info& agent) {
    executor_proxy_config with;
    with.cluster = agent.name;
    with.process = agent.process;
    with.bus = config.bus;
    with.probes = config.probes;
    with.signer = config.signer;
    return spawn_executor_proxy(self->system(), std::move(with));
  }

  /// The hello of this agent was accepted: the proxy of the process before it, if that is another
  /// one, has nobody to speak for any more.
  void keep_executor(const model::cluster_info& agent, const executor_actor& executor,
                     const cluster_actor& cluster) {
    auto& known = executors[agent.name];
    if (known.executor && known.executor != executor)
      caf::anon_send_exit(known.executor, caf::exit_reason::user_shutdown);
    if (known.cluster != cluster.address()) self->monitor(cluster);
    known = {agent.process, executor, cluster.address()};
    probe->agents.set(static_cast<std::int64_t>(executors.size()));
  }

  /// The CLUSTER has ended: the proxy of its agent has nobody to carry orders for.
  void drop_executor(const caf::actor_addr& cluster) {
    const auto found = std::find_if(executors.begin(), executors.end(), [&](const auto& item) {
      return item.second.cluster == cluster;
    });
    if (found == executors.end()) return;
    caf::anon_send_exit(found->second.executor, caf::exit_reason::user_shutdown);
    executors.erase(found);
    probe->agents.set(static_cast<std::int64_t>(executors.size()));
  }

  /// Answers a call with an encoded message.
  void reply(const call& caller, std::string data) const {
    const auto& frame = caller.frame();
    if (config.signer) config.signer->sign(data, access::answer_subject(frame.subject, frame.data));
    caller.reply(std::move(data));
  }

  /// Sends a request to the CLUSTER. `then` takes its answer; an error answers the call.
  template <class Then, class... Args>
  void ask(const call& caller, const cluster_actor& to, Then then, Args&&... args) {
    self->request(to, config.request_timeout, std::forward<Args>(args)...)
        .then(std::move(then), [caller](const caf::error& err) { caller.fail_with(err); });
  }

  pointer self;
  agent_gateway_config config;
  std::shared_ptr<probes::agent_gateway_probe> probe;
  agent_method_table methods;
  std::optional<directory> actors;
  struct known_executor {
    model::agent_process process;
    executor_actor executor;
    caf::actor_addr cluster;  ///< The CLUSTER that was given the executor.
  };
  std::map<std::string, known_executor> executors;
  codec::hello_parts parts;
  std::optional<frame_line> line;
};

namespace {

void heartbeat(agent_gateway_state& gateway, const call& caller, const cluster_actor& to,
               const model::agent_heartbeat& message) {
  gateway.ask(
      caller, to,
      [&gateway, caller](const model::heartbeat_ack& ack) {
        gateway.reply(caller, codec::encode(ack));
      },
      atom::heartbeat_v, message);
}

void report(agent_gateway_state& gateway, const call& caller, const cluster_actor& to,
            const model::report_batch& message) {
  gateway.ask(
      caller, to,
      [&gateway, caller](const model::report_ack& ack) {
        gateway.reply(caller, codec::encode(ack));
      },
      atom::report_v, std::make_shared<const model::report_batch>(message));
}

void goodbye(agent_gateway_state& gateway, const call& caller, const cluster_actor& to,
             const model::agent_goodbye& message) {
  gateway.ask(
      caller, to, [&gateway, caller](atom::ok) { gateway.reply(caller, {}); }, atom::goodbye_v,
      message);
}

using hello_ptr = std::shared_ptr<const model::agent_hello>;

/// Gives the hello to its CLUSTER. The agent gets a proxy only once it was accepted.
void greet(agent_gateway_state& gateway, const call& caller, const hello_ptr& message,
           const cluster_actor& to) {
  const auto& agent = message->cluster;
  const auto known = gateway.executors.find(agent.name);
  const bool is_known = known != gateway.executors.end() && known->second.process == agent.process;
  const auto executor = is_known ? known->second.executor : gateway.add_executor(agent);
  const auto drop = [executor, is_known] {
    if (!is_known) caf::anon_send_exit(executor, caf::exit_reason::user_shutdown);
  };
  gateway.self->request(to, gateway.config.request_timeout, atom::hello_v, message, executor)
      .then(
          [&gateway, caller, message, executor, drop, to](const model::hello_ack& ack) {
            if (ack.begin_anew)
              drop();
            else
              gateway.keep_executor(message->cluster, executor, to);
            gateway.reply(caller, codec::encode(ack));
          },
          [caller, drop](const caf::error& err) {
            // A hello whose answer is late may have been accepted.
            if (from_caf(err).code != ec::timeout) drop();
            caller.fail_with(err);
          });
}

/// Answers the hello of a cluster that is not known if a CLUSTER would refuse it, so that none is
/// made for it. Returns whether it was answered.
bool refuse_newcomer(agent_gateway_state& gateway, const call& caller,
                     const model::agent_hello& message) {
  ledger::cluster_core judge{message.cluster.name, gateway.config.cluster_rules};
  static_cast<void>(judge.lead(gateway.config.by, {}));
  const auto verdict = judge.hello(message, 0, {});
  // This leader may have a higher epoch by now.
  if (!verdict.reply && verdict.reply.error().code == ec::fenced) return false;
  if (verdict.reply && !verdict.reply->begin_anew) return false;
  if (verdict.reply) {
    gateway.reply(caller, codec::encode(*verdict.reply));
  } else {
    log_refusal(message.cluster.name, message, verdict.reply.error());
    caller.fail(verdict.reply.error());
  }
  return true;
}

/// This is the only message that may name a cluster of which nobody knows yet.
void hello(agent_gateway_state& gateway, const call& caller) {
  auto part = codec::decode_hello_part(caller.frame().data);
  if (!part) {
    caller.fail(part.error());
    return;
  }
  if (!speaks_for(caller, part->hello.cluster.name)) return;
  const auto now =
      std::chrono::duration_cast<boot_time>(gateway.self->clock().now().time_since_epoch());
  const auto name = part->hello.cluster.name;
  auto whole = gateway.parts.add(std::move(*part), caller.frame().data.size(), now);
  if (!whole && whole.error().code == ec::too_large) {
    gateway.logger.error("a hello is refused", logging::kv("cluster", name),
                         logging::kv("why", whole.error().detail));
    gateway.probe->refuse(name, whole.error().detail, now);
  }
  if (!whole) {
    caller.fail(whole.error());
    return;
  }
  if (!*whole) {
    gateway.reply(caller, codec::encode(model::hello_ack{}));
    return;
  }
  const auto message = std::make_shared<const model::agent_hello>(std::move(**whole));
  const auto& cluster = message->cluster.name;
  const auto to_it = [&gateway, caller, message](const cluster_actor& to) {
    greet(gateway, caller, message, to);
  };
  gateway.actors->find_cluster(
      gateway.self, cluster, to_it, [&gateway, caller, message, to_it](const error& why) {
        if (why.code != ec::not_found) {
          caller.fail(why);
          return;
        }
        if (refuse_newcomer(gateway, caller, *message)) return;
        gateway.actors->ensure_cluster(gateway.self, message->cluster.name, to_it,
                                       [caller](const error& err) { caller.fail(err); });
      });
}

agent_method_table agent_methods() {
  return {
      {"hello", hello},
      {"heartbeat", forwarded<agent_gateway_state>(codec::decode_heartbeat, heartbeat)},
      {"report", forwarded<agent_gateway_state>(codec::decode_reports, report)},
      {"goodbye", forwarded<agent_gateway_state>(codec::decode_goodbye, goodbye)},
      {"spans", take_spans<agent_gateway_state>},
  };
}

}  // namespace

gateway_actor::behavior_type agent_gateway_state::make_behavior(agent_gateway_config cfg) {
  config = std::move(cfg);
  probe = config.probes->get<probes::agent_gateway_probe>();
  actors.emplace(config.root, config.request_timeout);
  methods = agent_methods();
  line.emplace(wake_up(self));
  self->set_down_handler([this](const caf::down_msg& down) { drop_executor(down.source); });
  parts = codec::hello_parts{{.age_max = config.request_timeout}};
  for (const auto& [what, served] : methods)
    self->request(config.bus, config.request_timeout, atom::serve_v,
                  codec::make_agent_subject("*", what), native::serve_credit{config.requests_max},
                  caf::actor_cast<frame_handler_actor>(self))
        .then([](atom::ok) {},
              [this](const caf::error& err) {
                logger.error("agents are not served", logging::kv("error", from_caf(err)));
                self->quit(err);
              });
  return {
      [this](atom::frame, const native::frame_ptr& frame) {
        if (line->add(bus::caller_key(*frame, false), frame, false))
          self->send(self, atom::flush_v);
      },
      [this](atom::flush) {
        if (line->serve_some([this](const native::frame_ptr& frame) { serve(frame); }))
          self->send(self, atom::flush_v);
      },
      // Agents show nothing beside their requests.
      [](atom::frame, const native::frame_ptr&, const native::proof_ptr&) {},
      [this](atom::status, atom::figures) { return probe->figures(); },
  };
}

void agent_gateway_state::serve(const native::frame_ptr& frame) {
  const auto what = codec::parse_agent_subject(frame->subject).what;
  dispatch(methods, what, *this, {self, config.bus, frame, *probe, known_method(methods, what)});
}

namespace {

gateway_actor::behavior_type agent_gateway_behavior(
    traced_pointer<gateway_actor, agent_gateway_state> self, agent_gateway_config config) {
  return self->state.make_behavior(std::move(config));
}

}  // namespace

gateway_actor spawn_agent_gateway(caf::actor_system& system, agent_gateway_config config) {
  return spawn_actor(system, run_on::pool, agent_gateway_behavior, std::move(config));
}

}  // namespace argosy::actors
