// SPDX-License-Identifier: Apache-2.0
#include "actors/state/queue.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "actors/caf_error.hpp"
#include "actors/state/open_appends.hpp"
#include "actors/state/queue_effects.hpp"
#include "messages/codec/log/event_size.hpp"
#include "messages/codec/log/record_parts.hpp"
#include "messages/native/job_spans.hpp"
#include "messages/probes/state_probe.hpp"
#include "messages/rounds/start_orders.hpp"
#include "runtime/base/check.hpp"
#include "runtime/ledger/queue/cut_ledger.hpp"
#include "runtime/ledger/queue/selection_parts.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

using eventlog::command_kind;

struct queue_state {
  static inline const char* name = "argosy.queue";
  /// How many parts of one change are on their way to the disk at a time.
  static constexpr std::size_t parts_open_max = 2;
  /// About how many bytes the change of one job takes in the log.
  static constexpr std::size_t bytes_of_change = 200;
  static constexpr std::int64_t prune_period_ns = 600LL * 1'000'000'000;
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
    if (auto ok = config.load->admit(kind); !ok) return to_caf(ok.error());
    auto decided = decide();
    if (auto ok = fits_the_log(decided.events); !ok) return to_caf(ok.error());
    return commit<Out>(std::move(decided), std::move(answer));
  }

  using decide_part =
      std::function<ledger::decision<ledger::selection_reply>(const ledger::job_selection&)>;
  /// Carries out a command on a selection, in parts if that is large.
  [[nodiscard]] caf::result<ledger::selection_reply> change_jobs(const ledger::job_selection& which,
                                                                 command_kind kind,
                                                                 decide_part decide);
  struct parted_change {
    ledger::selection_parts parts;
    decide_part decide;
    caf::typed_response_promise<ledger::selection_reply> promise;
    ledger::selection_reply changed;
    std::size_t open = 0;  ///< The parts that were appended and are not durable yet.
    std::optional<error> failed;
  };
  void go_on(const std::shared_ptr<parted_change>& what);
  void end(const std::shared_ptr<parted_change>& what);

  [[nodiscard]] caf::result<native::submit_reply_ptr> submit(const native::submit_request& request);
  [[nodiscard]] caf::result<native::submit_reply_ptr> check(
      const native::submit_request& request) const;
  [[nodiscard]] result<void> fits_the_log(const std::vector<model::event>& events) const;

  void prune_client_ids();

  using continuation = std::function<void(const result<std::uint64_t>&)>;
  /// Applies and appends the events. When they are durable, the effects that are due are carried
  /// out, and then `done` is called with the position.
  void append(std::vector<model::event> events, std::vector<ledger::queue_effect> due,
              continuation done);
  void append_part(std::vector<model::event> events, std::vector<ledger::queue_effect> due,
                   continuation done);
  void appended(const native::append_outcome& outcome);
  void place(const ledger::place_request& part);

  void publish(const ledger::queue_delta& delta, std::uint64_t at);
  void tell_coordinator();
  [[nodiscard]] native::queue_delta_ptr cut(std::uint64_t at);

  [[nodiscard]] caf::result<native::queue_status_ptr> status() const;
  [[nodiscard]] std::int64_t now() const { return to_nanos(config.clock->wall()); }
  [[nodiscard]] queue_actor me() const { return caf::actor_cast<queue_actor>(self); }

  pointer self;
  queue_actor_config config;
  ledger::queue_core* core = nullptr;

  /// One append that is not durable yet.
  struct pending {
    ledger::queue_delta delta;
    std::vector<ledger::queue_effect> effects;
    std::vector<continuation> done;
  };
  open_appends<pending> in_flight;
  std::uint64_t position = 0;  ///< The position of the last commit that this queue heard of.

  ledger::cut_ledger cuts;
  std::optional<queue_effects> effects;
  std::optional<probes::queue_share> share;
  std::int64_t prune_at = 0;  ///< When client ids are pruned next: Unix time in nanoseconds.
};

