// SPDX-License-Identifier: Apache-2.0
#include "actors/state/cluster.hpp"

#include <optional>

#include "actors/caf_error.hpp"
#include "actors/state/board_entry.hpp"
#include "actors/state/cluster_agent.hpp"
#include "actors/state/cluster_append.hpp"
#include "actors/state/cluster_log.hpp"
#include "actors/state/cluster_nodes.hpp"
#include "actors/state/cluster_operator.hpp"
#include "actors/state/cluster_queues.hpp"
#include "actors/state/parting.hpp"
#include "runtime/base/check.hpp"
#include "runtime/trace/caf/delayed_send.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

struct cluster_state {
  static inline const char* name = "argosy.cluster";
  using pointer = traced_pointer<cluster_actor, cluster_state>;

  explicit cluster_state(pointer self_) : self(self_) {}

  cluster_actor::behavior_type make_behavior(cluster_actor_config cfg);
  void make_parts(cluster_actor_config cfg);

  caf::result<model::hello_ack> hello(const model::agent_hello& message,
                                      const executor_actor& from);
  caf::result<model::report_ack> report(const model::report_batch& batch);
  void tick(model::timer_generation generation);

  void take(ledger::cluster_step step);
  template <class Reply>
  result<Reply> take(ledger::cluster_answer<Reply> answer);
  void carry_out(std::vector<ledger::cluster_effect> effects);

  void act(const ledger::forward_reports& effect) { queues->act(effect); }
  void act(const ledger::expire_leases& effect) { queues->act(effect); }
  void act(const ledger::preempt_runs& effect) { queues->act(effect); }
  void act(const ledger::send_orders& effect) { agent->act(effect); }
  void act(const ledger::acknowledge& effect) { agent->act(effect); }
  template <class Effect>
  requires requires(const ledger::cluster_core& of, Effect what) { log_contact(of, what); }
  void act(const Effect& effect) {
    log_contact(*core, effect);
    log->recent().take(effect, wall());
    entry->tell();
  }
  void act(const ledger::epoch_seen& effect) {
    self->send(config.root, atom::verify_v, effect.epoch);
  }
  void act(const ledger::retire_cluster&) {
    if (!core->is_forgotten()) log_departure(*core);
    nodes->retire();
    agent->disconnect();
  }
  void act(const ledger::unbind_run& effect) {
    log->recent().take(effect, wall());
    nodes->act(effect);
  }
  /// The NODEs take every effect that is not named here.
  template <class Effect>
  void act(const Effect& effect) {
    nodes->act(effect);
  }

  /// Whether nothing is left of the cluster and nothing is under way.
  [[nodiscard]] bool is_over() const {
    return core->is_unknown() && log->empty() && nodes->empty() && agent->unanswered() == 0;
  }
  [[nodiscard]] metrics::figure_list figures() const;
  [[nodiscard]] boot_time boot() const { return config.clock->boot(); }
  [[nodiscard]] std::int64_t wall() const { return to_nanos(config.clock->wall()); }

  pointer self;
  cluster_actor_config config;
  ledger::cluster_core* core = nullptr;
  std::optional<board_entry> entry;
  std::optional<cluster_agent> agent;
  std::optional<cluster_nodes> nodes;
  std::optional<cluster_queues> queues;
  std::optional<cluster_operator> operators;
  std::optional<parting> end;
  std::optional<cluster_append> log;
  std::uint64_t refusals = 0;  ///< How many hellos were refused.
};

namespace {

caf::result<atom::ok> done(const result<bool>& reply) {
  if (!reply) return to_caf(reply.error());
  return atom::ok_v;
}

}  // namespace

