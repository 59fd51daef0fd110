// SPDX-License-Identifier: Apache-2.0
// This file has what the EXECUTOR does with runs and its backend, then how it speaks with the
// control plane and how it ends.
#include "actors/agent/executor.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "actors/agent/backend_link.hpp"
#include "actors/agent/control_plane_link.hpp"
#include "actors/agent/write_ahead.hpp"
#include "actors/caf_error.hpp"
#include "messages/native/job_spans.hpp"
#include "messages/probes/executor_probe.hpp"
#include "runtime/base/check.hpp"
#include "runtime/ledger/agent/departure_core.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/trace/caf/delayed_send.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

namespace {

/// A cluster that tells of its runs within this time was no trouble to anybody.
constexpr boot_time quiet_start = std::chrono::seconds{3};

/// A hello that is too large is long, and will hardly be smaller soon.
constexpr boot_time large_hello_pause = std::chrono::minutes{1};

/// Whether it is known which runs there are, and whose they are.
bool may_adopt(const backends::backend& backend, const ledger::executor_core& core) {
  return backend.is_ready() && (!core.facts().control_plane.empty() || !backend.has_left_runs());
}

}  // namespace

struct executor_state {
  static inline const logging::logger logger{"executor"};
  static inline const char* name = "argosy.executor";
  /// The reason in the events of runs that end because the agent ends.
  static constexpr const char* stop_reason = "the agent is shut down";
  using pointer = traced_pointer<local_executor_actor, executor_state>;

  explicit executor_state(pointer self_) : self(self_) {}

  local_executor_actor::behavior_type make_behavior(executor_actor_config cfg);
  result<void> start_backend();
  /// Takes over the runs that there are, once the backend knows them.
  result<void> adopt_runs();
  void take_trouble();
  void nodes_changed();
  caf::result<atom::ok> orders(const model::agent_orders& wanted);
  void changed(const std::vector<model::run_event>& events);
  caf::result<native::log_chunk_ptr> read_log(const model::log_request& request);
  void log_read(std::uint64_t number, const result<model::log_chunk>& answer);
  [[nodiscard]] native::executor_status status() const;
  [[nodiscard]] metrics::figure_list figures() const;

  void take(ledger::executor_step step) {
    show();
    steps->take(std::move(step));
  }
  void show() { share->show(core->run_count(), core->outbox_size(), core->connected()); }
  void give_up(const error& why);
  void arm();

  void act(const ledger::launch_run& action);
  void act(const ledger::end_run& action) { backend->stop(action.order, action.grace); }
  void act(const ledger::renew_lease& action) { backend->renew(action.lease); }
  void act(const ledger::forget_run& action) { backend->forget(action.run); }
  void act(const ledger::send_hello& action);
  void act(const ledger::send_heartbeat& action);
  void act(const ledger::send_reports& action);
  void act(const ledger::warn_of_order& action) {
    logger.error("refused to start a run", logging::kv("run", to_string(action.run)),
                 logging::kv("why", action.why));
  }

  void act(const ledger::warn_of_leader& action) {
    control_plane->complain("this agent does not obey who answers as its control plane",
                            {ec::denied, action.why});
  }
  void act(const ledger::tell_of_new_life& action) {
    logger.warning("this agent ends the runs that it has, and joins as a new one then",
                   logging::kv("cluster", core->cluster()), logging::kv("runs", action.runs));
  }

  /// Whether the error says that a newer incarnation has taken the cluster. This EXECUTOR then
  /// ends.
  bool superseded(const error& why);
  void end_if_superseded();
  /// Whether the error says that another agent serves the cluster, or that this one belongs to
  /// another control plane. This EXECUTOR then ends at once.
  bool refused(const error& why);
  void shut_down(ledger::runs_at_shutdown runs);
  void leave_when_idle();

  void tick();
  [[nodiscard]] boot_time boot() const { return config.clock->boot(); }
  [[nodiscard]] std::int64_t wall() const { return to_nanos(config.clock->wall()); }