result<void> queue_state::fits_the_log(const std::vector<model::event>& events) const {
  if (config.load->is_filling())
    if (auto ok = config.load->fits(codec::size_hint(events)); !ok) return ok;
  return codec::check_records(events, config.part_bytes_max, config.record_bytes_max,
                              codec::queue_parts(*core));
}

void queue_state::begin(queue_actor_config cfg) {
  config = std::move(cfg);
  core = config.core.get();
  position = config.position;
  in_flight = {"queue '" + core->name() + "'", config.journal, config.root, config.load};
  core->fit_gangs(config.gang_members_max);
  effects.emplace(self, core->name(), config.probes);
  share.emplace(*config.probes);
  share->show(*core);
  for (auto& gang : core->gangs()) effects->restore_gang(gang.gang, std::move(gang.members));
  core->touch_all();
  publish(core->take_dirty(), position);
}

queue_actor::behavior_type queue_state::make_behavior(queue_actor_config cfg) {
  begin(std::move(cfg));
  return {
      [this](atom::submit, const native::submit_ptr& request) { return submit(*request); },
      [this](atom::cancel, const native::cancel_request& request) {
        return change_jobs(request.jobs, command_kind::relieving,
                           [this, requestor = request.requestor,
                            reason = request.reason](const ledger::job_selection& part) {
                             return core->cancel(part, requestor, reason, now());
                           });
      },
      [this](atom::reprioritize, const native::reprioritize_request& request) {
        return change_jobs(request.jobs, command_kind::growing,
                           [this, priority = request.priority,
                            requestor = request.requestor](const ledger::job_selection& part) {
                             return core->reprioritize(part, priority, requestor, now());
                           });
      },
      [this](atom::settings, const native::settings_request& request) {
        return command<atom::ok>(
            [&] { return core->set(request.settings, request.mode, now(), request.expected); },
            [](const auto&, auto) { return atom::ok_v; },
            core->exists() ? command_kind::relieving : command_kind::growing);
      },
      [this](atom::cordon, bool on) {
        return command<atom::ok>([&] { return core->cordon(on, now()); },
                                 [](const auto&, auto) { return atom::ok_v; },
                                 command_kind::relieving);
      },
      [this](atom::erase, ledger::erase_mode mode) {
        return command<atom::ok>([&] { return core->erase(mode, now()); },
                                 [](const auto&, auto) { return atom::ok_v; },
                                 command_kind::relieving);
      },
      [this](atom::status) { return status(); },
      [this](atom::status, atom::figures) { return share->figures(*core); },
      [this](atom::place, const native::place_ptr& part) { place(*part); },
      [this](atom::append, const native::append_outcome& outcome) { appended(outcome); },
      [this](atom::report, const native::report_part_ptr& part, const cluster_actor& from) {
        effects->set_cluster(part->cluster, from);
        native::record_ends(part->reports, name, now());
        return commit<atom::ok>(core->report(part->cluster, part->reports, now()),
                                [](const auto&, auto) { return atom::ok_v; });
      },
      [this](atom::expired, const std::vector<model::run_key>& runs, bool abandoned) {
        return commit<atom::ok>(core->lease_expired(runs, now(), abandoned),
                                [](const auto&, auto) { return atom::ok_v; });
      },
      [this](atom::contact, const model::cluster_name& cluster, const cluster_actor& handle) {
        effects->set_cluster(cluster.str(), handle);
      },
      [this](atom::member, const native::gang_report_ptr& report) {
        core->gang_reported(*report);
        publish(core->take_dirty(), position);
      },
      [this](atom::member, const model::gang_name& gang) {
        return effects->missing_members(gang.str());
      },
      [this](atom::cut, model::log_position at) { return cut(at.value); },
      [this](atom::cut, atom::ok) { cuts.arrived(); },
  };
}

