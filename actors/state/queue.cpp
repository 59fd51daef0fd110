// SPDX-License-Identifier: Apache-2.0
#include "actors/state/queue.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "actors/caf_error.hpp"
#include "actors/state/gang.hpp"
#include "actors/state/open_appends.hpp"
#include "messages/codec/log/log_codec.hpp"
#include "messages/codec/log/record_parts.hpp"
#include "messages/native/job_trace.hpp"
#include "messages/probes/state_probe.hpp"
#include "runtime/base/check.hpp"
#include "runtime/ledger/queue/cut_ledger.hpp"
#include "runtime/ledger/queue/queue_version.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

namespace {

constexpr std::int64_t prune_period_ns = 600LL * 1'000'000'000;

}  // namespace

struct queue_state {
  static inline const char* name = "argosy.queue";
  using pointer = traced_pointer<queue_actor, queue_state>;

  explicit queue_state(pointer self_) : self(self_) {}

  queue_actor::behavior_type make_behavior(queue_actor_config cfg);

  /// Applies and appends what was decided. `answer` makes the reply from the position once the
  /// events are durable; a refused decision is answered at once.
  template <class Out, class Reply, class Answer>
  caf::result<Out> commit(ledger::decision<Reply> decided, Answer answer);

  /// Does the same with a caller's command, which is decided only while the log keeps up.
  template <class Out, class Decide, class Answer>
  caf::result<Out> command(Decide decide, Answer answer) {
    if (auto ok = config.load->admit(); !ok) return to_caf(ok.error());
    auto decided = decide();
    if (auto ok = fits_the_log(decided.events); !ok) return to_caf(ok.error());
    return commit<Out>(std::move(decided), std::move(answer));
  }

  [[nodiscard]] ledger::decision<ledger::submit_reply> submit(
      const native::submit_request& request) const;
  [[nodiscard]] caf::result<native::submit_reply_ptr> check(
      const native::submit_request& request) const;

  [[nodiscard]] result<void> fits_the_log(std::vector<model::event>& events) const {
    return codec::check_records(events, config.part_bytes_max, config.record_bytes_max,
                                codec::queue_parts(*core));
  }

  void prune_client_ids();

  using continuation = std::function<void(const result<std::uint64_t>&)>;
  void append(std::vector<model::event> events, std::vector<ledger::queue_effect> effects,
              continuation done);
  void append_part(std::vector<model::event> events, std::vector<ledger::queue_effect> effects,
                   continuation done);
  void appended(const native::append_outcome& outcome);
  void place(const ledger::place_request& part);

  void publish(const ledger::queue_delta& delta, std::uint64_t at);
  void tell_coordinator();
  [[nodiscard]] native::queue_delta_ptr cut(std::uint64_t at);

  void carry_out(const ledger::queue_effect& effect);
  void send_stop(const std::string& cluster, model::stop_run order);
  gang_actor& gang_of(const std::shared_ptr<const model::gang_info>& info,
                      std::vector<ledger::gang_member> members);
  [[nodiscard]] caf::result<std::uint64_t> missing_members(const std::string& gang) const;
  void trace_ends(const native::report_part& part) const;

  [[nodiscard]] native::place_reply_ptr make_orders(const ledger::place_reply& placed,
                                                    std::uint64_t round, std::uint64_t at);
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
  std::optional<probes::queue_share> share;

  std::map<std::string, cluster_actor> clusters;
  std::map<std::string, gang_actor> gangs;
  std::int64_t prune_at = 0;  ///< When client ids are pruned next: Unix time in nanoseconds.
};

