// SPDX-License-Identifier: Apache-2.0
#include "actors/state/cluster.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "actors/caf_error.hpp"
#include "actors/directory.hpp"
#include "actors/state/cluster_log.hpp"
#include "actors/state/node.hpp"
#include "actors/state/open_appends.hpp"
#include "messages/codec/log/record_parts.hpp"
#include "runtime/base/check.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/trace/caf/delayed_send.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

struct cluster_state {
  static inline const logging::logger logger{"cluster"};

  static inline const char* name = "argosy.cluster";
  using pointer = traced_pointer<cluster_actor, cluster_state>;
  using report_promise = caf::typed_response_promise<model::report_ack>;
  using list_promise = caf::typed_response_promise<native::node_status_list>;
  using append_done = std::function<void(const result<void>&)>;

  explicit cluster_state(pointer self_) : self(self_) {}

  cluster_actor::behavior_type make_behavior(cluster_actor_config cfg);

  caf::result<model::hello_ack> hello(const model::agent_hello& message,
                                      const executor_actor& from);
  /// Refuses the reports that the older incarnation still waits for, and logs the newer one.
  void superseded(std::uint64_t older, std::uint64_t newer);
  caf::result<model::report_ack> report(const model::report_batch& batch);
  void orders(const native::queue_orders& wanted);
  void tick(model::timer_generation generation);
  caf::result<native::node_status_list> list(const std::string& after, std::uint32_t limit);
  [[nodiscard]] native::cluster_status status() const;
  [[nodiscard]] metrics::figure_list figures() const;

  /// Applies and appends events, then calls `done` when they and all earlier ones are durable.
  void append(std::vector<model::event> events, append_done done = {});
  void appended(const native::append_outcome& outcome);
  void take(ledger::cluster_step step);
  void carry_out(std::vector<ledger::cluster_effect> effects);

  void act(const ledger::send_orders& effect);
  void act(const ledger::forward_reports& effect);
  void act(const ledger::acknowledge& effect);
  void act(const ledger::set_nodes& effect);
  void act(const ledger::remove_nodes& effect);
  void act(const ledger::bind_run& effect);
  void act(const ledger::unbind_run& effect);
  void act(const ledger::set_contact& effect);
  void act(const ledger::contact_changed& effect);
  void act(const ledger::expire_leases& effect);
  void act(const ledger::deposed& effect);
  void act(const ledger::retire_cluster& effect);
  void node_down(const caf::down_msg& down);

  /// An agent of this incarnation was heard just now.
  void heard();
  void tell_board() const;

  /// Calls back with the QUEUE's handle. ec::not_found: there is no such queue.
  void with_queue(const std::string& queue, std::function<void(const result<queue_actor>&)> use);
  void forward(const queue_actor& to, const native::report_part_ptr& part,
               std::uint64_t incarnation, const std::vector<std::uint64_t>& sequences);

  [[nodiscard]] boot_time boot() const { return config.clock->boot(); }
  [[nodiscard]] std::int64_t wall() const { return to_nanos(config.clock->wall()); }
  [[nodiscard]] cluster_actor me() const { return caf::actor_cast<cluster_actor>(self); }

  pointer self;
  cluster_actor_config config;
  ledger::cluster_core* core = nullptr;
  executor_actor executor;
  /// The NODEs by name, also of nodes that have left but still have runs.
  std::map<std::string, node_actor> nodes;
  std::optional<directory> actors;
  /// Reports that are not answered yet, by ticket.
  std::multimap<std::uint64_t, report_promise> unanswered;
  open_appends<std::vector<append_done>> in_flight;
  std::int64_t last_heard_ns = 0;
};

namespace {

template <class Out, class Reply>
caf::result<Out> answer(const result<Reply>& reply, Out value) {
  if (!reply) return to_caf(reply.error());
  return value;
}

}  // namespace