void cluster_state::make_parts(cluster_actor_config cfg) {
  config = std::move(cfg);
  core = config.core.get();
  log.emplace(self, config.core,
              open_appends<std::vector<cluster_append::continuation>>{
                  "cluster '" + core->name() + "'", config.journal, config.root, config.load},
              config.part_bytes_max, ledger::recent_events{*core, wall()});
  entry.emplace(*core, config.contacts, *config.clock);
  agent.emplace(self, core->name(), config.request_timeout);
  nodes.emplace(
      self, config.core,
      node_actor_config{core->name(), core->info().pool, config.node_rules, config.coordinator,
                        config.clock, config.probes, caf::actor_cast<cluster_actor>(self)},
      config.request_timeout);
  queues.emplace(self, config.core, directory{config.root, config.request_timeout},
                 config.request_timeout, config.preemptible_classes,
                 [this](ledger::cluster_step step) { take(std::move(step)); });
  const auto farewell = [this](const auto& to) {
    return say_goodbye<cluster_actor>(self, to, config.request_timeout, core->name());
  };
  end.emplace(parting::rules{[this] { return is_over(); }, config.unknown_max},
              std::vector{farewell(config.root), farewell(config.coordinator)},
              [this] { self->quit(); });
  operators.emplace(self, config.core,
                    cluster_operator::parts{*agent, *nodes, *log, *entry, *config.clock},
                    [this](auto effects) { carry_out(std::move(effects)); });
}

cluster_actor::behavior_type cluster_state::make_behavior(cluster_actor_config cfg) {
  make_parts(std::move(cfg));
  self->set_down_handler([this](const caf::down_msg& down) { nodes->ended(down.source); });
  take(core->lead(config.by, boot()));
  entry->tell();
  self->send(config.coordinator, atom::contact_v, core->name(),
             caf::actor_cast<cluster_actor>(self));
  trace::tick_send(self, self, config.tick_period, atom::tick_v, model::timer_generation{1});
  return {
      [this](atom::hello, const native::hello_ptr& message, const executor_actor& from) {
        return hello(*message, from);
      },
      [this](atom::heartbeat, const model::agent_heartbeat& message) {
        auto done = core->heartbeat(message, boot());
        if (done.reply) entry->heard();
        return to_caf(take(std::move(done)));
      },
      [this](atom::report, const native::report_ptr& batch) { return report(*batch); },
      [this](atom::nodes, const native::nodes_ptr& message) {
        return done(take(core->nodes(*message, wall(), boot())));
      },
      [this](atom::goodbye, const model::agent_goodbye& message) {
        const auto reply = take(core->goodbye(message, wall(), boot()));
        if (reply) log_goodbye(*core, message.reason);
        entry->tell();
        return done(reply);
      },
      [this](atom::erase, const std::string& reason) { return operators->forget(reason); },
      [this](atom::release, const model::node_name& node, const std::string& reason) {
        return operators->release(node, reason);
      },
      [this](atom::health, const model::node_name& node, const model::quarantine& what) {
        log->recent().take(node, what, wall());
      },
      [this](atom::events, const model::node_name& node, std::uint32_t limit) {
        return operators->events(node, limit);
      },
      [this](atom::cordon, const model::cordon_changed& wanted) {
        return operators->cordon(wanted);
      },
      [this](atom::drain, const ledger::drain_request& wanted) { return operators->drain(wanted); },
      [this](atom::drain, atom::cancel, const model::node_name& node, const std::string& by) {
        return operators->stop_drain(node, by);
      },
      [this](atom::append, const native::append_outcome& outcome) { log->appended(outcome); },
      [this](atom::orders, const native::queue_orders_ptr& wanted) {
        if (!wanted->start.empty()) take(core->start(wanted->start, boot()));
        if (!wanted->stop.empty()) take(core->stop(wanted->stop, boot()));
      },
      [this](atom::ended, const model::run_key& run, ledger::run_verdict verdict) {
        take(core->run_over(run, verdict, wall(), boot()));
      },
      [this](atom::settings, std::chrono::nanoseconds kept) { core->keep_left_for(kept); },
      [this](atom::claim, model::epoch raised) { core->raise_epoch(raised); },
      [this](atom::tick, model::timer_generation generation) { tick(generation); },
      [this](atom::read_log, const model::log_request& request) {
        return agent->read_log(request);
      },
      [this](atom::list, const model::node_name& after, std::uint32_t limit) {
        return nodes->list(after, limit);
      },
      [this](atom::status, const model::node_name& node) { return nodes->status(node); },
      [this](atom::status) { return entry->status(); },
      [this](atom::status, atom::figures) { return figures(); },
  };
}

