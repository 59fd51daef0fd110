// SPDX-License-Identifier: Apache-2.0
#include "actors/state/queue.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <optional>

#include "actors/caf_error.hpp"
#include "actors/interfaces/state/queue.hpp"
#include "actors/state/parting.hpp"
#include "actors/state/queue_effects.hpp"
#include "actors/state/queue_log.hpp"
#include "messages/native/job_spans.hpp"
#include "messages/probes/queue_probe.hpp"
#include "messages/rounds/start_orders.hpp"
#include "runtime/access/action.hpp"
#include "runtime/base/check.hpp"
#include "runtime/ledger/queue/cut_ledger.hpp"
#include "runtime/trace/caf/delayed_send.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

using eventlog::command_kind;

namespace {

/// Its settings and counts. ec::not_found when there is no such queue.
[[nodiscard]] caf::result<native::queue_status_ptr> status_of(const ledger::queue_core& core) {
  if (!core.exists()) return to_caf({ec::not_found, "queue '" + core.name() + "' does not exist"});
  return std::make_shared<const native::queue_status>(native::status_of(core));
}

/// ec::not_found when there is no such queue, and ec::denied when he may not.
[[nodiscard]] caf::result<atom::ok> allow(const ledger::queue_core& core,
                                          const access::principal& who, std::uint8_t action) {
  const auto what = static_cast<access::action>(action);
  if (!core.exists()) return to_caf({ec::not_found, "queue '" + core.name() + "' does not exist"});
  if (!access::may(who, what, *core.settings()))
    return to_caf(access::refusal(who, what, core.name()));
  return atom::ok_v;
}

}  // namespace

struct queue_state {
  static inline const char* name = "argosy.queue";
  /// About how many bytes the change of one job takes in the log.
  static constexpr std::size_t bytes_of_change = 200;
  using pointer = traced_pointer<queue_actor, queue_state>;

  explicit queue_state(pointer self_) : self(self_) {}

  queue_actor::behavior_type make_behavior(queue_actor_config cfg);
  /// Takes the core as recovery restored it, and tells the COORDINATOR all of it.
  void begin(queue_actor_config cfg);

  /// Applies and appends what was decided. `answer` makes the reply from the position once the
  /// events are durable; a refused decision is answered at once.
  template <class Out, class Reply, class Answer>
  caf::result<Out> commit(ledger::decision<Reply> decided, Answer answer);

  /// Does the same with a caller's command, which is decided only while the log keeps up and there
  /// is room for it.
  template <class Out, class Decide, class Answer>
  caf::result<Out> command(Decide decide, Answer answer, command_kind kind) {
    if (end->begun())
      return to_caf({ec::unavailable, "the server lets go of this queue just now; try again"});
    if (auto ok = config.load->admit(kind); !ok) return to_caf(ok.error());
    auto decided = decide();
    if (auto ok = log->fits(decided.events, kind); !ok) return to_caf(ok.error());
    return commit<Out>(std::move(decided), std::move(answer));
  }

  /// Carries out a command on a selection, in parts if that is large.
  template <class Request>
  [[nodiscard]] caf::result<ledger::selection_reply> change_jobs(const Request& request,
                                                                 command_kind kind) {
    return change_jobs(request.jobs, kind, decider(*core, *config.clock, request),
                       operation_of(request));
  }
  [[nodiscard]] caf::result<ledger::selection_reply> change_jobs(
      const ledger::job_selection& which, command_kind kind, decide_part decide,
      std::optional<model::operation> record);

  [[nodiscard]] caf::result<native::submit_reply_ptr> submit(const native::submit_request& request);
  [[nodiscard]] caf::result<native::submit_reply_ptr> check(
      const native::submit_request& request) const;

  void tick(model::timer_generation generation);

  void place(const ledger::place_request& part);

  void publish(const ledger::queue_delta& delta);
  void tell_coordinator();
  [[nodiscard]] native::queue_delta_ptr cut(model::log_position at);

  [[nodiscard]] std::int64_t now() const { return to_nanos(config.clock->wall()); }
  [[nodiscard]] queue_actor me() const { return caf::actor_cast<queue_actor>(self); }

  pointer self;
  queue_actor_config config;
  ledger::queue_core* core = nullptr;

  ledger::cut_ledger cuts;
  std::optional<queue_effects> effects;
  std::optional<queue_log> log;
  std::optional<probes::queue_share> share;
  std::optional<parting> end;
};

