// SPDX-License-Identifier: Apache-2.0
#include "actors/link/armada_gateway.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "actors/caf_error.hpp"
#include "actors/directory.hpp"
#include "messages/codec/armada/executor_codec.hpp"
#include "runtime/ledger/armada/armada_core.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

struct armada_gateway_state {
  static inline const logging::logger logger{"executors"};

  static inline const char* name = "argosy.armada_gateway";
  using pointer = traced_pointer<armada_gateway_actor, armada_gateway_state>;
  using answer_promise = caf::typed_response_promise<native::message_list>;
  using done_promise = caf::typed_response_promise<atom::ok>;

  /// A list of events that is not answered yet. Several executors may have a part of it.
  struct open_events {
    done_promise promise;
    std::size_t waits_for = 0;
    std::optional<error> failure;
  };
  using open_events_ptr = std::shared_ptr<open_events>;

  /// One executor. It stays for as long as this actor, since the numbers of its reports go on.
  struct link {
    link(ledger::armada_cluster of, ledger::armada_config with)
        : rules(std::move(of)), core(std::move(with)) {}

    ledger::armada_cluster rules;
    ledger::armada_core core;
    std::string pool;
    cluster_actor cluster;
    std::map<std::uint64_t, answer_promise> requests;
    std::multimap<std::uint64_t, open_events_ptr> waiting;  ///< By ticket.
  };

  explicit armada_gateway_state(pointer self_) : self(self_) {}

  armada_gateway_actor::behavior_type make_behavior(armada_gateway_config cfg);
  caf::result<native::message_list> request(const std::string& user, const std::string& bytes);
  caf::result<atom::ok> events(const std::string& user, const std::string& bytes);
  void orders(const model::agent_orders& wanted);

  void carry_out(link& of, ledger::armada_core::effects effects);
  void act(link& of, const ledger::armada_hello& effect);
  void act(link& of, const ledger::armada_nodes& effect);
  void act(link& of, const ledger::armada_heartbeat& effect);
  void act(link& of, const ledger::armada_reports& effect);
  void act(link& of, const ledger::armada_reply& effect);
  static void act(link& of, const ledger::armada_taken& effect);

  [[nodiscard]] result<link*> find(const std::string& user, const std::string& cluster);
  [[nodiscard]] native::message_list encode(link& of, const ledger::armada_answer& answer);
  static void settle(const open_events_ptr& open, const std::optional<error>& failure);
  [[nodiscard]] metrics::figure_list figures() const;

  /// Asks the CLUSTER, and hands its answer or the error to `then`, a function of the core.
  template <class Answer, class Then, class... Message>
  void ask(link& of, Then then, Message&&... message) {
    self->request(of.cluster, config.request_timeout, std::forward<Message>(message)...)
        .then([this, &of,
               then](const Answer& answer) { carry_out(of, then(result<Answer>{answer})); },
              [this, &of, then](const caf::error& err) {
                carry_out(of, then(result<Answer>{fail(from_caf(err))}));
              });
  }
  [[nodiscard]] boot_time boot() const { return config.clock->boot(); }

  pointer self;
  armada_gateway_config config;
  std::optional<directory> actors;
  std::map<std::string, link, std::less<>> links;
  std::uint64_t last_request = 0;
  std::uint64_t refused_events = 0;  ///< How many events named a run that nobody was given.
};

namespace {

bool may_serve(const ledger::armada_cluster& cluster, const std::string& user) {
  return std::find(cluster.users.begin(), cluster.users.end(), user) != cluster.users.end();
}

}  // namespace

armada_gateway_actor::behavior_type armada_gateway_state::make_behavior(armada_gateway_config cfg) {
  config = std::move(cfg);
  actors.emplace(config.root, config.request_timeout);
  for (const auto& each : config.clusters)
    links.try_emplace(
        each.name, each,
        ledger::armada_config{
            .cluster = each.name, .name_of = codec::name_of_run, .runs_of = codec::runs_of});
  return {
      [this](atom::orders, const native::orders_ptr& wanted) {
        orders(*wanted);
        return atom::ok_v;
      },
      [](atom::read_log, const model::log_request&) -> caf::result<native::log_chunk_ptr> {
        return to_caf({ec::unavailable,
                       "the cluster's executor is Armada's, which gives no output: ask Binoculars "
                       "of that cluster, or kubectl"});
      },
      [this](atom::place, const std::string& user, const std::string& bytes) {
        return request(user, bytes);
      },
      [this](atom::events, const std::string& user, const std::string& bytes) {
        return events(user, bytes);
      },
      [this](atom::status, atom::figures) { return figures(); },
  };
}

