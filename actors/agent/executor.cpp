// SPDX-License-Identifier: Apache-2.0
#include "actors/agent/executor.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "actors/caf_error.hpp"
#include "messages/codec/process_plan_codec.hpp"
#include "messages/native/job_trace.hpp"
#include "messages/probes/executor_probe.hpp"
#include "runtime/base/check.hpp"
#include "runtime/ledger/agent/departure_core.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/trace/caf/delayed_send.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

namespace {

constexpr const char* stop_reason = "the agent is shut down";

}  // namespace

struct executor_state {
  static inline const logging::logger logger{"executor"};

  static inline const char* name = "argosy.executor";
  using pointer = traced_pointer<local_executor_actor, executor_state>;
  using ok_promise = caf::typed_response_promise<atom::ok>;

  /// Steps of the core that are written in one transaction, and what is due when that is durable.
  struct work {
    std::vector<ledger::executor_write> writes;
    std::vector<ledger::executor_effect> actions;
    std::vector<ok_promise> answers;
  };

  explicit executor_state(pointer self_) : self(self_) {}

  local_executor_actor::behavior_type make_behavior(executor_actor_config cfg);
  result<void> start_backend();
  caf::result<atom::ok> orders(const model::agent_orders& wanted);
  void changed(const std::vector<model::run_event>& events);
  [[nodiscard]] native::executor_status status() const;
  [[nodiscard]] metrics::figure_list figures() const;

  void take(ledger::executor_step step);
  void flush();
  void carry_out(work done);
  void give_up(const error& why);
  void arm();

  void act(const ledger::launch_run& action);
  void refuse(const model::run_key& run, const char* reason, std::string why);
  void act(const ledger::end_run& action);
  void act(const ledger::renew_lease& action);
  void act(const ledger::forget_run& action);
  void act(const ledger::send_hello& action);
  void act(const ledger::send_heartbeat& action);
  void act(const ledger::send_reports& action);

  /// Whether the error says that a newer incarnation has taken the cluster. This EXECUTOR then
  /// ends.
  bool superseded(const caf::error& err);
  void end_if_superseded();
  /// Whether the error says that another agent serves the cluster. This EXECUTOR then ends at once.
  bool refused(const caf::error& err);
  [[nodiscard]] error superseded_error() const;
  /// Logs a warning. Until a hello succeeds, further errors are logged at debug level.
  void complain(const char* what, const caf::error& err);
  void trace_end(const model::run_event& event) const;
  void shut_down(ledger::runs_at_shutdown runs);
  void leave_when_idle();
  void leave();

  [[nodiscard]] boot_time boot() const { return config.clock->boot(); }
  [[nodiscard]] local_executor_actor me() const {
    return caf::actor_cast<local_executor_actor>(self);
  }

  pointer self;
  executor_actor_config config;
  std::unique_ptr<ledger::executor_core> core;
  std::optional<probes::executor_share> share;
  std::unique_ptr<backends::backend> backend;
  work waiting;
  bool writing = false;
  model::timer_generation timer;  ///< The generation of the timer that is armed.
  boot_time armed_for = boot_time::max();
  bool was_ready = false;
  bool complained = false;
  std::optional<ledger::departure_core> departure;
  bool said_hello = false;
};

local_executor_actor::behavior_type executor_state::make_behavior(executor_actor_config cfg) {
  config = std::move(cfg);
  departure.emplace(config.stop_deadline);
  share.emplace(*config.probes);
  self->set_exit_handler([this](caf::exit_msg& message) {
    if (backend) backend->shutdown();
    self->quit(std::move(message.reason));
  });
  if (auto started = start_backend(); !started) {
    give_up(started.error());
    return local_executor_actor::behavior_type::make_empty_behavior();
  }
  return {
      [this](atom::orders, const native::orders_ptr& wanted) { return orders(*wanted); },
      [this](atom::read_log,
             const model::log_request& request) -> caf::result<native::log_chunk_ptr> {
        if (core->is_superseded()) return to_caf(superseded_error());
        auto chunk = backend->read_log(request);
        if (!chunk) return to_caf(chunk.error());
        return native::log_chunk_ptr{std::make_shared<const model::log_chunk>(std::move(*chunk))};
      },
      [this](atom::changed, const native::run_events_ptr& events) { changed(*events); },
      [this](atom::tick, model::timer_generation generation) {
        if (generation != timer) return;
        armed_for = boot_time::max();
        take(core->tick(boot()));
        leave_when_idle();
      },
      [this](atom::status) { return status(); },
      [this](atom::status, atom::figures) { return figures(); },
      [this](atom::shutdown, ledger::runs_at_shutdown runs) { shut_down(runs); },
  };
}

