// SPDX-License-Identifier: Apache-2.0
#include "actors/state/cluster_log.hpp"

#include <chrono>

#include "runtime/logging/logger.hpp"

namespace argosy::actors {

namespace {

const logging::logger logger{"cluster"};

}  // namespace

void log_contact(const ledger::cluster_core& cluster, const ledger::contact_changed& what) {
  using ledger::contact_state;
  const auto seconds = std::chrono::round<std::chrono::seconds>(what.silence).count();
  if (what.now == contact_state::silent)
    logger.warning("a cluster is silent; its nodes take no new jobs",
                   logging::kv("cluster", cluster.name()), logging::kv("silent_s", seconds),
                   logging::kv("nodes", cluster.node_infos().size()),
                   logging::kv("runs", cluster.run_count()));
  else if (what.before == contact_state::gone)
    logger.info("a cluster has joined", logging::kv("cluster", cluster.name()),
                logging::kv("pool", cluster.info().pool),
                logging::kv("nodes", cluster.node_infos().size()));
  else
    logger.info("a cluster is heard again", logging::kv("cluster", cluster.name()),
                logging::kv("silent_s", seconds), logging::kv("runs", cluster.run_count()));
}

void log_contact(const ledger::cluster_core& cluster, const ledger::trouble_changed& what) {
  if (what.now.why.empty())
    logger.info("the agent of a cluster can begin runs again",
                logging::kv("cluster", cluster.name()), logging::kv("runs", cluster.run_count()));
  else
    logger.warning("the agent of a cluster cannot begin runs; its nodes take no new jobs",
                   logging::kv("cluster", cluster.name()), logging::kv("why", what.now.why),
                   logging::kv("runs", cluster.run_count()));
}

void log_goodbye(const ledger::cluster_core& cluster, const std::string& reason) {
  if (cluster.run_count() == 0) return;
  logger.info("an agent has stopped; its runs go on until their lease ends",
              logging::kv("cluster", cluster.name()), logging::kv("runs", cluster.run_count()),
              logging::kv("reason", reason));
}

void log_departure(const ledger::cluster_core& cluster) {
  logger.info("a cluster has left", logging::kv("cluster", cluster.name()));
}

void log_forgotten(const ledger::cluster_core& cluster, const std::string& reason) {
  logger.warning("a cluster was forgotten; its runs count as stopped",
                 logging::kv("cluster", cluster.name()), logging::kv("runs", cluster.run_count()),
                 logging::kv("reason", reason));
}

void log_released(const ledger::cluster_core& cluster, const model::node_name& node,
                  const std::string& reason) {
  logger.info("the quarantine of a node was ended by an operator",
              logging::kv("cluster", cluster.name()), logging::kv("node", node),
              logging::kv("reason", reason));
}

void log_cordon(const model::cordon_changed& what) {
  logger.info(what.on ? "an operator wants no new work there" : "an operator allows new work again",
              logging::kv("cluster", what.cluster), logging::kv("node", what.node),
              logging::kv("by", what.by), logging::kv("reason", what.reason));
}

void log_drain(const model::operation& drain) {
  logger.info(drain.is_running() ? "an operator wants nothing to run there any more"
                                 : "the drain of a cluster or node was stopped",
              logging::kv("cluster", drain.cluster), logging::kv("node", drain.node),
              logging::kv("by", drain.by), logging::kv("reason", drain.reason),
              logging::kv("operation", to_string(drain.id)), logging::kv("left", drain.left()));
}

void log_successor(const ledger::cluster_core& cluster, model::incarnation older,
                   model::incarnation newer) {
  if (cluster.lapsing_count() == 0) return;
  logger.warning(
      "an agent with a new store has taken the cluster; runs of the one before wait until its "
      "lease has lapsed",
      logging::kv("cluster", cluster.name()), logging::kv("older", older),
      logging::kv("newer", newer), logging::kv("runs", cluster.lapsing_count()));
}

void log_new_life(const model::cluster_name& cluster, const model::agent_hello& message) {
  logger.warning("an agent with an incarnation that is not known has to end its runs and join anew",
                 logging::kv("cluster", cluster),
                 logging::kv("incarnation", message.cluster.incarnation.value),
                 logging::kv("runs", message.runs.size()));
}

void log_refusal(const model::cluster_name& cluster, const model::agent_hello& message,
                 const error& why) {
  if (why.code == ec::unavailable || why.code == ec::overloaded) return;
  logger.warning("an agent was refused", logging::kv("cluster", cluster),
                 logging::kv("incarnation", message.cluster.incarnation.value),
                 logging::kv("place", message.cluster.place),
                 logging::kv("process", message.cluster.process.value),
                 logging::kv("nodes", message.nodes.size()), logging::kv("error", to_string(why)));
}

}  // namespace argosy::actors