result<armada_gateway_state::link*> armada_gateway_state::find(const std::string& user,
                                                               const std::string& cluster) {
  const auto found = links.find(cluster);
  if (found == links.end())
    return fail(ec::conflict,
                "cluster '" + cluster.substr(0, 253) +
                    "' may not be served by an executor of Armada, which lets runs go on when it "
                    "is out of contact: if its confirmations are enough for you, add it to "
                    "armadaExecutors.clusters of argosyd's settings, with promise: confirmed-only");
  if (!may_serve(found->second.rules, user))
    return fail(ec::denied, "user '" + user + "' may not serve cluster '" + cluster +
                                "': armadaExecutors.clusters of argosyd's settings says who may");
  return &found->second;
}

caf::result<native::message_list> armada_gateway_state::request(const std::string& user,
                                                                const std::string& bytes) {
  auto asked = codec::decode_lease_request(bytes);
  if (!asked) return to_caf(asked.error());
  const auto found = find(user, asked->cluster);
  if (!found) return to_caf(found.error());
  auto& of = **found;
  auto promise = self->make_response_promise<answer_promise>();
  const auto number = ++last_request;
  of.requests.emplace(number, promise);
  of.pool = asked->pool;
  actors->ensure_cluster(
      self, of.rules.name,
      [this, &of, number, asked = std::move(*asked)](const cluster_actor& to) {
        of.cluster = to;
        carry_out(of, of.core.request(number, asked, boot(), to_nanos(config.clock->wall())));
      },
      [this, &of, number](const error& why) {
        act(of, ledger::armada_reply{number, fail(why)});
      });
  return promise;
}

caf::result<atom::ok> armada_gateway_state::events(const std::string& user,
                                                   const std::string& bytes) {
  const auto told = codec::decode_executor_events(bytes);
  if (!told) return to_caf(told.error());
  std::vector<link*> served;
  for (auto& [cluster, each] : links)
    if (may_serve(each.rules, user)) served.push_back(&each);
  if (served.empty())
    return to_caf({ec::denied, "user '" + user +
                                   "' may serve no cluster: armadaExecutors.clusters of argosyd's "
                                   "settings says who may"});
  std::map<link*, std::vector<ledger::armada_event>> parts;
  std::uint64_t strangers = 0;
  for (const auto& event : *told) {
    const auto owner = std::find_if(served.begin(), served.end(), [&](const link* each) {
      return event.run && each->core.knows(*event.run);
    });
    if (owner == served.end())
      ++strangers;
    else
      parts[*owner].push_back(event);
  }
  const bool all_known = std::all_of(served.begin(), served.end(),
                                     [](const link* each) { return each->core.ready(); });
  auto open = std::make_shared<open_events>();
  open->promise = self->make_response_promise<done_promise>();
  open->waits_for = 1 + parts.size();
  for (const auto& [of, part] : parts) {
    auto taken = of->core.events(part);
    if (!taken.ticket)
      settle(open, taken.ticket.error());
    else if (*taken.ticket == 0)
      settle(open, std::nullopt);
    else
      of->waiting.emplace(*taken.ticket, open);
    carry_out(*of, std::move(taken.then));
  }
  if (strangers > 0 && !all_known) {
    settle(open, error{ec::unavailable,
                       "the executor has to ask for leases first; it reports these events again "
                       "by itself"});
    return open->promise;
  }
  if (strangers > 0) {
    refused_events += strangers;
    logger.warning("an executor reported on runs that it was never given",
                   logging::kv("user", user), logging::kv("events", strangers));
  }
  settle(open, std::nullopt);
  return open->promise;
}

void armada_gateway_state::settle(const open_events_ptr& open,
                                  const std::optional<error>& failure) {
  if (failure && !open->failure) open->failure = failure;
  if (--open->waits_for > 0) return;
  if (open->failure)
    open->promise.deliver(to_caf(*open->failure));
  else
    open->promise.deliver(atom::ok_v);
}

void armada_gateway_state::orders(const model::agent_orders& wanted) {
  for (auto& [cluster, of] : links)
    if (of.core.process() == wanted.process) carry_out(of, of.core.orders(wanted));
}

void armada_gateway_state::carry_out(link& of, ledger::armada_core::effects effects) {
  for (const auto& effect : effects) std::visit([&](const auto& what) { act(of, what); }, effect);
}

void armada_gateway_state::act(link& of, const ledger::armada_hello& effect) {
  ask<model::hello_ack>(
      of, [this, &of](const auto& answer) { return of.core.hello(answer, boot()); }, atom::hello_v,
      std::make_shared<const model::agent_hello>(effect.message),
      caf::actor_cast<executor_actor>(self));
}