result<void> executor_state::start_backend() {
  // The reference is weak, since the actor would otherwise keep itself alive through its backend.
  const auto address = caf::actor_cast<caf::actor_addr>(self);
  auto made = config.make_backend([address](std::vector<model::run_event> events) {
    if (const auto strong = caf::actor_cast<caf::strong_actor_ptr>(address))
      caf::anon_send(caf::actor_cast<local_executor_actor>(strong), atom::changed_v,
                     native::run_events_ptr{
                         std::make_shared<const std::vector<model::run_event>>(std::move(events))});
  });
  if (!made) return fail(std::move(made.error()));
  backend = std::move(*made);
  core = std::make_unique<ledger::executor_core>(config.cluster, backend->nodes(), config.rules);
  core->restore(config.memory.facts);
  for (const auto& report : config.memory.reports) core->restore(report);
  for (auto& run : config.memory.runs) core->restore(std::move(run), boot());
  config.memory = {};
  auto found = backend->adopt(core->open_runs());
  if (!found) return fail(std::move(found.error()));
  if (!found->empty()) logger.info("found runs", logging::kv("count", found->size()));
  take(core->adopted(*found));
  take(core->tick(boot()));
  return {};
}

caf::result<atom::ok> executor_state::orders(const model::agent_orders& wanted) {
  if (!departure->is_serving()) return to_caf({ec::unavailable, "the agent is stopping"});
  auto step = core->orders(wanted, to_nanos(config.clock->wall()), boot());
  if (!step) return to_caf(step.error());
  auto promise = self->make_response_promise<ok_promise>();
  waiting.answers.push_back(promise);
  take(std::move(*step));
  return promise;
}

void executor_state::changed(const std::vector<model::run_event>& events) {
  for (const auto& event : events)
    if (is_final(event.phase)) trace_end(event);
  take(core->changed(events, boot()));
  leave_when_idle();
}

void executor_state::trace_end(const model::run_event& event) const {
  const auto* run = core->find(event.run);
  if (run == nullptr || is_final(run->phase)) return;
  native::job_span span;
  span.name = "run " + to_string(event.run);
  span.actor = config.cluster.backend + " backend";
  span.start_ns = run->started_ns != 0 ? run->started_ns : event.time_ns;
  span.duration_ns = std::max<std::int64_t>(event.time_ns - span.start_ns, 0);
  span.attributes = {{"node", run->node},
                     {"exit_code", native::exit_code_text(event.outcome)},
                     {"reason", event.outcome.reason}};
  span.failed = event.phase != model::run_phase::succeeded;
  native::record(run->trace, std::move(span));
}

native::executor_status executor_state::status() const {
  return {core->connected(), core->run_count(), core->open_runs().size(), core->outbox_size(),
          std::max<std::int64_t>((core->lease_deadline() - boot()).count(), 0)};
}

metrics::figure_list executor_state::figures() const {
  const auto now = status();
  return {{"cluster", config.cluster.name},
          {"connected", now.connected ? 1.0 : 0.0},
          {"runs", static_cast<double>(now.runs)},
          {"open", static_cast<double>(now.open)},
          {"outbox", static_cast<double>(now.outbox)},
          {"lease_left_seconds", static_cast<double>(now.lease_left_ns) / 1e9}};
}

/// Every step goes through the store in order, also one that writes nothing.
void executor_state::take(ledger::executor_step step) {
  share->show(core->run_count(), core->outbox_size(), core->connected());
  std::move(step.writes.begin(), step.writes.end(), std::back_inserter(waiting.writes));
  std::move(step.actions.begin(), step.actions.end(), std::back_inserter(waiting.actions));
  flush();
}

