// SPDX-License-Identifier: Apache-2.0
#include "actors/log/audit.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "actors/log/open_appends.hpp"
#include "messages/codec/audit/audited_methods.hpp"
#include "messages/codec/log/record_parts.hpp"
#include "messages/probes/log/audit_probe.hpp"
#include "runtime/base/check.hpp"
#include "runtime/ledger/leader_core.hpp"
#include "runtime/trace/caf/delayed_send.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

struct audit_state {
  static inline const char* name = "argosy.audit";
  using pointer = traced_pointer<audit_actor, audit_state>;

  explicit audit_state(pointer self_) : self(self_) {}

  audit_actor::behavior_type make_behavior(audit_config cfg);
  void record(const model::call_recorded& call);
  void write();
  void arm();
  void end_if_done();
  void show();

  [[nodiscard]] std::int64_t now() const { return to_nanos(config.clock->wall()); }

  pointer self;
  audit_config config;
  std::shared_ptr<probes::audit_probe> probe;
  open_appends<std::size_t> in_flight;  ///< How many records each append has.
  std::size_t in_flight_records = 0;
  model::timer_generation generation;
  std::optional<std::int64_t> armed_ns;  ///< When the timer of this generation fires.
  bool ending = false;  ///< Nothing more comes; what there is is written without delay.
  bool failed = false;  ///< The log does not take records any more, and the process is ending.
};

audit_actor::behavior_type audit_state::make_behavior(audit_config cfg) {
  config = std::move(cfg);
  probe = config.probes->get<probes::audit_probe>();
  in_flight = {"the audit trail", config.journal, config.root, config.load};
  // The mailbox still has, behind this message, the calls that the GATEWAYs sent before they ended.
  self->set_exit_handler([this](caf::exit_msg&) { self->send(self, atom::flush_v); });
  return {
      [this](atom::record, const model::call_recorded& call) { record(call); },
      [this](atom::append, const native::append_outcome& outcome) {
        in_flight_records -= in_flight.take(self, outcome);
        if (!outcome.position) failed = true;
        show();
        arm();
        end_if_done();
      },
      [this](atom::tick, model::timer_generation timer) {
        if (timer != generation) return;
        armed_ns.reset();
        write();
        arm();
      },
      [this](atom::flush) {
        ending = true;
        write();
        end_if_done();
      },
      [this](atom::status, atom::figures) { return probe->figures(); },
  };
}

/// While the log takes nothing new, refused calls do not fill the rest of it.
void audit_state::record(const model::call_recorded& call) {
  ++probe->calls;
  const bool with_refusals = config.load->admit().has_value();
  if (codec::may_change(call.method, {}))
    config.core.record(call, now(), with_refusals);
  else
    config.core.record_shown(call, now(), with_refusals);
  show();
  arm();
}

/// One append at a time; what comes meanwhile goes with the next one. At the end nothing waits for
/// a log that is slow.
void audit_state::write() {
  if (failed || !in_flight.empty() || config.load->intake().is_full()) return;
  if (!ending && !config.load->admit(eventlog::command_kind::relieving)) return;
  auto events = config.core.take(now(), ending);
  if (events.empty()) return;
  auto parts = codec::divide_into_records(std::move(events), config.part_bytes_max,
                                          [](const auto&, const auto&) { return true; });
  for (auto& part : parts) {
    auto request = std::make_shared<native::append_request>();
    for (const auto& event : part)
      for (auto& change : ledger::control_changes(event)) request->changes.push_back(change);
    const auto count = part.size();
    request->events = std::move(part);
    in_flight_records += count;
    in_flight.send(self, std::move(request), count);
  }
  show();
}

void audit_state::arm() {
  const auto due = config.core.due_ns();
  if (failed || ending || !in_flight.empty() || !due) return;
  const auto wait = std::max<std::int64_t>(0, *due - now());
  const auto at = now() + wait;
  if (armed_ns && *armed_ns <= at) return;
  armed_ns = at + std::chrono::nanoseconds{config.gather}.count();
  trace::tick_send(self, self, std::chrono::nanoseconds{wait} + config.gather, atom::tick_v,
                   generation = generation.next());
}

void audit_state::end_if_done() {
  if (!ending || !in_flight.empty()) return;
  write();
  if (in_flight.empty()) self->quit(caf::exit_reason::user_shutdown);
}

void audit_state::show() {
  probe->left_out.set(static_cast<std::int64_t>(config.core.left_out()));
  probe->waiting.set(static_cast<std::int64_t>(config.core.waiting() + in_flight_records));
}

result<void> validate(const audit_config& config) {
  if (!config.root || !config.journal || !config.load || config.clock == nullptr)
    return fail(ec::invalid_argument,
                "the audit trail needs a root, a journal, a load and a clock");
  return {};
}

namespace {

audit_actor::behavior_type audit_behavior(traced_pointer<audit_actor, audit_state> self,
                                          audit_config config) {
  return self->state.make_behavior(std::move(config));
}

}  // namespace

audit_actor spawn_audit(caf::actor_system& system, audit_config config) {
  ARGOSY_CHECK(validate(config).has_value());
  return spawn_actor(system, run_on::pool, audit_behavior, std::move(config));
}

}  // namespace argosy::actors
