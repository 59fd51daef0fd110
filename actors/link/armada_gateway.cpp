// SPDX-License-Identifier: Apache-2.0
#include "actors/link/armada_gateway.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "actors/caf_error.hpp"
#include "actors/directory.hpp"
#include "actors/link/armada_link.hpp"
#include "messages/codec/armada/executor_codec.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

struct armada_gateway_state {
  static inline const logging::logger logger{"executors"};

  static inline const char* name = "argosy.armada_gateway";
  using pointer = traced_pointer<armada_gateway_actor, armada_gateway_state>;
  explicit armada_gateway_state(pointer self_) : self(self_) {}

  armada_gateway_actor::behavior_type make_behavior(armada_gateway_config cfg);
  caf::result<native::message_list> request(const std::string& user, const std::string& bytes);
  caf::result<atom::ok> events(const std::string& user, const std::string& bytes);
  void orders(const model::agent_orders& wanted);

  void carry_out(armada_link& of, ledger::armada_core::effects effects);
  void act(armada_link& of, const ledger::armada_hello& effect);
  void act(armada_link& of, const ledger::armada_nodes& effect);
  void act(armada_link& of, const ledger::armada_heartbeat& effect);
  void act(armada_link& of, const ledger::armada_reports& effect);
  void act(armada_link& of, const ledger::armada_reply& effect);
  static void act(armada_link& of, const ledger::armada_taken& effect) { of.taken(effect); }

  [[nodiscard]] result<armada_link*> find(const std::string& user,
                                          const model::cluster_name& cluster);
  [[nodiscard]] metrics::figure_list figures() const;

  /// Asks the CLUSTER, and hands its answer or the error to `then`, a function of the core.
  template <class Answer, class Then, class... Message>
  void ask(armada_link& of, Then then, Message&&... message) {
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
  std::map<std::string, armada_link, std::less<>> links;
  std::uint64_t last_request = 0;
  std::uint64_t refused_events = 0;  ///< How many events named a run that nobody was given.
};

armada_gateway_actor::behavior_type armada_gateway_state::make_behavior(armada_gateway_config cfg) {
  config = std::move(cfg);
  actors.emplace(config.root, config.request_timeout);
  for (const auto& each : config.clusters) links.try_emplace(each.name, each);
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

result<armada_link*> armada_gateway_state::find(const std::string& user,
                                                const model::cluster_name& cluster) {
  const auto found = links.find(cluster);
  if (found == links.end())
    return fail(ec::conflict,
                "cluster '" + cluster.str().substr(0, 253) +
                    "' may not be served by an executor of Armada, which lets runs go on when it "
                    "is out of contact: if its confirmations are enough for you, add it to "
                    "armadaExecutors.clusters of argosyd's settings, with promise: confirmed-only");
  if (!found->second.may_serve(user))
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
  auto promise = self->make_response_promise<caf::typed_response_promise<native::message_list>>();
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
  std::vector<armada_link*> served;
  for (auto& [cluster, each] : links)
    if (each.may_serve(user)) served.push_back(&each);
  if (served.empty())
    return to_caf({links.empty() ? ec::conflict : ec::denied,
                   "user '" + user +
                       "' may serve no cluster: armadaExecutors.clusters of argosyd's "
                       "settings says who may"});
  std::map<armada_link*, std::vector<ledger::armada_event>> parts;
  std::uint64_t strangers = 0;
  for (const auto& event : *told) {
    const auto owner = std::find_if(served.begin(), served.end(), [&](const armada_link* each) {
      return event.run && each->core.knows(*event.run);
    });
    if (owner == served.end())
      ++strangers;
    else
      parts[*owner].push_back(event);
  }
  const bool all_known = std::all_of(served.begin(), served.end(),
                                     [](const armada_link* each) { return each->core.ready(); });
  auto open = std::make_shared<open_events>();
  open->promise = self->make_response_promise<caf::typed_response_promise<atom::ok>>();
  open->waits_for = 1 + parts.size();
  for (const auto& [of, part] : parts) {
    auto taken = of->core.events(part);
    if (!taken.ticket)
      open->settle(taken.ticket.error());
    else if (*taken.ticket == 0)
      open->settle(std::nullopt);
    else
      of->waiting.emplace(*taken.ticket, open);
    carry_out(*of, std::move(taken.then));
  }
  if (strangers > 0 && !all_known) {
    open->settle(error{ec::unavailable,
                       "the executor has to ask for leases first; it reports these events again "
                       "by itself"});
    return open->promise;
  }
  if (strangers > 0) {
    refused_events += strangers;
    logger.warning("an executor reported on runs that it was never given",
                   logging::kv("user", user), logging::kv("events", strangers));
  }
  open->settle(std::nullopt);
  return open->promise;
}

void armada_gateway_state::orders(const model::agent_orders& wanted) {
  for (auto& [cluster, of] : links)
    if (of.core.process() == wanted.process) carry_out(of, of.core.orders(wanted));
}

void armada_gateway_state::carry_out(armada_link& of, ledger::armada_core::effects effects) {
  for (const auto& effect : effects) std::visit([&](const auto& what) { act(of, what); }, effect);
}

void armada_gateway_state::act(armada_link& of, const ledger::armada_hello& effect) {
  ask<model::hello_ack>(
      of, [this, &of](const auto& answer) { return of.core.hello(answer, boot()); }, atom::hello_v,
      std::make_shared<const model::agent_hello>(effect.message),
      caf::actor_cast<executor_actor>(self));
}

void armada_gateway_state::act(armada_link& of, const ledger::armada_nodes& effect) {
  ask<atom::ok>(
      of,
      [&of](const result<atom::ok>& answer) {
        return answer ? of.core.nodes(true) : of.core.nodes(fail(answer.error()));
      },
      atom::nodes_v, std::make_shared<const model::agent_nodes>(effect.message));
}

void armada_gateway_state::act(armada_link& of, const ledger::armada_heartbeat& effect) {
  ask<model::heartbeat_ack>(
      of, [&of](const auto& answer) { return of.core.heartbeat(answer); }, atom::heartbeat_v,
      effect.message);
}

void armada_gateway_state::act(armada_link& of, const ledger::armada_reports& effect) {
  ask<model::report_ack>(
      of,
      [&of, incarnation = effect.message.incarnation](const auto& answer) {
        return of.core.reports(incarnation, answer);
      },
      atom::report_v, std::make_shared<const model::report_batch>(effect.message));
}

void armada_gateway_state::act(armada_link& of, const ledger::armada_reply& effect) {
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
  std::vector<std::pair<model::run_key, std::string>> unfit;
  promise.deliver(of.encode(*effect.answer, config, unfit));
  for (const auto& [run, why] : unfit) carry_out(of, of.core.unfit(run, why));
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
