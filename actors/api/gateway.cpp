// SPDX-License-Identifier: Apache-2.0
#include "actors/api/gateway.hpp"

#include <caf/actor_addr.hpp>
#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <array>

#include "actors/api/audited_call.hpp"
#include "actors/api/gateway_services.hpp"
#include "actors/frame_line.hpp"
#include "messages/codec/armada/executor_codec.hpp"
#include "messages/codec/audit/audited_methods.hpp"
#include "runtime/access/identity.hpp"
#include "runtime/access/nats_caller.hpp"
#include "runtime/base/check.hpp"
#include "runtime/bus/caller_headers.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/trace/caf/traced.hpp"
#include "runtime/trace/context.hpp"

namespace argosy::actors {

// Each adds the methods of a service, and stands in the file of that service.
using method_adder = void(method_table& table);
method_adder add_submit_service, add_preempt_service, add_hold_service, add_queue_service,
    add_event_service, add_jobs_service, add_query_service, add_cluster_service,
    add_executor_service, add_cordon_service, add_operation_service, add_retry_service,
    add_logs_service, add_report_service, add_explain_service, add_binoculars_service,
    add_trace_service, add_diag_service, add_access_service, add_audit_service,
    add_settings_service, add_control_plane_service, add_executor_api;

method_table all_methods() {
  method_table table;
  for (auto* const add : {add_submit_service,        add_preempt_service,   add_hold_service,
                          add_queue_service,         add_event_service,     add_jobs_service,
                          add_query_service,         add_cluster_service,   add_executor_service,
                          add_cordon_service,        add_operation_service, add_retry_service,
                          add_logs_service,          add_report_service,    add_explain_service,
                          add_binoculars_service,    add_trace_service,     add_diag_service,
                          add_access_service,        add_audit_service,     add_settings_service,
                          add_control_plane_service, add_executor_api})
    add(table);
  return table;
}

namespace {

/// Whether a request changes nothing and may have a large answer. Those that wait for others, such
/// as what a job has written, are none, and those that take long have places of their own.
bool is_question(std::string_view method) {
  constexpr std::array<std::string_view, 5> services{"Query.", "Jobs.", "Diag.",
                                                     "SchedulerReporting.", "Audit."};
  return std::ranges::any_of(services, [&](auto each) { return method.starts_with(each); });
}

}  // namespace

struct gateway_state {
  static inline const logging::logger logger{"gateway"};

  static inline const char* name = "argosy.gateway";
  using pointer = traced_pointer<gateway_actor, gateway_state>;

  explicit gateway_state(pointer self_) : self(self_) {}

  gateway_actor::behavior_type make_behavior(gateway_config config);
  void take(const native::frame_ptr& frame);
  void serve_some();
  void dispatch(const native::frame_ptr& frame);
  /// Finds out who shows this proof beside the request, and goes on with proved().
  void prove(const native::frame_ptr& frame, std::string_view shown);
  void proved(const native::frame_ptr& frame, const result<access::principal>& who);
  /// Serves the request of a known sender.
  void serve(const native::frame_ptr& frame, const access::api_call& asked,
             access::principal sender);
  call make_call(const native::frame_ptr& frame, std::string_view method, access::principal sender,
                 std::shared_ptr<call_listener> listener) const;
  /// Listens to a call that changes something, and to others in case they are denied; null for
  /// those of which nothing is recorded.
  [[nodiscard]] std::shared_ptr<call_listener> listen(const native::frame_ptr& frame,
                                                      std::string_view method,
                                                      const access::principal& who) const;