void queue_state::begin(queue_actor_config cfg) {
  config = std::move(cfg);
  core = config.core.get();
  core->fit_gangs(config.gang_members_max);
  effects.emplace(self, core->name(), config.probes);
  log.emplace(self, config, *effects, [this](const ledger::queue_delta& delta) {
    publish(delta);
    share->show(*core);
  });
  end.emplace(
      parting::rules{[this] { return core->is_over() && log->empty() && cuts.all_arrived(); }, {}},
      std::vector{
          say_goodbye<queue_actor>(self, config.root, config.request_timeout, core->name())},
      [this] { self->quit(); });
  share.emplace(*config.probes, *core);
  for (auto& gang : core->gangs()) effects->restore_gang(gang.gang, std::move(gang.members));
  log->use_policies(config.policies);
  if (config.set_aside) {
    auto decided = core->set_aside(*config.set_aside, now());
    log->append(std::move(decided.events), std::move(decided.effects), [](const auto&) {});
  }
  log->resume_changes();
  log->watch_gangs();
  core->touch_all();
  publish(core->take_dirty());
  trace::tick_send(self, self, config.tick_period, atom::tick_v, model::timer_generation{1});
}

queue_actor::behavior_type queue_state::make_behavior(queue_actor_config cfg) {
  begin(std::move(cfg));
  static constexpr auto say_ok = [](const auto&, auto) { return atom::ok_v; };
  return {
      [this](atom::submit, const native::submit_ptr& request) { return submit(*request); },
      [this](atom::cancel, const native::cancel_request& request) {
        return change_jobs(request, command_kind::relieving);
      },
      [this](atom::reprioritize, const native::reprioritize_request& request) {
        return change_jobs(request, command_kind::growing);
      },
      [this](atom::hold, const native::hold_request& request) {
        return change_jobs(request, command_kind::growing);
      },
      [this](atom::settings, const native::settings_request& request) {
        return command<atom::ok>(
            [&] { return core->set(request.settings, request.mode, now(), request.expected); },
            say_ok, core->exists() ? command_kind::relieving : command_kind::growing);
      },
      [this](atom::settings, const ledger::retry_policies_ptr& all) { log->use_policies(all); },
      [this](atom::cordon, bool on) {
        return command<atom::ok>([&] { return core->cordon(on, now()); }, say_ok,
                                 command_kind::relieving);
      },
      [this](atom::erase, ledger::erase_mode mode) -> caf::result<atom::ok> {
        if (mode == ledger::erase_mode::strict && core->is_being_emptied())
          return log->erase_when_empty();
        return command<atom::ok>([&] { return core->erase(mode, now()); }, say_ok,
                                 command_kind::relieving);
      },
      [this](atom::allow, const principal_ptr& who, std::uint8_t what) {
        return allow(*core, *who, what);
      },
      [this](atom::status) { return status_of(*core); },
      [this](atom::status, atom::figures) { return share->figures(*core); },
      [this](atom::hold, const native::unfit_ptr& found) {
        auto decided = judge_unfit(*core, *found, now());
        if (!decided.events.empty())
          log->append(std::move(decided.events), std::move(decided.effects), [](const auto&) {});
      },
      [this](atom::place, const native::place_ptr& part) { place(*part); },
      [this](atom::append, const native::append_outcome& outcome) { log->appended(outcome); },
      [this](atom::report, const native::report_part_ptr& part, const cluster_actor& from) {
        effects->set_cluster(part->cluster, from);
        native::record_ends(part->reports, core->name(), name, now());
        return commit<atom::ok>(core->report(part->cluster, part->reports, now()), say_ok);
      },
      [this](atom::expired, const std::vector<model::run_key>& runs, bool abandoned) {
        return commit<atom::ok>(core->lease_expired(runs, now(), abandoned), say_ok);
      },
      [this](atom::contact, const model::cluster_name& cluster, const cluster_actor& handle) {
        effects->set_cluster(cluster, handle);
      },
      [this](atom::goodbye, const model::cluster_name& cluster, const cluster_actor& handle) {
        effects->drop_cluster(cluster, handle);
      },
      [this](atom::member, const native::gang_report_ptr& report) {
        core->gang_reported(*report);
        cuts.publish_report(core->take_dirty(), log->position());
        tell_coordinator();
      },
      [this](atom::member, const model::gang_name& gang) { return log->gang_wait(gang.str()); },
      [this](atom::tick, atom::member) { log->end_gang_waits(); },
      [this](atom::tick, model::timer_generation generation) { tick(generation); },
      [this](atom::cut, model::log_position at) { return cut(at); },
      [this](atom::cut, atom::ok) { cuts.arrived(); },
  };
}

template <class Out, class Reply, class Answer>
caf::result<Out> queue_state::commit(ledger::decision<Reply> decided, Answer answer) {
  if (!decided.reply) return to_caf(decided.reply.error());
  auto promise = self->make_response_promise<caf::typed_response_promise<Out>>();
  log->append(std::move(decided.events), std::move(decided.effects),
              [promise, answer = std::move(answer),
               reply = std::move(*decided.reply)](const result<model::log_position>& at) mutable {
                if (at)
                  promise.deliver(Out{answer(reply, *at)});
                else
                  promise.deliver(to_caf(at.error()));
              });
  return promise;
}

