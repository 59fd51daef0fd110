// SPDX-License-Identifier: Apache-2.0
#include "actors/queue.hpp"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>

#include "actors/caf_error.hpp"
#include "actors/gang.hpp"
#include "actors/job_trace.hpp"
#include "messages/codec/log_codec.hpp"
#include "runtime/base/check.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

namespace {

constexpr std::int64_t prune_period_ns = 600LL * 1'000'000'000;

/// After this many bytes a decision goes on in another record, at the next event that belongs to no
/// gang.
constexpr std::size_t part_bytes_max = 2 * 1024 * 1024;

}  // namespace

struct queue_state {
  static inline const char* name = "argosy.queue";
  using pointer = traced_pointer<queue_actor, queue_state>;

  explicit queue_state(pointer self_) : self(self_) {}

  queue_actor::behavior_type make_behavior(queue_actor_config cfg);

  /// Applies and appends what was decided. `answer` makes the reply once it is durable, given the
  /// position; a refused decision is answered at once.
  template <class Out, class Reply, class Answer>
  caf::result<Out> commit(ledger::decision<Reply> decided, Answer answer);

  [[nodiscard]] ledger::decision<ledger::submit_reply> submit(
      const native::submit_request& request) const;

  void prune_client_ids();

  using continuation = std::function<void(const result<std::uint64_t>&)>;
  void append(std::vector<model::event> events, std::vector<ledger::queue_effect> effects,
              continuation done);
  using event_iterator = std::vector<model::event>::iterator;
  [[nodiscard]] event_iterator end_of_part(event_iterator from, event_iterator end) const;
  void append_part(std::vector<model::event> events, std::vector<ledger::queue_effect> effects,
                   continuation done);
  void appended(const result<std::uint64_t>& outcome);

  void publish(const ledger::queue_delta& delta, std::uint64_t at);
  void mark_dirty();
  [[nodiscard]] native::queue_delta_ptr cut(std::uint64_t at);

  void carry_out(const ledger::queue_effect& effect);
  void send_stop(const std::string& cluster, model::stop_run order);
  template <class Atom>
  void tell_gang(Atom what, const std::string& gang, const std::vector<ulid>& jobs);
  void join_gang(const model::gang_info& info, std::vector<ledger::gang_member> members,
                 const std::vector<ulid>& joined);
  void leave_gang(const std::string& gang, const std::vector<ulid>& jobs);
  void count_ended(const ledger::change_list& changes);
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
  std::deque<pending> in_flight;
  std::uint64_t position = 0;  ///< Of the last commit that this queue heard of.

  /// Committed, but not in any cut yet: the newest state of each job, and since which position.
  struct unread_job {
    std::uint64_t position = 0;
    std::optional<ledger::job_upsert> set;  ///< Nothing: removed.
  };
  absl::flat_hash_map<ulid, unread_job> unread;
  bool told_coordinator = false;

  std::map<std::string, cluster_actor> clusters;
  /// A GANG ends with its last member; counted here as well, since a later gang may have its id.
  struct gang_entry {
    gang_actor handle;
    std::size_t members = 0;
  };
  std::map<std::string, gang_entry> gangs;
  std::map<model::job_state, std::uint64_t> ended;
  std::uint64_t usage_cpu_ms = 0;
  std::int64_t prune_at = 0;  ///< Unix time, in nanoseconds.
};