queue_actor::behavior_type queue_state::make_behavior(queue_actor_config cfg) {
  config = std::move(cfg);
  core = config.core.get();
  share.emplace(*config.probes);
  share->show(*core);
  position = config.position;
  for (auto& gang : core->gangs()) gang_of(gang.gang, std::move(gang.members));
  core->touch_all();
  publish(core->take_dirty(), position);
  return {
      [this](atom::submit,
             const native::submit_ptr& request) -> caf::result<native::submit_reply_ptr> {
        prune_client_ids();
        if (request->purpose == native::submit_purpose::check) return check(*request);
        return command<native::submit_reply_ptr>(
            [&] { return submit(*request); },
            [](const ledger::submit_reply& reply, auto) {
              return std::make_shared<const ledger::submit_reply>(reply);
            });
      },
      [this](atom::cancel, const native::cancel_request& request) {
        return command<ledger::selection_reply>(
            [&] { return core->cancel(request.jobs, request.requestor, request.reason, now()); },
            [](const ledger::selection_reply& reply, auto) { return reply; });
      },
      [this](atom::reprioritize, const native::reprioritize_request& request) {
        return command<ledger::selection_reply>(
            [&] {
              return core->reprioritize(request.jobs, request.priority, request.requestor, now());
            },
            [](const ledger::selection_reply& reply, auto) { return reply; });
      },
      [this](atom::settings, const native::settings_request& request) {
        return command<atom::ok>(
            [&] { return core->set(request.settings, request.mode, now(), request.expected); },
            [](const auto&, auto) { return atom::ok_v; });
      },
      [this](atom::cordon, bool on) {
        return command<atom::ok>([&] { return core->cordon(on, now()); },
                                 [](const auto&, auto) { return atom::ok_v; });
      },
      [this](atom::erase, ledger::erase_mode mode) {
        return command<atom::ok>([&] { return core->erase(mode, now()); },
                                 [](const auto&, auto) { return atom::ok_v; });
      },
      [this](atom::status) { return status(); },
      [this](atom::status, atom::figures) { return share->figures(*core); },
      [this](atom::place, const native::place_ptr& part) { place(*part); },
      [this](atom::append, const native::append_outcome& outcome) { appended(outcome); },
      [this](atom::report, const native::report_part_ptr& part, const cluster_actor& from) {
        clusters[part->cluster] = from;
        trace_ends(*part);
        return commit<atom::ok>(core->report(part->cluster, part->reports, now()),
                                [](const auto&, auto) { return atom::ok_v; });
      },
      [this](atom::expired, const std::vector<model::run_key>& runs, bool abandoned) {
        return commit<atom::ok>(core->lease_expired(runs, now(), abandoned),
                                [](const auto&, auto) { return atom::ok_v; });
      },
      [this](atom::contact, const model::cluster_name& cluster, const cluster_actor& handle) {
        clusters[cluster.str()] = handle;
      },
      [this](atom::member, const native::gang_report_ptr& report) {
        core->gang_reported(*report);
        publish(core->take_dirty(), position);
      },
      [this](atom::member, const model::gang_name& gang) { return missing_members(gang.str()); },
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

/// Drops client ids that submit() ignores anyhow, so that it does not matter when they go.
void queue_state::prune_client_ids() {
  if (now() < prune_at) return;
  core->prune_client_ids(now());
  prune_at = now() + prune_period_ns;
}

/// A gang is placed as a whole, so that its leases must fit into one record of the log.
ledger::decision<ledger::submit_reply> queue_state::submit(
    const native::submit_request& request) const {
  for (const auto& job : request.jobs)
    if (job->gang && job->gang->cardinality > config.gang_members_max)
      return {
          fail(ec::invalid_argument, "gang '" + job->gang->id + "' has a cardinality of " +
                                         std::to_string(job->gang->cardinality) + "; at most " +
                                         std::to_string(config.gang_members_max) + " are allowed"),
          {},
          {}};
  return core->submit(request.jobs, now());
}

caf::result<native::submit_reply_ptr> queue_state::check(
    const native::submit_request& request) const {
  auto decided = submit(request);
  if (!decided.reply) return to_caf(decided.reply.error());
  if (auto ok = fits_the_log(decided.events); !ok) return to_caf(ok.error());
  return native::submit_reply_ptr{std::make_shared<const ledger::submit_reply>(*decided.reply)};
}

void queue_state::append(std::vector<model::event> events,
                         std::vector<ledger::queue_effect> effects, continuation done) {
  if (events.empty()) {
    // There is nothing to write, but what the answer rests on may still be on its way to the disk.
    if (in_flight.empty()) {
      for (const auto& effect : effects) carry_out(effect);
      done(position);
      return;
    }
    auto& last = in_flight.last();
    last.effects.insert(last.effects.end(), std::make_move_iterator(effects.begin()),
                        std::make_move_iterator(effects.end()));
    last.done.push_back(std::move(done));
    return;
  }
  auto from = events.begin();
  while (from != events.end()) {
    const auto to =
        codec::end_of_part(from, events.end(), config.part_bytes_max, codec::queue_parts(*core));
    const bool last = to == events.end();
    append_part({std::make_move_iterator(from), std::make_move_iterator(to)},
                last ? std::move(effects) : std::vector<ledger::queue_effect>{},
                last ? std::move(done) : continuation{});
    from = to;
  }
}

void queue_state::append_part(std::vector<model::event> events,
                              std::vector<ledger::queue_effect> effects, continuation done) {
  auto request = std::make_shared<native::append_request>();
  request->changes.reserve(3 * events.size());
  for (const auto& event : events) core->apply(event, request->changes);
  request->events = std::move(events);
  pending entry;
  entry.delta = core->take_dirty();
  entry.effects = std::move(effects);
  if (done) entry.done.push_back(std::move(done));
  in_flight.send(self, config.journal, *config.load, std::move(request), std::move(entry));
}

/// The core is ahead of the log by the events that are under way. If the log does not take them,
/// this process does not know the state any more, nor does a caller know what became of the
/// request.
void queue_state::appended(const native::append_outcome& outcome) {
  const auto entry = in_flight.take(outcome, *config.load);
  if (!outcome.position) {
    const auto why = to_string(outcome.position.error());
    for (const auto& done : entry.done)
      done(fail(ec::timeout, "the server stops leading, as it could not write to the log (" + why +
                                 "); whether the request took effect is unknown: try again"));
    self->send(config.root, atom::stand_down_v,
               "queue '" + core->name() + "' could not write to the log: " + why);
    return;
  }
  const auto at = *outcome.position;
  position = std::max(position, at);
  publish(entry.delta, at);
  share->show(*core);
  for (const auto& effect : entry.effects) carry_out(effect);
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
                        make_orders(placed, round, *at));
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

void queue_state::carry_out(const ledger::queue_effect& effect) {
  if (const auto* stop = std::get_if<ledger::stop_order>(&effect)) {
    send_stop(stop->cluster, stop->order);
  } else if (const auto* over = std::get_if<ledger::run_over>(&effect)) {
    if (const auto found = clusters.find(over->cluster); found != clusters.end())
      self->send(found->second, atom::ended_v, over->run, over->failed);
  } else if (const auto* changed = std::get_if<ledger::gang_changed>(&effect)) {
    self->send(gang_of(changed->gang, {}), atom::changed_v,
               std::make_shared<const ledger::gang_changed>(*changed));
    // A later gang may have the same id and must not find this GANG.
    if (changed->last) gangs.erase(changed->gang->id);
  }
}

void queue_state::send_stop(const std::string& cluster, model::stop_run order) {
  const auto found = clusters.find(cluster);
  // ROOT has named every CLUSTER to this QUEUE before there can be anything to stop on it.
  if (found == clusters.end()) return;
  auto orders = std::make_shared<native::queue_orders>();
  orders->queue = core->name();
  orders->stop.push_back(std::move(order));
  self->send(found->second, atom::orders_v, native::queue_orders_ptr{std::move(orders)});
}

gang_actor& queue_state::gang_of(const std::shared_ptr<const model::gang_info>& info,
                                 std::vector<ledger::gang_member> members) {
  auto& gang = gangs[info->id];
  if (!gang) gang = spawn_gang(self->system(), {me(), info, std::move(members), config.probes});
  return gang;
}

caf::result<std::uint64_t> queue_state::missing_members(const std::string& gang) const {
  const auto found = gangs.find(gang);
  if (found == gangs.end()) return std::uint64_t{0};
  return self->delegate(found->second, atom::status_v);
}

/// Records the last step of each job's trace: its queue hears how the run ended.
void queue_state::trace_ends(const native::report_part& part) const {
  for (const auto& report : part.reports)
    if (model::is_final(report.phase))
      native::record(report.trace, {"end",
                                    name,
                                    now(),
                                    now() - report.time_ns,
                                    0,
                                    {{"exit_code", native::exit_code_text(report.outcome)},
                                     {"reason", report.outcome.reason}}});
}

native::place_reply_ptr queue_state::make_orders(const ledger::place_reply& placed,
                                                 std::uint64_t round, std::uint64_t at) {
  auto out = std::make_shared<native::place_reply>();
  out->position = at;
  out->refused = placed.refused.size();
  const auto time = now();
  for (const auto& run : placed.started) {
    auto start = ledger::make_start(*run.header, run.run.number, run.node);
    start.trace =
        native::record(run.header->trace, {"lease",
                                           name,
                                           time,
                                           time - run.header->submitted_ns,
                                           0,
                                           {{"job", to_string(run.run.job)},
                                            {"round", std::to_string(round)},
                                            {"node", model::node_id(run.cluster, run.node)}}});
    out->start[run.cluster].push_back(std::move(start));
  }
  return out;
}

caf::result<native::queue_status_ptr> queue_state::status() const {
  if (!core->exists())
    return to_caf({ec::not_found, "queue '" + core->name() + "' does not exist"});
  auto out = std::make_shared<native::queue_status>();
  out->settings = *core->settings();
  for (const auto state : {model::job_state::queued, model::job_state::leased,
                           model::job_state::pending, model::job_state::running})
    out->live[state] = core->count(state);
  out->totals = core->totals();
  out->active_pools = core->active_pools();
  out->version = ledger::version_of(out->settings);
  return native::queue_status_ptr{std::move(out)};
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