caf::result<ledger::selection_reply> queue_state::change_jobs(
    const ledger::job_selection& which, command_kind kind, decide_part decide,
    std::optional<model::operation> record) {
  if (auto promise = log->join(record)) return *promise;
  auto ids = core->select(which);
  if (!ids) return to_caf(ids.error());
  if (ids->size() <= config.jobs_in_part_max) {
    auto few = which;
    // Ids are looked up, while the other conditions would have all jobs looked at again.
    if (!ids->empty()) few.ids = std::move(*ids);
    return command<ledger::selection_reply>(
        [&] { return decide(few); },
        [](const ledger::selection_reply& reply, auto) { return reply; }, kind);
  }
  if (auto ok = config.load->admit(kind); !ok) return to_caf(ok.error());
  if (auto ok = config.load->fits(ids->size() * bytes_of_change, kind); !ok)
    return to_caf(ok.error());
  auto promise =
      self->make_response_promise<caf::typed_response_promise<ledger::selection_reply>>();
  log->change_in_parts({which, std::move(*ids), config.jobs_in_part_max}, std::move(decide),
                       promise, std::move(record), kind);
  return promise;
}

caf::result<native::submit_reply_ptr> queue_state::submit(const native::submit_request& request) {
  if (request.purpose == native::submit_purpose::check) return check(request);
  const auto answer = [](const ledger::submit_reply& reply, auto) {
    return std::make_shared<const ledger::submit_reply>(reply);
  };
  const auto decide = [&] { return core->submit(request.jobs, now(), request.key); };
  // A repeated request is answered also while nothing new is taken.
  if (core->knows(request.key, now())) return commit<native::submit_reply_ptr>(decide(), answer);
  return command<native::submit_reply_ptr>(decide, answer, command_kind::growing);
}

caf::result<native::submit_reply_ptr> queue_state::check(
    const native::submit_request& request) const {
  auto decided = core->submit(request.jobs, now(), request.key);
  if (!decided.reply) return to_caf(decided.reply.error());
  if (auto ok = log->fits(decided.events, command_kind::growing); !ok) return to_caf(ok.error());
  return native::submit_reply_ptr{std::make_shared<const ledger::submit_reply>(*decided.reply)};
}

/// Drops client ids that submit() ignores anyhow, so that it does not matter when they go.
void queue_state::tick(model::timer_generation generation) {
  core->prune_client_ids(now());
  end->look(config.clock->boot());
  trace::tick_send(self, self, config.tick_period, atom::tick_v, generation.next());
}

/// The stops have been sent before the COORDINATOR hears that the part is durable.
void queue_state::place(const ledger::place_request& part) {
  auto decided = core->place(part, now());
  ARGOSY_CHECK(decided.reply.has_value());
  log->append(std::move(decided.events), std::move(decided.effects),
              [this, round = part.round,
               placed = std::move(*decided.reply)](const result<model::log_position>& at) {
                if (at)
                  self->send(config.coordinator, atom::place_v, core->name(),
                             rounds::start_orders(placed, {name, round, *at, now()}));
              });
}

void queue_state::publish(const ledger::queue_delta& delta) {
  cuts.publish(delta, log->position());
  tell_coordinator();
}

void queue_state::tell_coordinator() {
  if (cuts.take_notice()) self->send(config.coordinator, atom::dirty_v, core->name(), me());
}

native::queue_delta_ptr queue_state::cut(model::log_position at) {
  auto out = std::make_shared<native::queue_delta>();
  out->queue = core->name();
  out->exists = core->exists();
  if (out->exists) out->settings = *core->settings();
  out->jobs = cuts.cut(at);
  out->range = cuts.last_range();
  tell_coordinator();
  return out;
}

result<void> validate(const queue_actor_config& config) {
  if (!config.core || !config.root || !config.journal || !config.coordinator || !config.load ||
      config.clock == nullptr)
    return fail(ec::invalid_argument, "a queue needs all its neighbours, a core and a clock");
  return {};
}

namespace {

queue_actor::behavior_type queue_behavior(traced_pointer<queue_actor, queue_state> self,
                                          queue_actor_config config) {
  return self->state.make_behavior(std::move(config));
}

}  // namespace

queue_actor spawn_queue(caf::actor_system& system, queue_actor_config config) {
  ARGOSY_CHECK(validate(config).has_value());
  return spawn_actor(system, run_on::pool, queue_behavior, std::move(config));
}

}  // namespace argosy::actors