  pointer self;
  std::unique_ptr<gateway_services> gateway;
  method_table methods;
  std::shared_ptr<call_listener> reads;  ///< Null if nothing is recorded.
  std::optional<frame_line> line;
};

gateway_actor::behavior_type gateway_state::make_behavior(gateway_config config) {
  gateway = std::make_unique<gateway_services>(self, std::move(config));
  methods = all_methods();
  if (gateway->config.audit)
    reads = std::make_shared<denied_reads>(self, gateway->config.audit,
                                           gateway->config.callers_in_header);
  line.emplace(wake_up(self));
  self->request(gateway->config.bus, gateway->config.request_timeout, atom::serve_v,
                access::api_subject({}, ">"),
                native::serve_credit{gateway->config.request_limits.unanswered_max,
                                     gateway->config.request_limits.unanswered_bytes_max.bytes},
                caf::actor_cast<frame_handler_actor>(self))
      .then([](atom::ok) {},
            [this](const caf::error& err) {
              logger.error("the API is not served", logging::kv("error", from_caf(err)));
              self->quit(err);
            });
  self->set_down_handler([this](const caf::down_msg& down) {
    std::erase_if(gateway->feeds,
                  [&](const auto& item) { return item.second.address() == down.source; });
  });
  return {
      [this](atom::frame, const native::frame_ptr& frame) { take(frame); },
      [this](atom::flush) { serve_some(); },
      [this](atom::frame, const native::frame_ptr& frame, const native::proof_ptr& who) {
        proved(frame, *who);
      },
      [this](atom::status, atom::figures) { return gateway->probe->figures(); },
  };
}

void gateway_state::take(const native::frame_ptr& frame) {
  const auto method = access::parse_api_subject(frame->subject).method;
  if (line->add(bus::caller_key(*frame, gateway->config.callers_in_header), frame,
                is_question(method)))
    self->send(self, atom::flush_v);
}

void gateway_state::serve_some() {
  if (line->serve_some([this](const native::frame_ptr& frame) { dispatch(frame); }))
    self->send(self, atom::flush_v);
}

void gateway_state::dispatch(const native::frame_ptr& frame) {
  const auto asked = access::parse_api_subject(frame->subject);
  if (!access::may_answer_to(asked, frame->reply)) {
    logger.warning("a request was dropped, since its answer would go to somebody else",
                   logging::kv("subject", frame->subject), logging::kv("reply", frame->reply));
    return;
  }
  if (gateway->config.callers_in_header && asked.method == bus::refused_caller_method) {
    if (gateway->config.audit)
      self->send(gateway->config.audit, atom::record_v, refused_caller(*frame));
    return;
  }
  if (gateway->config.callers_in_header)
    serve(frame, asked, bus::caller_of(frame->headers));
  else if (asked.user.empty() && gateway->config.users.all_named)
    make_call(frame, asked.method, {}, nullptr)
        .fail(ec::denied,
              "the subject names no user, which is for servers that know none: name the file of "
              "your credentials in ARGOSY_CREDENTIALS");
  else if (const auto shown = frame->headers.get(bus::proof_header))
    prove(frame, *shown);
  else
    serve(frame, asked, access::nats_caller(asked, gateway->config.users));
}

void gateway_state::prove(const native::frame_ptr& frame, std::string_view shown) {
  if (!gateway->config.prove) {
    proved(frame, fail(ec::denied,
                       "this server takes no tokens of users: its settings have no access.oidc"));
    return;
  }
  // The address is weak: whoever checks the token may outlive the actors.
  gateway->config.prove(shown, [to = caf::actor_addr{self->address()}, frame,
                                cause = trace::current()](result<access::principal> who) {
    const trace::scope acting{cause};
    if (const auto living = caf::actor_cast<gateway_actor>(to))
      caf::anon_send(
          living, atom::frame_v, frame,
          native::proof_ptr{std::make_shared<const result<access::principal>>(std::move(who))});
  });
}

void gateway_state::proved(const native::frame_ptr& frame, const result<access::principal>& who) {
  const auto asked = access::parse_api_subject(frame->subject);
  if (who) {
    serve(frame, asked, access::nats_caller(asked, *who));
    return;
  }
  access::principal claimed;
  claimed.name = "unknown";
  claimed.by = access::scheme::oidc;
  if (gateway->config.audit && who.error().code == ec::denied)
    self->send(gateway->config.audit, atom::record_v,
               refused_caller(*frame, claimed, who.error().detail));
  make_call(frame, asked.method, std::move(claimed), nullptr).fail(who.error());
}

call gateway_state::make_call(const native::frame_ptr& frame, std::string_view called,
                              access::principal sender,
                              std::shared_ptr<call_listener> listener) const {
  const call out{self,
                 gateway->config.bus,
                 frame,
                 *gateway->probe,
                 known_method(methods, called),
                 std::move(sender),
                 access::action_of(called),
                 std::move(listener)};
  return out.shared_by(bus::caller_key(*frame, gateway->config.callers_in_header))
      .within(gateway->config.lineage);
}

void gateway_state::serve(const native::frame_ptr& frame, const access::api_call& asked,
                          access::principal sender) {
  auto listener = listen(frame, asked.method, sender);
  const auto caller = make_call(frame, asked.method, std::move(sender), std::move(listener));
  // Executors cannot divide what they say of their nodes.
  const auto bytes_max = caller.what() == access::action::execute
                             ? codec::executor_request_bytes_max
                             : gateway->config.request_limits.request_bytes_max.bytes;
  if (frame->data.size() > bytes_max) {
    caller.fail(ec::too_large, "the request has " + std::to_string(frame->data.size()) +
                                   " bytes; at most " + std::to_string(bytes_max) +
                                   " are allowed: divide it");
    return;
  }
  if (const auto ok = bus::check_milliseconds(frame->headers, bus::header::timeout); !ok) {
    caller.fail(ok.error());
    return;
  }
  // What a verb may allow is asked of the queue, see gateway_services::find_queue().
  if (!access::may_somewhere(*caller.who(), caller.what()) && methods.contains(asked.method)) {
    caller.fail(access::refusal(*caller.who(), caller.what(), {}));
    return;
  }
  actors::dispatch(methods, asked.method, *gateway, caller);
}

std::shared_ptr<call_listener> gateway_state::listen(const native::frame_ptr& frame,
                                                     std::string_view called,
                                                     const access::principal& who) const {
  const auto& config = gateway->config;
  const auto mode = frame->headers.get(bus::header::mode).value_or("");
  if (!config.audit || !methods.contains(called)) return nullptr;
  if (!codec::is_audited(called, mode)) return codec::is_sent_unasked(called) ? nullptr : reads;
  return std::make_shared<audited_call>(
      self, config.audit, frame, call_of(*frame, called, who, config.callers_in_header),
      frame->data.size() > config.request_limits.request_bytes_max.bytes);
}

result<void> validate(const gateway_config& config) {
  if (!config.bus || !config.connection || !config.root || !config.reader || !config.list_reader ||
      !config.event_reader || !config.store || !config.coordinator || !config.explainer ||
      !config.tracer || !config.contacts || !config.lineage || config.clock == nullptr)
    return fail(ec::invalid_argument, "a gateway needs all its neighbours");
  return {};
}

namespace {

gateway_actor::behavior_type gateway_behavior(traced_pointer<gateway_actor, gateway_state> self,
                                              gateway_config config) {
  return self->state.make_behavior(std::move(config));
}

}  // namespace

gateway_actor spawn_gateway(caf::actor_system& system, gateway_config config) {
  ARGOSY_CHECK(validate(config).has_value());
  return spawn_actor(system, run_on::pool, gateway_behavior, std::move(config));
}

}  // namespace argosy::actors