void executor_state::flush() {
  while (!writing &&
         (!waiting.writes.empty() || !waiting.actions.empty() || !waiting.answers.empty())) {
    auto next = std::make_shared<work>(std::exchange(waiting, {}));
    if (next->writes.empty()) {
      carry_out(std::move(*next));
      continue;
    }
    writing = true;
    self->request(
            config.store, config.store_timeout, atom::append_v,
            native::executor_writes_ptr{std::make_shared<const std::vector<ledger::executor_write>>(
                std::move(next->writes))})
        .then(
            [this, next](atom::ok) {
              writing = false;
              carry_out(std::move(*next));
              flush();
            },
            [this, next](const caf::error& err) {
              for (auto& promise : next->answers) promise.deliver(err);
              give_up(from_caf(err));
            });
  }
  arm();
  end_if_superseded();
}

void executor_state::carry_out(work done) {
  for (const auto& action : done.actions)
    std::visit([this](const auto& what) { act(what); }, action);
  for (auto& promise : done.answers) promise.deliver(atom::ok_v);
}

void executor_state::give_up(const error& why) {
  logger.error("the executor ends", logging::kv("error", to_string(why)));
  if (backend) backend->shutdown();
  if (config.on_failure) config.on_failure(why);
  self->quit(to_caf(why));
}

void executor_state::arm() {
  const auto due = std::min(core->next_due(), departure->due());
  if (due == boot_time::max() || due >= armed_for) return;
  armed_for = due;
  const auto delay = std::max(due - boot(), boot_time{0});
  trace::tick_send(self, me(), delay, atom::tick_v, timer = timer.next());
}

void executor_state::act(const ledger::launch_run& action) {
  if (departure->refuses_starts()) {
    refuse(action.order.run, backends::reason::not_started, stop_reason);
    return;
  }
  auto plan = codec::decode_process_plan(action.order, backend->wanted_plan());
  if (!plan) {
    refuse(action.order.run, backends::reason::unsupported, plan.error().detail);
    return;
  }
  backend->start({std::make_shared<const model::start_run>(action.order), std::move(*plan)});
}

void executor_state::refuse(const model::run_key& run, const char* reason, std::string why) {
  model::run_event refused;
  refused.run = run;
  refused.phase = model::run_phase::refused;
  refused.outcome.reason = reason;
  refused.outcome.message = std::move(why);
  refused.time_ns = to_nanos(config.clock->wall());
  take(core->changed({refused}, boot()));
}

void executor_state::act(const ledger::end_run& action) {
  backend->stop(action.order, action.grace);
}

void executor_state::act(const ledger::renew_lease& action) {
  backend->renew(action.lease);
}

void executor_state::act(const ledger::forget_run& action) {
  backend->forget(action.run);
}

void executor_state::act(const ledger::send_hello& action) {
  said_hello = true;
  self->request(config.session, config.request_timeout, atom::hello_v,
                native::hello_ptr{std::make_shared<const model::agent_hello>(action.hello)},
                caf::actor_cast<executor_actor>(me()))
      .then(
          [this](const model::hello_ack& ack) {
            if (!core->connected())
              logger.info("connected to the control plane", logging::kv("cluster", core->cluster()),
                          logging::kv("epoch", ack.epoch));
            complained = false;
            take(core->hello_acknowledged(ack, boot()));
            if (core->connected() && !std::exchange(was_ready, true) && config.on_ready)
              config.on_ready();
          },
          [this](const caf::error& err) {
            if (superseded(err) || refused(err)) return;
            complain("the control plane did not answer the hello", err);
            core->hello_failed(boot());
            arm();
          });
}

void executor_state::act(const ledger::send_heartbeat& action) {
  // An answer that comes later than the next heartbeat is of little use.
  const auto period =
      std::chrono::duration_cast<std::chrono::milliseconds>(core->heartbeat_period());
  const auto timeout =
      std::min(config.request_timeout, std::max(period, std::chrono::milliseconds{500}));
  self->request(config.session, timeout, atom::heartbeat_v, action.heartbeat)
      .then(
          [this](const model::heartbeat_ack& ack) {
            take(core->heartbeat_acknowledged(ack, boot()));
          },
          [this](const caf::error& err) {
            if (superseded(err)) return;
            complain("a heartbeat failed", err);
            core->heartbeat_failed(boot());
            arm();
          });
}

