// SPDX-License-Identifier: Apache-2.0
#include "actors/api/bus.hpp"

#include <caf/actor_addr.hpp>
#include <caf/send.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "actors/caf_error.hpp"
#include "messages/probes/bus_probe.hpp"
#include "runtime/base/check.hpp"
#include "runtime/border/refusal_core.hpp"
#include "runtime/border/shares.hpp"
#include "runtime/bus/caller_headers.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

namespace {

/// How long answers are sent on when this process ends.
constexpr std::chrono::seconds answers_at_end{2};

trace::context context_of(const bus::frame& frame) {
  const auto header = frame.headers.get(bus::header::traceparent);
  const auto context = header ? trace::parse_traceparent(*header) : std::nullopt;
  return context ? *context : trace::new_root();
}

/// The error for a request of somebody who has been sent as much as his rate allows.
error past_rate() {
  return {ec::overloaded, "you are sent more than " +
                              std::to_string(border::answer_rate{}.bytes_per_second >> 20) +
                              " MiB a second; try again in a second, or ask for less"};
}

error refusal(border::share_core::answer why) {
  if (why == border::share_core::answer::own_share_full)
    return {ec::overloaded,
            "too many of your requests, or too large ones, are under way; try again in a second"};
  return {ec::overloaded,
          "too many requests, or too large ones, are under way; try again in a second"};
}

/// Wraps a frame so that it gives its credit back when the last actor that works on it lets go.
native::frame_ptr with_credit(bus::frame frame, border::shares::place place,
                              std::shared_ptr<probes::bus_probe> probe) {
  const auto size = frame.data.size();
  ++probe->taken;
  probe->unanswered.add(1);
  probe->unanswered_bytes.add(static_cast<std::int64_t>(size));
  return {new bus::frame(std::move(frame)),
          [place = std::move(place), probe = std::move(probe), size](const bus::frame* held) {
            delete held;
            probe->unanswered.add(-1);
            probe->unanswered_bytes.add(-static_cast<std::int64_t>(size));
          }};
}

}  // namespace

struct bus_state {
  static inline const logging::logger logger{"bus"};

  static inline const char* name = "argosy.bus";
  using pointer = traced_pointer<bus_actor, bus_state>;
  using send_promise = caf::typed_response_promise<native::frame_ptr>;

  explicit bus_state(pointer self_) : self(self_) {}

  bus_actor::behavior_type make_behavior(bus_config cfg);
  caf::result<atom::ok> serve(const std::string& pattern, native::serve_credit credit,
                              const frame_handler_actor& handler);
  /// Tells a caller that he is refused, so long from now. It may be called on any thread.
  using refuse_function = std::function<void(bus::frame, error, std::chrono::nanoseconds)>;
  [[nodiscard]] refuse_function refuser() const;
  void respond(const native::frame_answer& answer);
  caf::result<native::frame_ptr> request(const std::string& subject, const std::string& data,
                                         std::uint64_t timeout_ms);
  void answered(std::uint64_t number, const result<bus::frame>& reply);

  pointer self;
  bus_config config;
  std::shared_ptr<probes::bus_probe> probe;
  std::vector<bus::subscription> subscriptions;
  /// The credit of each handler, for all patterns that it serves.
  std::map<caf::actor_addr, std::shared_ptr<border::shares>> handed_out;
  /// The requests of this process that are under way.
  std::map<std::uint64_t, send_promise> asked;
  std::uint64_t next_number = 1;
  /// From then on no answer is sent any more, since this ends.
  std::optional<caf::actor_clock::time_point> drops_after;
};

bus_actor::behavior_type bus_state::make_behavior(bus_config cfg) {
  config = std::move(cfg);
  probe = config.probes->get<probes::bus_probe>(config.connection);
  config.connection->on_status([probe = probe](bus::link_status status) {
    if (status == bus::link_status::disconnected) ++probe->disconnects;
  });
  if (config.limits_answers) config.connection->limit_answers({});
  return {
      [this](atom::serve, const std::string& pattern, native::serve_credit credit,
             const frame_handler_actor& handler) { return serve(pattern, credit, handler); },
      [this](atom::respond, const native::answer_ptr& answer) { respond(*answer); },
      [this](atom::send, const std::string& subject, const std::string& data,
             std::uint64_t timeout_ms) { return request(subject, data, timeout_ms); },
      [this](atom::done, std::uint64_t number, const native::reply_ptr& reply) {
        answered(number, *reply);
      },
      [this](atom::shutdown) {
        subscriptions.clear();
        drops_after = self->clock().now() + answers_at_end;
      },
      [this](atom::status, atom::figures) { return probe->figures(); },
  };
}