  pointer self;
  executor_actor_config config;
  std::unique_ptr<ledger::executor_core> core;
  std::optional<probes::executor_share> share;
  std::unique_ptr<backends::backend> backend;
  std::optional<write_ahead> steps;
  std::optional<control_plane_link> control_plane;
  model::timer_generation timer;  ///< The generation of the timer that is armed.
  boot_time armed_for = boot_time::max();
  bool was_ready = false;
  bool adopted = false;  ///< It is known which runs there are.
  std::optional<ledger::departure_core> departure;
  /// Questions for parts of runs' output that are still to be answered, by their numbers.
  std::map<std::uint64_t, caf::typed_response_promise<native::log_chunk_ptr>> readers;
  std::uint64_t last_reader = 0;
};

local_executor_actor::behavior_type executor_state::make_behavior(executor_actor_config cfg) {
  config = std::move(cfg);
  departure.emplace(config.stop_deadline);
  share.emplace(*config.probes);
  steps.emplace(self, config.store, config.store_timeout,
                write_ahead::owner{[this](const auto& action) {
                                     std::visit([this](const auto& what) { this->act(what); },
                                                action);
                                   },
                                   [this] {
                                     arm();
                                     end_if_superseded();
                                   },
                                   [this](const error& why) { give_up(why); }});
  control_plane.emplace(self, config.cluster.name, config.session, config.request_timeout);
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
      [this](atom::read_log, const model::log_request& request) { return read_log(request); },
      [this](atom::read_log, std::uint64_t number, const native::log_answer_ptr& answer) {
        log_read(number, *answer);
      },
      [this](atom::changed, const native::run_events_ptr& events) { changed(*events); },
      [this](atom::nodes) { nodes_changed(); },
      [this](atom::tick, model::timer_generation generation) {
        if (generation != timer) return;
        armed_for = boot_time::max();
        tick();
        leave_when_idle();
      },
      [this](atom::status) { return status(); },
      [this](atom::status, atom::figures) { return figures(); },
      [this](atom::shutdown, ledger::runs_at_shutdown runs) { shut_down(runs); },
  };
}

result<void> executor_state::start_backend() {
  auto made = config.make_backend(events_to(self));
  if (!made) return fail(std::move(made.error()));
  backend = std::move(*made);
  config.cluster.said = backend->traits();
  backend->on_nodes_changed(nodes_to(self));
  core = std::make_unique<ledger::executor_core>(config.cluster, backend->nodes(), config.rules);
  core->restore(config.memory.facts);
  for (const auto& report : config.memory.reports) core->restore(report);
  for (auto& run : config.memory.runs) core->restore(std::move(run), boot());
  config.memory = {};
  take_trouble();
  if (!may_adopt(*backend, *core)) {
    logger.info(
        backend->is_ready() ? "asking the control plane who it is" : "waiting for the cluster",
        logging::kv("cluster", config.cluster.name));
    if (!backend->is_ready()) core->put_off_hello(boot() + quiet_start);
    tick();
    return {};
  }
  if (auto done = adopt_runs(); !done) return done;
  tick();
  return {};
}

result<void> executor_state::adopt_runs() {
  adopted = true;
  core->put_off_hello({});
  take(core->inherit(backend->inherit(core->open_runs(), core->facts().control_plane)));
  auto found = backend->adopt(core->open_runs());
  if (!found) return fail(std::move(found.error()));
  if (!found->empty()) logger.info("found runs", logging::kv("count", found->size()));
  take(core->adopted(*found));
  return {};
}

void executor_state::nodes_changed() {
  if (!adopted && backend->is_ready()) core->put_off_hello({});
  if (adopted ? backend->has_more_runs() : may_adopt(*backend, *core))
    if (auto done = adopt_runs(); !done) return give_up(done.error());
  core->set_nodes(backend->nodes());
  take_trouble();
  tick();
}