template <class Out, class Reply, class Answer>
caf::result<Out> queue_state::commit(ledger::decision<Reply> decided, Answer answer) {
  if (!decided.reply) return to_caf(decided.reply.error());
  auto promise = self->make_response_promise<caf::typed_response_promise<Out>>();
  append(std::move(decided.events), std::move(decided.effects),
         [promise, answer = std::move(answer),
          reply = std::move(*decided.reply)](const result<std::uint64_t>& at) mutable {
           if (at)
             promise.deliver(Out{answer(reply, *at)});
           else
             promise.deliver(to_caf(at.error()));
         });
  return promise;
}

caf::result<ledger::selection_reply> queue_state::change_jobs(const ledger::job_selection& which,
                                                              command_kind kind,
                                                              decide_part decide) {
  auto ids = core->select(which);
  if (!ids) return to_caf(ids.error());
  if (ids->size() <= config.jobs_in_part_max)
    return command<ledger::selection_reply>(
        [&] { return decide(which); },
        [](const ledger::selection_reply& reply, auto) { return reply; }, kind);
  if (auto ok = config.load->admit(kind); !ok) return to_caf(ok.error());
  if (config.load->is_filling())
    if (auto ok = config.load->fits(ids->size() * bytes_of_change); !ok) return to_caf(ok.error());
  auto promise =
      self->make_response_promise<caf::typed_response_promise<ledger::selection_reply>>();
  auto what = std::make_shared<parted_change>(parted_change{
      {which, std::move(*ids), config.jobs_in_part_max}, std::move(decide), promise, {}, 0, {}});
  go_on(what);
  return promise;
}

/// Appends the next part while the last one is written. Once begun, a change is not refused because
/// others fill the log meanwhile: its own parts are few.
void queue_state::go_on(const std::shared_ptr<parted_change>& what) {
  while (what->open < parts_open_max && !what->parts.all_taken() && !what->failed) {
    auto decided = what->decide(what->parts.take());
    auto fits = decided.reply ? fits_the_log(decided.events) : fail(decided.reply.error());
    if (!fits) {
      what->failed = fits.error();
    } else if (!decided.events.empty()) {
      ++what->open;
      append(std::move(decided.events), std::move(decided.effects),
             [this, what, reply = std::move(*decided.reply)](const result<std::uint64_t>& at) {
               --what->open;
               if (!at) what->failed = at.error();
               auto& ids = what->changed.ids;
               if (at) ids.insert(ids.end(), reply.ids.begin(), reply.ids.end());
               go_on(what);
             });
    }
  }
  if (what->open == 0) end(what);
}

void queue_state::end(const std::shared_ptr<parted_change>& what) {
  if (what->failed) {
    const auto& why = *what->failed;
    what->promise.deliver(to_caf({why.code, "only " + std::to_string(what->changed.ids.size()) +
                                                " of " + std::to_string(what->parts.size()) +
                                                " jobs were changed: " + why.detail}));
    return;
  }
  // That nothing was left to change may rest on what is still on its way to the disk.
  append({}, {}, [what](const result<std::uint64_t>& at) {
    if (at)
      what->promise.deliver(std::move(what->changed));
    else
      what->promise.deliver(to_caf(at.error()));
  });
}

caf::result<native::submit_reply_ptr> queue_state::submit(const native::submit_request& request) {
  prune_client_ids();
  if (request.purpose == native::submit_purpose::check) return check(request);
  return command<native::submit_reply_ptr>(
      [&] { return core->submit(request.jobs, now()); },
      [](const ledger::submit_reply& reply, auto) {
        return std::make_shared<const ledger::submit_reply>(reply);
      },
      command_kind::growing);
}

caf::result<native::submit_reply_ptr> queue_state::check(
    const native::submit_request& request) const {
  auto decided = core->submit(request.jobs, now());
  if (!decided.reply) return to_caf(decided.reply.error());
  if (auto ok = fits_the_log(decided.events); !ok) return to_caf(ok.error());
  return native::submit_reply_ptr{std::make_shared<const ledger::submit_reply>(*decided.reply)};
}

