// SPDX-License-Identifier: Apache-2.0
#include "actors/agent/executor.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "actors/agent/executor_state.hpp"
#include "actors/caf_error.hpp"
#include "messages/native/job_spans.hpp"
#include "runtime/base/check.hpp"
#include "runtime/trace/caf/delayed_send.hpp"

namespace argosy::actors {

namespace {

/// A cluster that tells of its runs within this time was no trouble to anybody.
constexpr boot_time quiet_start = std::chrono::seconds{3};

}  // namespace

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
  take_trouble();
  core->restore(config.memory.facts);
  for (const auto& report : config.memory.reports) core->restore(report);
  for (auto& run : config.memory.runs) core->restore(std::move(run), boot());
  config.memory = {};
  if (!backend->is_ready()) {
    logger.info("waiting for the cluster", logging::kv("cluster", config.cluster.name));
    core->put_off_hello(boot() + quiet_start);
    arm();
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
  if (adopted ? backend->has_more_runs() : backend->is_ready())
    if (auto done = adopt_runs(); !done) return give_up(done.error());
  core->set_nodes(backend->nodes());
  take_trouble();
  tick();
}

void executor_state::take_trouble() {
  const auto trouble = backend->trouble();
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
  auto failed = departure->refuses_starts()
                    ? std::optional{refusal(action.order.run, backends::reason::not_started,
                                            stop_reason, wall())}
                    : start_run(*backend, action.order, core->facts().control_plane, wall());
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

}  // namespace argosy::actors