void executor_state::act(const ledger::send_reports& action) {
  self->request(config.session, config.request_timeout, atom::report_v,
                native::report_ptr{std::make_shared<const model::report_batch>(action.batch)})
      .then(
          [this](const model::report_ack& ack) {
            take(core->reports_acknowledged(ack, boot()));
            leave_when_idle();
          },
          [this](const caf::error& err) {
            if (superseded(err)) return;
            complain("reports were not taken", err);
            core->reports_failed(from_caf(err).code == ec::unavailable, boot());
            arm();
          });
}

error executor_state::superseded_error() const {
  return {ec::conflict, "another agent with a newer store serves cluster '" + core->cluster() +
                            "': give each agent a cluster name of its own, or stop the other one "
                            "and start this one with an empty data directory"};
}

bool executor_state::superseded(const caf::error& err) {
  const auto why = from_caf(err);
  if (why.code != ec::conflict) return false;
  if (core->is_superseded()) return true;
  logger.error("this agent takes no more work and ends when its runs have ended",
               logging::kv("cluster", core->cluster()),
               logging::kv("incarnation", core->incarnation()),
               logging::kv("runs", core->open_runs().size()), logging::kv("answer", to_string(why)),
               logging::kv("error", to_string(superseded_error())));
  take(core->superseded(boot()));
  return true;
}

/// The runs of this agent, if it has any from elsewhere, go on as if it had been killed.
bool executor_state::refused(const caf::error& err) {
  auto why = from_caf(err);
  if (why.code != ec::already_exists) return false;
  departure->end_abruptly();
  give_up({ec::conflict, std::move(why.detail)});
  return true;
}

/// The runs that the control plane could still count on have been ended by their lease by then.
void executor_state::end_if_superseded() {
  if (!core->is_superseded() || writing || !departure->is_serving() || !core->open_runs().empty())
    return;
  departure->end_abruptly();
  give_up(superseded_error());
}

void executor_state::complain(const char* what, const caf::error& err) {
  logger.write(complained ? logging::level::debug : logging::level::warning, what,
               logging::kv("cluster", core->cluster()),
               logging::kv("error", to_string(from_caf(err))));
  complained = true;
}

void executor_state::shut_down(ledger::runs_at_shutdown runs) {
  if (!departure->begin(runs, boot())) return;
  if (runs == ledger::runs_at_shutdown::stop) backend->stop_all(stop_reason);
  take(core->refuse_held(boot()));
  leave_when_idle();
}

void executor_state::leave_when_idle() {
  // This is asked after each event of a run, so that the open runs are counted only while leaving.
  if (departure->is_serving()) return;
  if (departure->say_goodbye(core->open_runs().size(), core->outbox_size(), boot()))
    leave();
  else
    arm();
}

void executor_state::leave() {
  model::agent_goodbye message;
  message.cluster = core->cluster();
  message.incarnation = core->incarnation();
  message.reason = "the agent was shut down";
  auto end = [this] {
    backend->shutdown();
    self->quit(caf::exit_reason::user_shutdown);
  };
  // A hello whose answer is still on its way may have begun a session.
  if (!core->connected() && !said_hello) {
    end();
    return;
  }
  self->request(config.session, std::chrono::milliseconds{1'000}, atom::goodbye_v, message)
      .then([end](atom::ok) { end(); }, [end](const caf::error&) { end(); });
}

result<void> validate(const executor_actor_config& config) {
  if (!config.make_backend || !config.store || !config.session || config.clock == nullptr)
    return fail(ec::invalid_argument, "an executor needs a backend, store, session and clock");
  if (config.cluster.name.empty())
    return fail(ec::invalid_argument, "an executor needs the name of its cluster");
  if (config.memory.facts.incarnation == 0)
    return fail(ec::invalid_argument, "an executor needs the memory of its store");
  return {};
}

namespace {

local_executor_actor::behavior_type executor_behavior(
    traced_pointer<local_executor_actor, executor_state> self, executor_actor_config config) {
  return self->state.make_behavior(std::move(config));
}

}  // namespace

local_executor_actor spawn_executor(caf::actor_system& system, executor_actor_config config) {
  ARGOSY_CHECK(validate(config).has_value());
  return spawn_actor(system, run_on::pool, executor_behavior, std::move(config));
}

}  // namespace argosy::actors