cluster_actor::behavior_type cluster_state::make_behavior(cluster_actor_config cfg) {
  config = std::move(cfg);
  actors.emplace(config.root, config.request_timeout);
  core = config.core.get();
  self->set_down_handler([this](const caf::down_msg& down) { node_down(down); });
  take(core->lead(config.epoch, boot()));
  tell_board();
  self->send(config.coordinator, atom::contact_v, model::cluster_name{core->name()}, me());
  trace::tick_send(self, self, config.tick_period, atom::tick_v, model::timer_generation{1});
  return {
      [this](atom::hello, const native::hello_ptr& message, const executor_actor& from) {
        return hello(*message, from);
      },
      [this](atom::heartbeat, const model::agent_heartbeat& message) {
        auto done = core->heartbeat(message, boot());
        if (done.reply) heard();
        append(std::move(done.events));
        carry_out(std::move(done.effects));
        if (!done.reply) return caf::result<model::heartbeat_ack>{to_caf(done.reply.error())};
        return caf::result<model::heartbeat_ack>{*done.reply};
      },
      [this](atom::report, const native::report_ptr& batch) { return report(*batch); },
      [this](atom::nodes, const native::nodes_ptr& message) {
        auto done = core->nodes(*message, wall(), boot());
        append(std::move(done.events));
        carry_out(std::move(done.effects));
        return answer(done.reply, atom::ok_v);
      },
      [this](atom::goodbye, const model::agent_goodbye& message) {
        auto done = core->goodbye(message, wall(), boot());
        append(std::move(done.events));
        carry_out(std::move(done.effects));
        if (done.reply) log_goodbye(*core, message.reason);
        tell_board();
        return answer(done.reply, atom::ok_v);
      },
      [this](atom::append, const native::append_outcome& outcome) { appended(outcome); },
      [this](atom::orders, const native::queue_orders_ptr& wanted) { orders(*wanted); },
      [this](atom::ended, const model::run_key& run, bool failed) {
        take(core->run_over(run, failed, wall(), boot()));
      },
      [this](atom::tick, model::timer_generation generation) { tick(generation); },
      [this](atom::read_log,
             const model::log_request& request) -> caf::result<native::log_chunk_ptr> {
        if (!executor)
          return to_caf({ec::unavailable, "cluster '" + core->name() + "' is not connected"});
        return self->delegate(executor, atom::read_log_v, request);
      },
      [this](atom::list, const model::node_name& after, std::uint32_t limit) {
        return list(after.str(), limit);
      },
      [this](atom::status) { return status(); },
      [this](atom::status, atom::figures) { return figures(); },
  };
}

caf::result<model::hello_ack> cluster_state::hello(const model::agent_hello& message,
                                                   const executor_actor& from) {
  // A new cluster can wait for room in the log. One that has joined before renews its leases by
  // this hello.
  if (core->contact() == ledger::contact_state::gone)
    if (auto ok = config.load->admit(); !ok) return to_caf(ok.error());
  const auto incarnation = core->info().incarnation;
  auto done = core->hello(message, wall(), boot());
  if (!done.reply) {
    append(std::move(done.events));
    carry_out(std::move(done.effects));
    log_refusal(core->name(), message, done.reply.error());
    return to_caf(done.reply.error());
  }
  if (message.cluster.incarnation != incarnation)
    superseded(incarnation, message.cluster.incarnation);
  executor = from;
  heard();
  auto promise = self->make_response_promise<caf::typed_response_promise<model::hello_ack>>();
  append(std::move(done.events), [promise, reply = *done.reply](const result<void>& kept) mutable {
    // This is the error whatever the log gave: an agent takes ec::conflict for the end of its
    // incarnation.
    if (kept)
      promise.deliver(reply);
    else
      promise.deliver(to_caf({ec::unavailable, kept.error().detail}));
  });
  carry_out(std::move(done.effects));
  return promise;
}

void cluster_state::superseded(std::uint64_t older, std::uint64_t newer) {
  for (auto& [ticket, promise] : unanswered)
    promise.deliver(to_caf({ec::conflict, "cluster '" + core->name() + "' is at incarnation " +
                                              std::to_string(newer)}));
  unanswered.clear();
  log_successor(*core, older, newer);
}

void cluster_state::heard() {
  last_heard_ns = wall();
  tell_board();
}

void cluster_state::tell_board() const {
  config.contacts->put(core->name(),
                       {core->info().pool, core->contact(), last_heard_ns, core->last_contact(),
                        static_cast<std::uint32_t>(core->node_infos().size()),
                        static_cast<std::uint32_t>(core->run_count())});
}

caf::result<model::report_ack> cluster_state::report(const model::report_batch& batch) {
  auto done = core->reports(batch, boot());
  if (!done.reply) return to_caf(done.reply.error());
  heard();
  auto promise = self->make_response_promise<report_promise>();
  unanswered.emplace(*done.reply, promise);
  append(std::move(done.events));
  carry_out(std::move(done.effects));
  return promise;
}

void cluster_state::orders(const native::queue_orders& wanted) {
  if (!wanted.start.empty()) take(core->start(wanted.start, boot()));
  if (!wanted.stop.empty()) take(core->stop(wanted.stop, boot()));
}

void cluster_state::tick(model::timer_generation generation) {
  take(core->tick(wall(), boot()));
  tell_board();
  trace::tick_send(self, self, config.tick_period, atom::tick_v, generation.next());
}

