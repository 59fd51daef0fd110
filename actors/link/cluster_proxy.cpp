// SPDX-License-Identifier: Apache-2.0
#include "actors/link/cluster_proxy.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "actors/caf_error.hpp"
#include "actors/link/agent_request.hpp"
#include "actors/link/order_number.hpp"
#include "messages/codec/agent/agent_codec.hpp"
#include "messages/codec/agent/agent_subject.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/trace/caf/delayed_send.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

struct cluster_proxy_state {
  static inline const logging::logger logger{"cluster_proxy"};

  static inline const char* name = "argosy.cluster_proxy";
  using pointer = traced_pointer<remote_cluster_actor, cluster_proxy_state>;
  using hello_promise = caf::typed_response_promise<model::hello_ack>;
  using part_list = std::shared_ptr<const std::vector<std::string>>;

  explicit cluster_proxy_state(pointer self_) : self(self_) {}

  remote_cluster_actor::behavior_type make_behavior(cluster_proxy_config cfg);
  void serve(const std::string& what);
  void served();
  caf::result<model::hello_ack> hello(const model::agent_hello& message);
  void say_part(const part_list& parts, std::size_t at, hello_promise promise);
  void dispatch(const native::frame_ptr& frame);
  [[nodiscard]] bool is_trusted(const std::string& data, const std::string& subject);
  void orders(const native::frame_ptr& frame);
  void logs(const native::frame_ptr& frame);
  void answer(const native::frame_ptr& frame, std::string data);
  void refuse(const native::frame_ptr& frame, error why);
  void refuse_unless_other(const native::frame_ptr& frame, error why);

  /// What the signature of the answer to a request covers besides the answer.
  [[nodiscard]] std::string answer_to(const std::string& what, const std::string& data) const {
    if (!config.checker) return {};
    return access::answer_subject(codec::make_agent_subject(config.cluster, what), data);
  }
  [[nodiscard]] error not_signed() const {
    return {ec::denied, "agent '" + config.cluster +
                            "' obeys only what a key of its credentials file has signed"};
  }
  /// Whoever can forge an answer must not be able to end the agent by it: it counts as lost.
  [[nodiscard]] error answer_not_signed() const {
    return {ec::unavailable,
            "the answer has no valid signature of the control plane; if this goes on, the line "
            "order-key of this agent's credentials file is not that of its argosyd"};
  }

  /// Whoever may not hear the control plane would ask it for ever.
  [[nodiscard]] error unheard(const error& why) const {
    return {ec::denied, "the nats-server does not let this agent serve cluster '" + config.cluster +
                            "' (" + why.detail + "): its key is not that of agent/" +
                            config.cluster +
                            ", or has the rights of an older version, which `argosyd init DIR "
                            "--rewrite` mends"};
  }

  /// Sends a request and decodes its answer with `decode`.
  template <class Out>
  caf::result<Out> ask(const std::string& what, std::string data,
                       result<Out> (*decode)(std::string_view)) {
    auto promise = self->make_response_promise<caf::typed_response_promise<Out>>();
    auto trusted_as = answer_to(what, data);
    agent_request(
        self, config, *probe, what, std::move(data),
        [this, promise, decode,
         trusted_as = std::move(trusted_as)](const native::frame_ptr& frame) mutable {
          if (is_trusted(frame->data, trusted_as))
            deliver(promise, decode(frame->data));
          else
            promise.deliver(to_caf(answer_not_signed()));
        },
        [promise](caf::error& err) mutable { promise.deliver(std::move(err)); });
    return promise;
  }

  template <class Out>
  static void deliver(caf::typed_response_promise<Out>& promise, result<Out> out) {
    if (out)
      promise.deliver(std::move(*out));
    else
      promise.deliver(to_caf(out.error()));
  }

  pointer self;
  cluster_proxy_config config;
  std::shared_ptr<probes::link_probe> probe;
  order_number number;      ///< That of the last orders.
  executor_actor executor;  ///< The EXECUTOR that said hello last.

 private:
  /// A hello is said when this process hears what is asked under both subjects.
  std::size_t not_served_ = 2;
  std::function<void()> waiting_;  ///< Says the last hello that came before that.
  std::optional<error> refused_;   ///< Why the nats-server lets this process be no agent.
};

namespace {

result<atom::ok> decode_nothing(std::string_view) {
  return atom::ok_v;
}

}  // namespace

remote_cluster_actor::behavior_type cluster_proxy_state::make_behavior(cluster_proxy_config cfg) {
  config = std::move(cfg);
  probe = config.probes->get<probes::link_probe>();
  serve("orders");
  serve("logs");
  return {
      [this](atom::hello, const native::hello_ptr& message, const executor_actor& from) {
        executor = from;
        return hello(*message);
      },
      [this](atom::heartbeat, const model::agent_heartbeat& message) {
        return ask("heartbeat", codec::encode(message), codec::decode_heartbeat_ack);
      },
      [this](atom::report, const native::report_ptr& batch) {
        return ask("report", codec::encode(*batch), codec::decode_report_ack);
      },
      [this](atom::goodbye, const model::agent_goodbye& message) {
        return ask("goodbye", codec::encode(message), decode_nothing);
      },
      [this](atom::frame, const native::frame_ptr& frame) { dispatch(frame); },
      [this](atom::status, atom::figures) { return probe->figures(); },
  };
}