caf::result<model::hello_ack> cluster_state::hello(const model::agent_hello& message,
                                                   const executor_actor& from) {
  if (end->begun())
    return to_caf({ec::unavailable, "the server lets go of this cluster just now; try again"});
  end->postpone();
  // A new cluster can wait for room in the log; one that has joined renews its leases by this.
  if (core->contact() == ledger::contact_state::gone)
    if (auto ok = config.load->admit(); !ok) return to_caf(ok.error());
  const auto incarnation = core->info().incarnation;
  auto done = core->hello(message, wall(), boot());
  if (!done.reply) {
    const auto refused = take(std::move(done));
    ++refusals;
    log_refusal(core->name(), message, refused.error());
    return to_caf(refused.error());
  }
  if (done.reply->begin_anew) {
    log_new_life(core->name(), message);
    return *done.reply;
  }
  if (done.reply->incarnation != incarnation) {
    agent->refuse_reports(done.reply->incarnation);
    log_successor(*core, incarnation, done.reply->incarnation);
  }
  agent->connect(from);
  entry->heard();
  auto promise = self->make_response_promise<caf::typed_response_promise<model::hello_ack>>();
  log->append(std::move(done.events),
              [promise, reply = *done.reply](const result<void>& kept) mutable {
                // This is the error whatever the log gave: an agent takes ec::conflict for the end
                // of its incarnation.
                if (kept)
                  promise.deliver(reply);
                else
                  promise.deliver(to_caf({ec::unavailable, kept.error().detail}));
              });
  carry_out(std::move(done.effects));
  return promise;
}

caf::result<model::report_ack> cluster_state::report(const model::report_batch& batch) {
  auto done = core->reports(batch, boot());
  if (!done.reply) return to_caf(done.reply.error());
  entry->heard();
  auto answer = agent->answer_later(*done.reply);
  log->append(std::move(done.events));
  carry_out(std::move(done.effects));
  return answer;
}

void cluster_state::tick(model::timer_generation generation) {
  take(core->tick(wall(), boot()));
  entry->tell();
  end->look(boot());
  trace::tick_send(self, self, config.tick_period, atom::tick_v, generation.next());
}

void cluster_state::take(ledger::cluster_step step) {
  log->append(std::move(step.events));
  carry_out(std::move(step.effects));
}

template <class Reply>
result<Reply> cluster_state::take(ledger::cluster_answer<Reply> answer) {
  log->append(std::move(answer.events));
  carry_out(std::move(answer.effects));
  return std::move(answer.reply);
}

void cluster_state::carry_out(std::vector<ledger::cluster_effect> effects) {
  for (const auto& effect : effects) std::visit([this](const auto& what) { act(what); }, effect);
}

metrics::figure_list cluster_state::figures() const {
  return {{"cluster", core->name()},
          {"state", native::to_string(core->contact())},
          {"nodes", static_cast<double>(core->node_infos().size())},
          {"runs", static_cast<double>(core->run_count())},
          {"refused_hellos", static_cast<double>(refusals)},
          {"unanswered_reports", static_cast<double>(agent->unanswered())}};
}

result<void> validate(const cluster_actor_config& config) {
  if (!config.core || !config.root || !config.journal || !config.coordinator || !config.load ||
      !config.contacts || config.clock == nullptr)
    return fail(ec::invalid_argument, "a cluster needs all its neighbours, a core and a clock");
  if (config.by.epoch.is_zero())
    return fail(ec::invalid_argument, "a cluster needs the leader's epoch");
  return {};
}

namespace {

cluster_actor::behavior_type cluster_behavior(traced_pointer<cluster_actor, cluster_state> self,
                                              cluster_actor_config config) {
  return self->state.make_behavior(std::move(config));
}

}  // namespace

cluster_actor spawn_cluster(caf::actor_system& system, cluster_actor_config config) {
  ARGOSY_CHECK(validate(config).has_value());
  return spawn_actor(system, run_on::pool, cluster_behavior, std::move(config));
}

}  // namespace argosy::actors