void executor_state::take_trouble() {
  auto trouble = backend->trouble();
  if (!adopted && backend->is_ready() && !may_adopt(*backend, *core))
    trouble.why =
        "has runs of earlier agents, and it has to be told first to which control plane "
        "it belongs";
  if (trouble.why.empty() && config.link_trouble) {
    const auto link = config.link_trouble();
    if (!link.why.empty()) {
      trouble.why = link.why;
      trouble.since_ns = link.since_ns;
    }
    if (!link.lacks.empty()) trouble.lacks += (trouble.lacks.empty() ? "" : ", and ") + link.lacks;
  }
  core->set_trouble(trouble);
  if (config.on_trouble) config.on_trouble(trouble);
}

void executor_state::tick() {
  // The wall clock is read first: a machine that is paused in between shall not look as if the
  // lease had been asked for after the pause.
  const auto wall_now = wall();
  const auto now = boot();
  core->set_strangers(backend->has_strangers());
  take(core->tick(now, boot_time{wall_now} - now));
}

caf::result<atom::ok> executor_state::orders(const model::agent_orders& wanted) {
  if (!departure->is_serving()) return to_caf({ec::unavailable, "the agent is stopping"});
  // It does not know yet which runs there are. What was ordered is said again after its next hello.
  if (!adopted) return to_caf({ec::unavailable, "the agent waits for its cluster"});
  auto step = core->orders(wanted, wall(), boot());
  if (!step) return to_caf(step.error());
  show();
  return steps->answer_after(std::move(*step));
}

void executor_state::changed(const std::vector<model::run_event>& events) {
  for (const auto& event : events) {
    const auto* run = is_final(event.phase) ? core->find(event.run) : nullptr;
    if (run != nullptr && !is_final(run->phase))
      native::record(run->trace,
                     native::run_span(*run, event, config.cluster.backend + " backend"));
  }
  take(core->changed(events, boot()));
  leave_when_idle();
}

caf::result<native::log_chunk_ptr> executor_state::read_log(const model::log_request& request) {
  if (core->is_superseded()) return to_caf(control_plane->superseded_error());
  auto promise = self->make_response_promise<caf::typed_response_promise<native::log_chunk_ptr>>();
  readers.emplace(++last_reader, promise);
  backend->read_log(request, log_to(self, last_reader));
  return promise;
}

void executor_state::log_read(std::uint64_t number, const result<model::log_chunk>& answer) {
  auto reader = readers.extract(number);
  if (!reader) return;
  if (answer)
    reader.mapped().deliver(
        native::log_chunk_ptr{std::make_shared<const model::log_chunk>(*answer)});
  else
    reader.mapped().deliver(to_caf(answer.error()));
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
  trace::tick_send(self, caf::actor_cast<local_executor_actor>(self), delay, atom::tick_v,
                   timer = timer.next());
}

void executor_state::act(const ledger::launch_run& action) {
  auto failed = departure->refuses_starts() && !action.find
                    ? std::optional{refusal(action.order.run, backends::reason::not_started,
                                            stop_reason, wall())}
                    : start_run(*backend, action, core->facts().control_plane, wall());
  if (failed) take(core->changed({std::move(*failed)}, boot()));
}