/// Drops client ids that submit() ignores anyhow, so that it does not matter when they go.
void queue_state::prune_client_ids() {
  if (now() < prune_at) return;
  core->prune_client_ids(now());
  prune_at = now() + prune_period_ns;
}

void queue_state::append(std::vector<model::event> events, std::vector<ledger::queue_effect> due,
                         continuation done) {
  if (events.empty()) {
    // There is nothing to write, but what the answer rests on may still be on its way to the disk.
    if (in_flight.empty()) {
      for (const auto& effect : due) effects->carry_out(effect);
      done(position);
      return;
    }
    auto& last = in_flight.last();
    last.effects.insert(last.effects.end(), std::make_move_iterator(due.begin()),
                        std::make_move_iterator(due.end()));
    last.done.push_back(std::move(done));
    return;
  }
  auto parts = codec::divide_into_records(std::move(events), config.part_bytes_max,
                                          codec::queue_parts(*core));
  for (auto& part : parts)
    if (&part == &parts.back())
      append_part(std::move(part), std::move(due), std::move(done));
    else
      append_part(std::move(part), {}, {});
}

void queue_state::append_part(std::vector<model::event> events,
                              std::vector<ledger::queue_effect> due, continuation done) {
  auto request = std::make_shared<native::append_request>();
  request->changes.reserve(3 * events.size());
  for (const auto& event : events) core->apply(event, request->changes);
  request->events = std::move(events);
  pending entry;
  entry.delta = core->take_dirty();
  entry.effects = std::move(due);
  if (done) entry.done.push_back(std::move(done));
  in_flight.send(self, std::move(request), std::move(entry));
}

/// If the log does not take the events, a caller does not know what became of the request.
void queue_state::appended(const native::append_outcome& outcome) {
  const auto entry = in_flight.take(self, outcome);
  if (!outcome.position) {
    const auto why = to_string(outcome.position.error());
    for (const auto& done : entry.done)
      done(fail(ec::timeout, "the server stops leading, as it could not write to the log (" + why +
                                 "); whether the request took effect is unknown: try again"));
    return;
  }
  const auto at = *outcome.position;
  position = std::max(position, at);
  publish(entry.delta, at);
  share->show(*core);
  for (const auto& effect : entry.effects) effects->carry_out(effect);
  for (const auto& done : entry.done) done(at);
}

/// The stops have been sent before the COORDINATOR hears that the part is durable.
void queue_state::place(const ledger::place_request& part) {
  auto decided = core->place(part, now());
  ARGOSY_CHECK(decided.reply.has_value());
  append(std::move(decided.events), std::move(decided.effects),
         [this, round = part.round,
          placed = std::move(*decided.reply)](const result<std::uint64_t>& at) {
           if (at)
             self->send(config.coordinator, atom::place_v, model::queue_name{core->name()},
                        rounds::start_orders(placed, {name, round, *at, now()}));
         });
}

void queue_state::publish(const ledger::queue_delta& delta, std::uint64_t at) {
  cuts.publish(delta, at);
  tell_coordinator();
}

void queue_state::tell_coordinator() {
  if (cuts.take_notice()) self->send(config.coordinator, atom::dirty_v, me());
}

native::queue_delta_ptr queue_state::cut(std::uint64_t at) {
  auto out = std::make_shared<native::queue_delta>();
  out->queue = core->name();
  out->exists = core->exists();
  if (out->exists) out->settings = *core->settings();
  out->jobs = cuts.cut(at);
  tell_coordinator();
  return out;
}

caf::result<native::queue_status_ptr> queue_state::status() const {
  if (!core->exists())
    return to_caf({ec::not_found, "queue '" + core->name() + "' does not exist"});
  return std::make_shared<const native::queue_status>(native::status_of(*core));
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