queue_actor::behavior_type queue_state::make_behavior(queue_actor_config cfg) {
  config = std::move(cfg);
  core = config.core.get();
  position = config.position;
  for (const auto& gang : core->gangs()) join_gang(*gang.gang, gang.members, {});
  core->touch_all();
  publish(core->take_dirty(), position);
  return {
      [this](atom::submit, const native::submit_ptr& request) {
        prune_client_ids();
        return commit<native::submit_reply_ptr>(
            submit(*request), [](const ledger::submit_reply& reply, auto) {
              return std::make_shared<const ledger::submit_reply>(reply);
            });
      },
      [this](atom::cancel, const native::cancel_request& request) {
        return commit<ledger::selection_reply>(
            core->cancel(request.jobs, request.requestor, request.reason, now()),
            [](const ledger::selection_reply& reply, auto) { return reply; });
      },
      [this](atom::reprioritize, const native::reprioritize_request& request) {
        return commit<ledger::selection_reply>(
            core->reprioritize(request.jobs, request.priority, request.requestor, now()),
            [](const ledger::selection_reply& reply, auto) { return reply; });
      },
      [this](atom::settings, const native::settings_request& request) {
        return commit<atom::ok>(core->set(request.settings, request.mode, now()),
                                [](const auto&, auto) { return atom::ok_v; });
      },
      [this](atom::cordon, bool on) {
        return commit<atom::ok>(core->cordon(on, now()),
                                [](const auto&, auto) { return atom::ok_v; });
      },
      [this](atom::erase, bool lenient) {
        return commit<atom::ok>(core->erase(lenient, now()),
                                [](const auto&, auto) { return atom::ok_v; });
      },
      [this](atom::status) { return status(); },
      [this](atom::place, const native::place_ptr& part) {
        return commit<native::place_reply_ptr>(
            core->place(*part, now()),
            [this, round = part->round](const ledger::place_reply& reply, std::uint64_t at) {
              return make_orders(reply, round, at);
            });
      },
      [this](atom::report, const native::report_part_ptr& part, const cluster_actor& from) {
        clusters[part->cluster] = from;
        trace_ends(*part);
        return commit<atom::ok>(core->report(part->cluster, part->reports, now()),
                                [](const auto&, auto) { return atom::ok_v; });
      },
      [this](atom::expired, const std::vector<model::run_key>& runs) {
        return commit<atom::ok>(core->lease_expired(runs, now()),
                                [](const auto&, auto) { return atom::ok_v; });
      },
      [this](atom::contact, const std::string& cluster, const cluster_actor& handle) {
        clusters[cluster] = handle;
      },
      [this](atom::ready, const std::string& gang) {
        core->gang_ready(gang);
        publish(core->take_dirty(), position);
      },
      [this](atom::cut, std::uint64_t at) { return cut(at); },
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

/// Client ids that submit() ignores anyhow, so that when they go makes no difference.
void queue_state::prune_client_ids() {
  if (now() < prune_at) return;
  core->prune_client_ids(now());
  prune_at = now() + prune_period_ns;
}

/// A submission is accepted whole, so it must fit into one record of the log.
ledger::decision<ledger::submit_reply> queue_state::submit(
    const native::submit_request& request) const {
  auto decided = core->submit(request.jobs, now());
  std::size_t bytes = 0;
  for (const auto& event : decided.events) bytes += codec::size_hint(event);
  if (bytes > config.submit_bytes_max) {
    decided = {};
    decided.reply =
        fail(ec::too_large,
             "the request takes " + std::to_string(bytes) + " bytes in the log; at most " +
                 std::to_string(config.submit_bytes_max) + " are allowed: divide it");
  }
  return decided;
}

void queue_state::append(std::vector<model::event> events,
                         std::vector<ledger::queue_effect> effects, continuation done) {
  if (events.empty()) {
    // Nothing to write; but what the answer rests on may still be on its way to the disk.
    if (in_flight.empty()) {
      for (const auto& effect : effects) carry_out(effect);
      done(position);
      return;
    }
    auto& last = in_flight.back();
    last.effects.insert(last.effects.end(), std::make_move_iterator(effects.begin()),
                        std::make_move_iterator(effects.end()));
    last.done.push_back(std::move(done));
    return;
  }
  auto from = events.begin();
  while (from != events.end()) {
    const auto to = end_of_part(from, events.end());
    const bool last = to == events.end();
    append_part({std::make_move_iterator(from), std::make_move_iterator(to)},
                last ? std::move(effects) : std::vector<ledger::queue_effect>{},
                last ? std::move(done) : continuation{});
    from = to;
  }
}

/// A decision of many events goes into several records of the log, each small enough for it. A
/// submission is one event after the other of one kind, and stays whole: see submit().
queue_state::event_iterator queue_state::end_of_part(event_iterator from,
                                                     event_iterator end) const {
  if (std::holds_alternative<model::job_submitted>(from->payload)) return end;
  std::size_t bytes = 0;
  for (auto at = from; at != end; ++at) {
    const auto* job = core->find(model::job_of(*at));
    const bool in_gang = job != nullptr && job->header->gang != nullptr;
    if (bytes > part_bytes_max && !in_gang) return at;
    bytes += codec::size_hint(*at);
  }
  return end;
}

void queue_state::append_part(std::vector<model::event> events,
                              std::vector<ledger::queue_effect> effects, continuation done) {
  auto request = std::make_shared<native::append_request>();
  request->changes.reserve(3 * events.size());
  for (const auto& event : events) core->apply(event, request->changes);
  request->events = std::move(events);
  count_ended(request->changes);
  auto& entry = in_flight.emplace_back();
  entry.delta = core->take_dirty();
  entry.effects = std::move(effects);
  if (done) entry.done.push_back(std::move(done));
  self->request(config.journal, config.append_timeout, atom::append_v,
                native::append_ptr{std::move(request)})
      .then([this](const native::append_ack& ack) { appended(ack.position); },
            [this](const caf::error& err) { appended(fail(from_caf(err))); });
}

/// The JOURNAL answers in the order of the appends.
void queue_state::appended(const result<std::uint64_t>& outcome) {
  auto entry = std::move(in_flight.front());
  in_flight.pop_front();
  if (outcome) {
    position = std::max(position, *outcome);
    publish(entry.delta, *outcome);
    for (const auto& effect : entry.effects) carry_out(effect);
  }
  for (const auto& done : entry.done) done(outcome);
}

void queue_state::publish(const ledger::queue_delta& delta, std::uint64_t at) {
  for (const auto& job : delta.set) unread[job.header->id] = {at, job};
  for (const auto& job : delta.removed) unread[job] = {at, {}};
  if (delta.queue_changed || !delta.set.empty() || !delta.removed.empty()) mark_dirty();
}

void queue_state::mark_dirty() {
  if (told_coordinator) return;
  told_coordinator = true;
  self->send(config.coordinator, atom::dirty_v, me());
}

native::queue_delta_ptr queue_state::cut(std::uint64_t at) {
  auto out = std::make_shared<native::queue_delta>();
  out->queue = core->name();
  out->exists = core->exists();
  if (out->exists) out->settings = *core->settings();
  absl::erase_if(unread, [&](auto& item) {
    auto& [id, job] = item;
    if (job.position > at) return false;
    if (job.set)
      out->set.push_back(std::move(*job.set));
    else
      out->removed.push_back(id);
    return true;
  });
  told_coordinator = false;
  if (!unread.empty()) mark_dirty();
  return out;
}

void queue_state::carry_out(const ledger::queue_effect& effect) {
  if (const auto* stop = std::get_if<ledger::stop_order>(&effect)) {
    send_stop(stop->cluster, stop->order);
  } else if (const auto* over = std::get_if<ledger::run_over>(&effect)) {
    if (const auto found = clusters.find(over->cluster); found != clusters.end())
      self->send(found->second, atom::ended_v, over->run, over->failed);
  } else if (const auto* joined = std::get_if<ledger::gang_joined>(&effect)) {
    join_gang(*joined->gang, {}, joined->jobs);
  } else if (const auto* started = std::get_if<ledger::gang_started>(&effect)) {
    tell_gang(atom::started_v, started->gang, started->jobs);
  } else if (const auto* requeued = std::get_if<ledger::gang_requeued>(&effect)) {
    tell_gang(atom::requeued_v, requeued->gang, requeued->jobs);
  } else if (const auto* left = std::get_if<ledger::gang_ended>(&effect)) {
    leave_gang(left->gang, left->jobs);
  }
}

void queue_state::send_stop(const std::string& cluster, model::stop_run order) {
  const auto found = clusters.find(cluster);
  if (found == clusters.end()) return;  // It asks for what it should run when it comes back.
  auto orders = std::make_shared<native::queue_orders>();
  orders->queue = core->name();
  orders->stop.push_back(std::move(order));
  self->send(found->second, atom::orders_v, native::queue_orders_ptr{std::move(orders)});
}

template <class Atom>
void queue_state::tell_gang(Atom what, const std::string& gang, const std::vector<ulid>& jobs) {
  if (const auto found = gangs.find(gang); found != gangs.end())
    self->send(found->second.handle, what, jobs);
}

void queue_state::join_gang(const model::gang_info& info, std::vector<ledger::gang_member> members,
                            const std::vector<ulid>& joined) {
  auto& gang = gangs[info.id];
  gang.members += members.size() + joined.size();
  if (!gang.handle) gang.handle = spawn_gang(self->system(), {me(), info, std::move(members)});
  if (!joined.empty()) self->send(gang.handle, atom::member_v, joined);
}

void queue_state::leave_gang(const std::string& gang, const std::vector<ulid>& jobs) {
  const auto found = gangs.find(gang);
  if (found == gangs.end()) return;
  self->send(found->second.handle, atom::ended_v, jobs);
  found->second.members -= std::min(found->second.members, jobs.size());
  if (found->second.members == 0) gangs.erase(found);
}

void queue_state::count_ended(const ledger::change_list& changes) {
  for (const auto& change : changes) {
    const auto* put = std::get_if<ledger::put_job>(&change);
    if (put == nullptr || !model::is_terminal(put->record.state)) continue;
    ++ended[put->record.state];
    if (put->record.runs.empty()) continue;
    const auto& run = put->record.runs.back();
    for (const auto& [resource, amount] : put->record.header->shape->requests)
      if (resource == "cpu" && run.started_ns > 0 && run.finished_ns > run.started_ns)
        usage_cpu_ms += static_cast<std::uint64_t>(amount) *
                        static_cast<std::uint64_t>(run.finished_ns - run.started_ns) /
                        1'000'000'000;
  }
}

/// The last step of each job's story: its queue hears how the run ended.
void queue_state::trace_ends(const native::report_part& part) const {
  for (const auto& report : part.reports)
    if (model::is_final(report.phase))
      record(report.trace,
             {"end",
              name,
              now(),
              now() - report.time_ns,
              0,
              {{"exit_code", exit_code_text(report.outcome)}, {"reason", report.outcome.reason}}});
}

native::place_reply_ptr queue_state::make_orders(const ledger::place_reply& placed,
                                                 std::uint64_t round, std::uint64_t at) {
  auto out = std::make_shared<native::place_reply>();
  out->position = at;
  out->refused = placed.refused.size();
  const auto time = now();
  for (const auto& run : placed.started) {
    auto start = ledger::make_start(*run.header, run.run.number, run.node);
    start.trace = record(run.header->trace, {"lease",
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
  out->ended = ended;
  out->usage_cpu_ms = usage_cpu_ms;
  return native::queue_status_ptr{std::move(out)};
}

result<void> validate(const queue_actor_config& config) {
  if (!config.core || !config.journal || !config.coordinator || config.clock == nullptr)
    return fail(ec::invalid_argument, "a queue needs a core, a journal, a coordinator and a clock");
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