void armada_gateway_state::act(link& of, const ledger::armada_nodes& effect) {
  ask<atom::ok>(
      of,
      [&of](const result<atom::ok>& answer) {
        return answer ? of.core.nodes(true) : of.core.nodes(fail(answer.error()));
      },
      atom::nodes_v, std::make_shared<const model::agent_nodes>(effect.message));
}

void armada_gateway_state::act(link& of, const ledger::armada_heartbeat& effect) {
  ask<model::heartbeat_ack>(
      of, [&of](const auto& answer) { return of.core.heartbeat(answer); }, atom::heartbeat_v,
      effect.message);
}

void armada_gateway_state::act(link& of, const ledger::armada_reports& effect) {
  ask<model::report_ack>(
      of,
      [&of, incarnation = effect.message.incarnation](const auto& answer) {
        return of.core.reports(incarnation, answer);
      },
      atom::report_v, std::make_shared<const model::report_batch>(effect.message));
}

void armada_gateway_state::act(link& of, const ledger::armada_reply& effect) {
  const auto found = of.requests.find(effect.request);
  if (found == of.requests.end()) return;
  auto promise = found->second;
  of.requests.erase(found);
  if (!effect.answer) {
    logger.warning("a request of an executor was refused", logging::kv("cluster", of.rules.name),
                   logging::kv("error", to_string(effect.answer.error())));
    promise.deliver(to_caf(effect.answer.error()));
    return;
  }
  promise.deliver(encode(of, *effect.answer));
}

void armada_gateway_state::act(link& of, const ledger::armada_taken& effect) {
  const auto end = of.waiting.upper_bound(effect.ticket);
  std::vector<open_events_ptr> done;
  for (auto at = of.waiting.begin(); at != end; ++at) done.push_back(at->second);
  of.waiting.erase(of.waiting.begin(), end);
  for (const auto& open : done)
    settle(open, effect.outcome ? std::nullopt : std::optional{effect.outcome.error()});
}

native::message_list armada_gateway_state::encode(link& of, const ledger::armada_answer& answer) {
  std::deque<std::string> out;
  if (!answer.cancel.empty()) out.push_back(codec::encode_cancels(answer.cancel));
  const codec::lease_rules rules{of.rules.name,
                                 of.pool,
                                 of.rules.node_label,
                                 of.rules.priority_class,
                                 config.preemptible_classes,
                                 config.floating_resources};
  std::map<std::string_view, const model::node_info*> nodes;
  for (const auto& node : of.core.node_infos()) nodes[node.name] = &node;
  for (const auto& order : answer.leases) {
    // A node that does not tell the label has its own name there, as nodes mostly do.
    auto value = order.node;
    if (const auto node = nodes.find(order.node); node != nodes.end())
      for (const auto& [key, label] : node->second->labels)
        if (key == of.rules.node_label) value = label;
    auto lease = codec::encode_lease(order, rules, value);
    if (lease)
      out.push_back(std::move(*lease));
    else
      carry_out(of, of.core.unfit(order.run, lease.error().detail));
  }
  out.push_back(codec::encode_lease_end());
  return std::make_shared<const std::deque<std::string>>(std::move(out));
}

metrics::figure_list armada_gateway_state::figures() const {
  std::size_t runs = 0;
  std::size_t unsent = 0;
  std::uint64_t leases = 0;
  std::uint64_t foreign = 0;
  std::size_t ready = 0;
  for (const auto& [cluster, of] : links) {
    runs += of.core.run_count();
    unsent += of.core.outbox_size();
    leases += of.core.leases();
    foreign += of.core.foreign_runs();
    ready += of.core.ready() ? 1 : 0;
  }
  return {{"executors", static_cast<double>(ready)},
          {"runs", static_cast<double>(runs)},
          {"leases", static_cast<double>(leases)},
          {"unsent_reports", static_cast<double>(unsent)},
          {"foreign_runs", static_cast<double>(foreign)},
          {"refused_events", static_cast<double>(refused_events)}};
}

namespace {

armada_gateway_actor::behavior_type armada_gateway_behavior(
    traced_pointer<armada_gateway_actor, armada_gateway_state> self, armada_gateway_config config) {
  return self->state.make_behavior(std::move(config));
}

}  // namespace

armada_gateway_actor spawn_armada_gateway(caf::actor_system& system, armada_gateway_config config) {
  return spawn_actor(system, run_on::pool, armada_gateway_behavior, std::move(config));
}

}  // namespace argosy::actors