caf::result<model::hello_ack> cluster_proxy_state::hello(const model::agent_hello& message) {
  auto promise = self->make_response_promise<hello_promise>();
  auto say = [this, promise,
              parts = std::make_shared<const std::vector<std::string>>(
                  codec::encode_parts(message, config.part_bytes_max))]() mutable {
    if (refused_)
      promise.deliver(to_caf(*refused_));
    else
      say_part(parts, 0, promise);
  };
  if (not_served_ == 0)
    say();
  else
    waiting_ = std::move(say);
  return promise;
}

/// Sends the parts one after the other; the answer to the last one answers the hello.
void cluster_proxy_state::say_part(const part_list& parts, std::size_t at, hello_promise promise) {
  agent_request(
      self, config, *probe, "hello", parts->at(at),
      [this, parts, at, promise](const native::frame_ptr& frame) mutable {
        if (at + 1 < parts->size())
          say_part(parts, at + 1, promise);
        else if (is_trusted(frame->data, answer_to("hello", parts->at(at))))
          deliver(promise, codec::decode_hello_ack(frame->data));
        else
          promise.deliver(to_caf(answer_not_signed()));
      },
      [promise](caf::error& err) mutable { promise.deliver(std::move(err)); });
}

void cluster_proxy_state::serve(const std::string& what) {
  self->request(config.bus, config.timeout, atom::serve_v,
                codec::make_agent_subject(config.cluster, codec::for_process(config.process, what)),
                native::serve_credit{config.requests_max},
                caf::actor_cast<frame_handler_actor>(self))
      .then([this](atom::ok) { served(); },
            [this](const caf::error& err) {
              const auto why = from_caf(err);
              logger.error("the control plane is not served",
                           logging::kv("cluster", config.cluster),
                           logging::kv("error", to_string(why)));
              if (why.code != ec::denied) return self->quit(err);
              refused_ = unheard(why);
              served();
            });
}

void cluster_proxy_state::served() {
  if (--not_served_ == 0 && waiting_) std::exchange(waiting_, {})();
}

void cluster_proxy_state::dispatch(const native::frame_ptr& frame) {
  ++probe->received;
  const auto* what = frame->subject.ends_with(".orders") ? "orders" : "logs";
  // The subject is this agent's own and not the frame's, which the server may have made up.
  if (!is_trusted(frame->data, codec::make_agent_subject(
                                   config.cluster, codec::for_process(config.process, what)))) {
    logger.warning("an order without a valid signature of the control plane is refused",
                   logging::kv("cluster", config.cluster));
    refuse(frame, not_signed());
  } else if (!executor) {
    refuse(frame, {ec::unavailable, "the agent is starting"});
  } else if (frame->subject.ends_with(".orders")) {
    orders(frame);
  } else if (frame->subject.ends_with(".logs")) {
    logs(frame);
  } else {
    refuse(frame, {ec::invalid_argument, "agents do not serve '" + frame->subject + "'"});
  }
}

/// Whether the control plane has signed this for the subject; counts what it has not.
bool cluster_proxy_state::is_trusted(const std::string& data, const std::string& subject) {
  if (!config.checker || config.checker->accepts(data, subject)) return true;
  ++probe->unsigned_orders;
  return false;
}

void cluster_proxy_state::orders(const native::frame_ptr& frame) {
  auto wanted = codec::decode_orders(frame->data);
  if (!wanted) {
    refuse(frame, wanted.error());
    return;
  }
  if (config.checker && !number.is_newer(frame->data, *wanted)) {
    ++probe->unsigned_orders;
    refuse(frame, {ec::denied, "these orders came before"});
    return;
  }
  self->request(executor, config.timeout, atom::orders_v,
                native::orders_ptr{std::make_shared<const model::agent_orders>(std::move(*wanted))})
      .then([this, frame](atom::ok) { answer(frame, {}); },
            [this, frame](const caf::error& err) { refuse_unless_other(frame, from_caf(err)); });
}

void cluster_proxy_state::logs(const native::frame_ptr& frame) {
  const auto wanted = codec::decode_log_request(frame->data);
  if (!wanted) {
    refuse(frame, wanted.error());
    return;
  }
  self->request(executor, config.timeout, atom::read_log_v, *wanted)
      .then(
          [this, frame, packs = wanted->unpacks](const native::log_chunk_ptr& chunk) {
            answer(frame, codec::encode(*chunk, packs));
          },
          [this, frame](const caf::error& err) { refuse_unless_other(frame, from_caf(err)); });
}

/// Orders for another agent under this cluster's name are left to that agent to answer.
void cluster_proxy_state::refuse_unless_other(const native::frame_ptr& frame, error why) {
  if (why.code != ec::conflict) refuse(frame, std::move(why));
}

void cluster_proxy_state::answer(const native::frame_ptr& frame, std::string data) {
  self->send(config.bus, atom::respond_v,
             std::make_shared<const native::frame_answer>(
                 native::frame_answer{frame, std::move(data), {ec::none, {}}}));
}

void cluster_proxy_state::refuse(const native::frame_ptr& frame, error why) {
  self->send(config.bus, atom::respond_v,
             std::make_shared<const native::frame_answer>(
                 native::frame_answer{frame, {}, std::move(why)}));
}

namespace {

remote_cluster_actor::behavior_type cluster_proxy_behavior(
    traced_pointer<remote_cluster_actor, cluster_proxy_state> self, cluster_proxy_config config) {
  return self->state.make_behavior(std::move(config));
}

}  // namespace

remote_cluster_actor spawn_cluster_proxy(caf::actor_system& system, cluster_proxy_config config) {
  return spawn_actor(system, run_on::pool, cluster_proxy_behavior, std::move(config));
}

}  // namespace argosy::actors