void cluster_state::append(std::vector<model::event> events, append_done done) {
  if (events.empty() && done) {
    if (in_flight.empty())
      done({});
    else
      in_flight.last().push_back(std::move(done));
  }
  const auto anywhere = [](const model::event&, const model::event&) { return true; };
  for (auto from = events.begin(); from != events.end();) {
    const auto to = codec::end_of_part(from, events.end(), config.part_bytes_max, anywhere);
    auto request = std::make_shared<native::append_request>();
    request->events.assign(std::make_move_iterator(from), std::make_move_iterator(to));
    for (const auto& event : request->events) {
      auto changes = core->apply(event);
      std::move(changes.begin(), changes.end(), std::back_inserter(request->changes));
    }
    std::vector<append_done> waiting;
    if (to == events.end() && done) waiting.push_back(std::move(done));
    in_flight.send(self, config.journal, *config.load, std::move(request), std::move(waiting));
    from = to;
  }
}

/// The core is ahead of the log by the events that are under way. If the log does not take them,
/// this process must not go on.
void cluster_state::appended(const native::append_outcome& outcome) {
  const auto waiting = in_flight.take(outcome, *config.load);
  if (!outcome.position)
    self->send(config.root, atom::stand_down_v,
               "cluster '" + core->name() +
                   "' could not write to the log: " + to_string(outcome.position.error()));
  for (const auto& done : waiting)
    if (outcome.position)
      done({});
    else
      done(fail(outcome.position.error()));
}

void cluster_state::take(ledger::cluster_step step) {
  append(std::move(step.events));
  carry_out(std::move(step.effects));
}

void cluster_state::carry_out(std::vector<ledger::cluster_effect> effects) {
  for (const auto& effect : effects) std::visit([this](const auto& what) { act(what); }, effect);
}

void cluster_state::act(const ledger::send_orders& effect) {
  if (!executor) return;  // Orders are sent again when the agent says hello.
  self->request(executor, config.request_timeout, atom::orders_v,
                std::make_shared<const model::agent_orders>(effect.orders))
      .then([](atom::ok) {},
            [this](const caf::error& err) {
              logger.warning("orders did not arrive", logging::kv("cluster", core->name()),
                             logging::kv("error", to_string(from_caf(err))));
            });
}

void cluster_state::act(const ledger::forward_reports& effect) {
  auto part = std::make_shared<native::report_part>();
  part->cluster = core->name();
  part->reports = effect.reports;
  std::vector<std::uint64_t> sequences;
  for (const auto& one : effect.reports)
    if (one.sequence > 0) sequences.push_back(one.sequence);
  with_queue(effect.queue, [this, part, incarnation = effect.incarnation,
                            sequences](const result<queue_actor>& queue) {
    // Without its queue nobody waits for the report any more.
    if (queue)
      forward(*queue, part, incarnation, sequences);
    else if (queue.error().code == ec::not_found)
      take(core->committed(incarnation, sequences));
    else
      core->not_committed(incarnation, sequences);
  });
}

void cluster_state::forward(const queue_actor& to, const native::report_part_ptr& part,
                            std::uint64_t incarnation,
                            const std::vector<std::uint64_t>& sequences) {
  self->request(to, config.request_timeout, atom::report_v, part, me())
      .then([this, incarnation,
             sequences](atom::ok) { take(core->committed(incarnation, sequences)); },
            [this, incarnation, sequences](const caf::error& err) {
              logger.warning("reports were not committed", logging::kv("cluster", core->name()),
                             logging::kv("error", to_string(from_caf(err))));
              core->not_committed(incarnation, sequences);
            });
}

void cluster_state::act(const ledger::acknowledge& effect) {
  const auto end = unanswered.upper_bound(effect.ack.committed_sequence);
  for (auto it = unanswered.begin(); it != end; ++it) it->second.deliver(effect.ack);
  unanswered.erase(unanswered.begin(), end);
}

void cluster_state::act(const ledger::set_nodes& effect) {
  for (const auto& info : effect.nodes) {
    auto& handle = nodes[info.name];
    if (!handle) {
      handle = spawn_node(self->system(), {core->name(), core->info().pool, config.node_rules,
                                           config.coordinator, config.clock, config.probes});
      self->monitor(handle);
    }
    self->send(handle, atom::nodes_v, model::pool_name{core->info().pool}, info);
  }
}

/// The NODE of a removed node lives on until its runs have ended; this tells it of the removal.
void cluster_state::act(const ledger::remove_nodes& effect) {
  for (const auto& node : effect.nodes)
    if (const auto found = nodes.find(node); found != nodes.end())
      self->send(found->second, atom::goodbye_v);
}