caf::result<atom::ok> bus_state::serve(const std::string& pattern, native::serve_credit credit,
                                       const frame_handler_actor& handler) {
  auto& used = handed_out[handler.address()];
  if (!used)
    used = std::make_shared<border::shares>(border::share_limits{
        credit.requests, 2 * std::uint64_t{credit.requests}, credit.bytes, 8 * credit.bytes});
  auto served = config.connection->serve(
      pattern, [handler, used, probe = probe, connection = config.connection.get(),
                in_header = config.callers_in_header, clock = &self->clock(), refuse = refuser(),
                told = border::refusal_core{}](bus::frame frame) mutable {
        const auto caller = bus::caller_key(frame, in_header);
        const auto refused = [&](error why) {
          ++probe->refused;
          if (const auto wait = told.wait_to_tell(caller, clock->now().time_since_epoch()))
            refuse(std::move(frame), std::move(why), *wait);
        };
        if (connection->answers_wait(caller).count() > 0) return refused(past_rate());
        auto taken = used->take(caller, frame.data.size() + encoded_size(frame.headers));
        if (!taken.held) return refused(refusal(taken.answer));
        const trace::scope cause{context_of(frame)};
        caf::anon_send(handler, atom::frame_v,
                       with_credit(std::move(frame), std::move(taken.held), probe));
      });
  if (!served) return to_caf(served.error());
  subscriptions.push_back(std::move(*served));
  return atom::ok_v;
}

bus_state::refuse_function bus_state::refuser() const {
  return [connection = config.connection.get(), address = caf::actor_cast<caf::actor_addr>(self)](
             bus::frame frame, error why, std::chrono::nanoseconds wait) {
    if (wait.count() == 0) {
      auto refused = connection->respond_error(frame, why);
      static_cast<void>(refused);  // Without a reply address nobody can be told.
      return;
    }
    const auto me = caf::actor_cast<caf::strong_actor_ptr>(address);
    if (!me) return;
    frame.data = {};
    frame.headers = {};
    auto answer = std::make_shared<native::frame_answer>();
    answer->request = std::make_shared<const bus::frame>(std::move(frame));
    answer->failure = std::move(why);
    caf::delayed_anon_send(caf::actor_cast<bus_actor>(me), wait, atom::respond_v,
                           native::answer_ptr{std::move(answer)});
  };
}

void bus_state::respond(const native::frame_answer& answer) {
  // A server holds up whoever sends to readers that are slow, for up to a second each time.
  if (drops_after && self->clock().now() > *drops_after) {
    ++probe->answers_lost;
    return;
  }
  const auto sent = answer.failure.code == ec::none
                        ? config.connection->respond(*answer.request, answer.data, answer.headers)
                        : config.connection->respond_error(*answer.request, answer.failure);
  if (sent) return;
  if (sent.error().code == ec::too_large) {
    const auto told = config.connection->respond_error(*answer.request, sent.error());
    if (told) return;
  }
  ++probe->answers_lost;
  logger.debug("an answer was not sent", logging::kv("subject", answer.request->subject),
               logging::kv("error", sent.error()));
}

caf::result<native::frame_ptr> bus_state::request(const std::string& subject,
                                                  const std::string& data,
                                                  std::uint64_t timeout_ms) {
  auto promise = self->make_response_promise<send_promise>();
  bus::headers headers;
  const auto traceparent = trace::format_traceparent(trace::current());
  if (!traceparent.empty()) headers.set(bus::header::traceparent, traceparent);
  const auto number = next_number++;
  asked.emplace(number, promise);
  // The answer comes on a thread of the connection, where the promise must not be touched. The
  // callback holds the BUS weakly, since the connection may outlive the actors.
  config.connection->request(
      subject, data, headers, std::chrono::milliseconds{timeout_ms},
      [number, context = trace::current(),
       address = caf::actor_cast<caf::actor_addr>(self)](result<bus::frame> reply) {
        const auto me = caf::actor_cast<caf::strong_actor_ptr>(address);
        if (!me) return;
        const trace::scope cause{context};
        caf::anon_send(caf::actor_cast<bus_actor>(me), atom::done_v, number,
                       std::make_shared<const result<bus::frame>>(std::move(reply)));
      });
  return promise;
}

void bus_state::answered(std::uint64_t number, const result<bus::frame>& reply) {
  auto promise = asked.extract(number);
  if (promise.empty()) return;
  ++(reply                               ? probe->answered
     : reply.error().code == ec::timeout ? probe->timed_out
                                         : probe->failed);
  if (reply)
    promise.mapped().deliver(native::frame_ptr{std::make_shared<const bus::frame>(*reply)});
  else
    promise.mapped().deliver(to_caf(reply.error()));
}

result<void> validate(const bus_config& config) {
  if (!config.connection) return fail(ec::invalid_argument, "the bus needs a connection");
  return {};
}

namespace {

bus_actor::behavior_type bus_behavior(traced_pointer<bus_actor, bus_state> self,
                                      bus_config config) {
  return self->state.make_behavior(std::move(config));
}

}  // namespace

bus_actor spawn_bus(caf::actor_system& system, bus_config config, run_on where) {
  ARGOSY_CHECK(validate(config).has_value());
  return spawn_actor(system, where, bus_behavior, std::move(config));
}

}  // namespace argosy::actors
