// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/access/armada_settings.hpp"

#include <array>
#include <set>

#include "runtime/model/queue.hpp"
#include "runtime/settings/shared_settings.hpp"

namespace argosy::settings {

namespace {

constexpr std::array<std::string_view, 2> promise_names{"none", "confirmed-only"};

complaint check_clusters(const std::vector<armada_cluster_settings>& list) {
  std::set<std::string> seen;
  for (const auto& one : list) {
    const auto& name = one.rules.name;
    if (auto ok = model::validate_name(name, "cluster name"); !ok)
      return "has a wrong name: " + ok.error().detail;
    if (!seen.insert(name).second) return "has '" + name + "' twice";
    if (one.promise == executor_promise::none)
      return "needs promise: confirmed-only for '" + name +
             "': executors of Armada let runs go on when they are out of contact, so that no lease "
             "ends them. Runs of such a cluster are over when its executor says so";
    if (one.rules.users.empty()) return "needs users for '" + name + "', who may serve it";
    if (one.rules.node_label.empty()) return "needs a nodeIdLabel for '" + name + "'";
  }
  return std::nullopt;
}

}  // namespace

std::span<const std::string_view> enum_names(executor_promise) {
  return promise_names;
}

void describe(field_table& table, armada_cluster_settings& item) {
  table.value("name", item.rules.name, "");
  table.value("promise", item.promise, "");
  table.value("users", item.rules.users, "");
  table.value("nodeIdLabel", item.rules.node_label, "");
  table.value("priorityClassName", item.rules.priority_class, "");
}

void describe_armada(field_table& table, armada_settings& item) {
  table.section("armadaExecutors",
                "Clusters that are served by executors of Armada, which come over gRPC, instead of "
                "by an argosy-agent.");
  table.value("armadaExecutors.clusters", item.clusters,
              "These clusters, as [{name: CLUSTER, promise: confirmed-only, users: [executor]}]; "
              "all others are refused. The name is the executor's clusterId. Executors of Armada "
              "know of no leases: their runs go on when they are out of contact, and no time ends "
              "them. So a promise has to be chosen, of which there is one: with confirmed-only a "
              "run is over when the executor says so, or after argosyctl cluster forget, and no "
              "job of a cluster that is silent starts elsewhere before. The users, or anonymous, "
              "are who may serve the cluster; they need the permission execute_jobs as well. "
              "nodeIdLabel is the label by which a pod is put onto its node, which is "
              "kubernetes.io/hostname without it, and priorityClassName the class of all pods in "
              "Kubernetes, which is armada-default without it; with an empty one pods have the "
              "class of their job.",
              rule<std::vector<armada_cluster_settings>>{check_clusters});
}

std::vector<ledger::armada_cluster> rules_of(const armada_settings& from) {
  std::vector<ledger::armada_cluster> out;
  for (const auto& one : from.clusters) out.push_back(one.rules);
  return out;
}

}  // namespace argosy::settings