result<void> validate(const executor_actor_config& config) {
  if (!config.make_backend || !config.store || !config.session || config.clock == nullptr)
    return fail(ec::invalid_argument, "an executor needs a backend, store, session and clock");
  if (config.cluster.name.empty())
    return fail(ec::invalid_argument, "an executor needs the name of its cluster");
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

void executor_state::act(const ledger::send_hello& action) {
  control_plane->say(action, [this](const result<model::hello_ack>& ack) {
    if (ack) {
      const bool was_connected = core->connected();
      take(core->hello_acknowledged(*ack, boot()));
      if (!adopted && may_adopt(*backend, *core)) nodes_changed();
      leave_when_idle();
      if (core->connected() && !was_connected)
        logger.info("connected to the control plane", logging::kv("cluster", core->cluster()),
                    logging::kv("epoch", ack->epoch.value),
                    logging::kv("incarnation", core->incarnation().value));
      if (core->connected() && adopted && !std::exchange(was_ready, true) && config.on_ready)
        config.on_ready();
    } else if (!superseded(ack.error()) && !refused(ack.error())) {
      control_plane->complain("the control plane did not answer the hello", ack.error());
      const bool is_too_large = ack.error().code == ec::too_large;
      core->hello_failed(boot(), is_too_large ? large_hello_pause : boot_time{0});
      arm();
      leave_when_idle();
    }
  });
}

void executor_state::act(const ledger::send_heartbeat& action) {
  take_trouble();
  control_plane->say(action, core->heartbeat_period(),
                     [this, said = boot()](const result<model::heartbeat_ack>& ack) {
                       if (ack) {
                         share->heartbeat_answered(boot() - said);
                         take(core->heartbeat_acknowledged(*ack, boot()));
                       } else if (!superseded(ack.error())) {
                         control_plane->complain("a heartbeat failed", ack.error());
                         core->heartbeat_failed(boot());
                         show();
                         arm();
                       }
                     });
}

void executor_state::act(const ledger::send_reports& action) {
  control_plane->say(
      action, [this, said = boot(), number = action.number](const result<model::report_ack>& ack) {
        if (ack) {
          share->report_answered(boot() - said);
          take(core->reports_acknowledged(number, *ack, boot()));
          leave_when_idle();
        } else if (!superseded(ack.error())) {
          control_plane->complain("reports were not taken", ack.error());
          core->reports_failed(number, ack.error().code == ec::unavailable, boot());
          arm();
        }
      });
}

bool executor_state::superseded(const error& why) {
  if (why.code != ec::conflict) return false;
  if (core->is_superseded()) return true;
  logger.error("this agent takes no more work and ends when its runs have ended",
               logging::kv("cluster", core->cluster()),
               logging::kv("incarnation", core->incarnation().value),
               logging::kv("runs", core->open_runs().size()), logging::kv("answer", to_string(why)),
               logging::kv("error", to_string(control_plane->superseded_error())));
  take(core->superseded(boot()));
  return true;
}

/// The runs of this agent, if it has any from elsewhere, go on as if it had been killed.
bool executor_state::refused(const error& why) {
  // An agent that has served already waits for its own control plane to come back.
  const bool at_start = (why.code == ec::denied || why.code == ec::too_large) && !was_ready;
  if (why.code != ec::already_exists && !at_start) return false;
  departure->end_abruptly();
  give_up({at_start ? why.code : ec::conflict, why.detail});
  return true;
}

/// The runs that the control plane could still count on have been ended by their lease by then.
/// Pods are those of the agent which serves the cluster now.
void executor_state::end_if_superseded() {
  const bool outlive = config.cluster.traits().outlives_agent;
  if (!core->is_superseded() || steps->writing() || !departure->is_serving() ||
      !(outlive || core->open_runs().empty()))
    return;
  departure->end_abruptly();
  if (!was_ready && config.on_outdated) config.on_outdated();
  give_up(control_plane->superseded_error());
}

void executor_state::shut_down(ledger::runs_at_shutdown runs) {
  if (!departure->begin(runs, boot())) return;
  if (runs == ledger::runs_at_shutdown::stop) backend->stop_all(stop_reason);
  core->gather_no_more();
  take(core->refuse_held(boot()));
  leave_when_idle();
}

void executor_state::leave_when_idle() {
  // This is asked after each event of a run, so that the open runs are counted only while leaving.
  if (departure->is_serving()) return;
  if (!departure->say_goodbye(
          {core->open_runs().size(), core->outbox_size(), core->awaits_incarnation()}, boot())) {
    arm();
    return;
  }
  control_plane->say_goodbye(core->incarnation(), config.cluster.process, [this] {
    backend->shutdown();
    self->quit(caf::exit_reason::user_shutdown);
  });
}

}  // namespace argosy::actors