/// A node that came back while its NODE ended gets a new NODE.
void cluster_state::node_down(const caf::down_msg& down) {
  const auto found = std::find_if(nodes.begin(), nodes.end(), [&](const auto& item) {
    return item.second.address() == down.source;
  });
  if (found == nodes.end()) return;
  const auto node = found->first;
  nodes.erase(found);
  const auto info = core->node_infos().find(node);
  if (info == core->node_infos().end()) return;
  act(ledger::set_nodes{{info->second}});
  self->send(nodes.at(node), atom::contact_v, core->contact() == ledger::contact_state::connected);
}

void cluster_state::act(const ledger::bind_run& effect) {
  if (const auto found = nodes.find(effect.node); found != nodes.end())
    self->send(found->second, atom::bind_v, effect.run, effect.requests);
}

void cluster_state::act(const ledger::unbind_run& effect) {
  if (const auto found = nodes.find(effect.node); found != nodes.end())
    self->send(found->second, atom::unbind_v, effect.run, effect.verdict);
}

void cluster_state::act(const ledger::set_contact& effect) {
  for (const auto& [node, handle] : nodes) self->send(handle, atom::contact_v, effect.in_contact);
}

void cluster_state::act(const ledger::contact_changed& effect) {
  log_contact(*core, effect);
  tell_board();
}

void cluster_state::act(const ledger::expire_leases& effect) {
  with_queue(effect.queue, [this, runs = effect.runs,
                            abandoned = effect.abandoned](const result<queue_actor>& queue) {
    if (!queue) {
      if (queue.error().code != ec::not_found) core->not_expired(runs);
      return;
    }
    self->request(*queue, config.request_timeout, atom::expired_v, runs, abandoned)
        .then([](atom::ok) {},
              [this, runs](const caf::error& err) {
                logger.warning("lapsed leases were not recorded yet",
                               logging::kv("cluster", core->name()),
                               logging::kv("error", to_string(from_caf(err))));
                core->not_expired(runs);
              });
  });
}

void cluster_state::act(const ledger::deposed& effect) {
  self->send(config.root, atom::stand_down_v,
             "an agent has seen epoch " + std::to_string(effect.epoch));
}

void cluster_state::act(const ledger::retire_cluster&) {
  log_departure(*core);
  for (const auto& [node, handle] : nodes) self->send(handle, atom::goodbye_v);
  executor = nullptr;
}

void cluster_state::with_queue(const std::string& queue,
                               std::function<void(const result<queue_actor>&)> use) {
  actors->find_queue(
      self, queue, [use](const queue_actor& handle) { use(handle); },
      [use](const error& why) { use(fail(why)); });
}

caf::result<native::node_status_list> cluster_state::list(const std::string& after,
                                                          std::uint32_t limit) {
  auto promise = self->make_response_promise<list_promise>();
  auto out = std::make_shared<std::vector<native::node_status>>();
  std::vector<node_actor> asked;
  for (auto at = nodes.upper_bound(after); at != nodes.end() && asked.size() < limit; ++at)
    asked.push_back(at->second);
  auto missing = std::make_shared<std::size_t>(asked.size());
  if (asked.empty()) promise.deliver(native::node_status_list{out});
  auto done = [promise, out, missing]() mutable {
    if (--*missing > 0) return;
    std::sort(out->begin(), out->end(),
              [](const auto& a, const auto& b) { return a.info.name < b.info.name; });
    promise.deliver(native::node_status_list{out});
  };
  for (const auto& handle : asked)
    self->request(handle, config.request_timeout, atom::status_v)
        .then(
            [out, done](const native::node_status& status) mutable {
              out->push_back(status);
              done();
            },
            // A NODE that has just ended stands for no node of the cluster any more.
            [done](const caf::error&) mutable { done(); });
  return promise;
}

native::cluster_status cluster_state::status() const {
  native::cluster_status out;
  out.cluster = core->info();
  out.state = native::to_string(core->contact());
  out.nodes = static_cast<std::uint32_t>(core->node_infos().size());
  out.runs = static_cast<std::uint32_t>(core->run_count());
  out.last_heard_ns = last_heard_ns;
  return out;
}

metrics::figure_list cluster_state::figures() const {
  return {{"cluster", core->name()},
          {"state", native::to_string(core->contact())},
          {"nodes", static_cast<double>(core->node_infos().size())},
          {"runs", static_cast<double>(core->run_count())},
          {"unanswered_reports", static_cast<double>(unanswered.size())}};
}

result<void> validate(const cluster_actor_config& config) {
  if (!config.core || !config.root || !config.journal || !config.coordinator || !config.load ||
      !config.contacts || config.clock == nullptr)
    return fail(ec::invalid_argument, "a cluster needs all its neighbours, a core and a clock");
  if (config.epoch == 0) return fail(ec::invalid_argument, "a cluster needs the leader's epoch");
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
