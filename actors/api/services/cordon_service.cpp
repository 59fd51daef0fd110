// SPDX-License-Identifier: Apache-2.0
// The methods by which operators keep new work off clusters, which Armada calls executors, and off
// nodes: those of Armada, and those of ClusterService, which say more when something is wrong.
#include <memory>
#include <set>

#include "actors/api/fan_out.hpp"
#include "actors/api/operators.hpp"
#include "actors/api/selections.hpp"
#include "messages/proto/api/binoculars.pb.h"
#include "messages/proto/api/executor.pb.h"
#include "messages/proto/argosy/v1.pb.h"
#include "runtime/access/identity.hpp"

namespace argosy::actors {

namespace {

model::cordon_changed wanted_of(const call& caller, const std::string& cluster,
                                const std::string& node, bool on, const std::string& reason) {
  return {model::cluster_name{cluster}, model::node_name{node}, on, caller.principal(), reason};
}

/// Cordons a cluster that may not have joined yet, or takes that back.
void set_executor(gateway_services& gateway, const call& caller,
                  const model::cordon_changed& wanted) {
  const auto then = [&gateway, caller, wanted](const cluster_actor& cluster) {
    gateway.ask(
        caller, cluster, [caller](atom::ok) { caller.reply(google::protobuf::Empty{}); },
        atom::cordon_v, wanted);
  };
  const auto failed = [caller](const error& why) { caller.fail(why); };
  if (wanted.on) {
    gateway.actors.ensure_cluster(gateway.self, wanted.cluster, then, failed);
    return;
  }
  // Nothing is cordoned on a cluster that is not known.
  gateway.actors.find_cluster(gateway.self, wanted.cluster, then, [caller](const error& why) {
    if (why.code == ec::not_found)
      caller.reply(google::protobuf::Empty{});
    else
      caller.fail(why);
  });
}

void upsert_settings(gateway_services& gateway, const call& caller,
                     const api::ExecutorSettingsUpsertRequest& request) {
  if (refuse_unnamed(caller, request.name(), "executor")) return;
  if (refuse_operator_reason(caller, request.cordonreason())) return;
  if (request.cordoned() && request.cordonreason().empty()) {
    caller.fail(ec::invalid_argument, "cordonReason must say why the executor is cordoned");
    return;
  }
  if (auto named = access::validate({access::party::agent, request.name()}); !named) {
    caller.fail(named.error());
    return;
  }
  set_executor(gateway, caller,
               wanted_of(caller, request.name(), {}, request.cordoned(), request.cordonreason()));
}

void delete_settings(gateway_services& gateway, const call& caller,
                     const api::ExecutorSettingsDeleteRequest& request) {
  if (refuse_unnamed(caller, request.name(), "executor")) return;
  set_executor(gateway, caller, wanted_of(caller, request.name(), {}, false, {}));
}

/// Armada's clients expect OK also when there is no such executor.
void delete_executor(gateway_services& gateway, const call& caller,
                     const api::ExecutorDeleteRequest& request) {
  if (refuse_unnamed(caller, request.name(), "executor")) return;
  gateway.actors.find_cluster(
      gateway.self, request.name(),
      [&gateway, caller](const cluster_actor& cluster) {
        gateway.ask(
            caller, cluster, [caller](std::uint32_t) { caller.reply(google::protobuf::Empty{}); },
            atom::erase_v, "deleted by " + caller.principal());
      },
      [caller](const error& why) {
        if (why.code == ec::not_found)
          caller.reply(google::protobuf::Empty{});
        else
          caller.fail(why);
      });
}

/// Armada's Binoculars serves one cluster and names the node alone; here the name has to be of one
/// node of all clusters, or be CLUSTER/NODE.
void cordon_named(gateway_services& gateway, const call& caller,
                  const binoculars::CordonRequest& request) {
  if (refuse_unnamed(caller, request.node_name(), "node")) return;
  const auto found = std::make_shared<std::set<std::string>>();
  const auto slash = request.node_name().find('/');
  const auto name = request.node_name().substr(slash == std::string::npos ? 0 : slash + 1);
  const auto only = slash == std::string::npos ? "" : request.node_name().substr(0, slash);
  each_cluster<native::node_status_list>(
      gateway, caller,
      [found, name, only](const native::node_status_list& nodes) {
        for (const auto& node : *nodes)
          if (node.info.name == name && (only.empty() || node.cluster == only))
            found->insert(node.cluster);
      },
      [&gateway, caller, found, name] {
        if (found->empty()) {
          caller.fail(ec::not_found, "no cluster has a node '" + name + "'");
        } else if (found->size() > 1) {
          std::string clusters;
          for (const auto& each : *found) clusters += (clusters.empty() ? "" : ", ") + each;
          caller.fail(ec::invalid_argument, "several clusters have a node '" + name +
                                                "': " + clusters + "; name it as CLUSTER/NODE");
        } else {
          set_executor(gateway, caller, wanted_of(caller, *found->begin(), name, true, {}));
        }
      },
      atom::list_v, model::node_name{}, std::uint32_t{UINT32_MAX});
}

template <class Response>
void set_cordon(gateway_services& gateway, const call& caller,
                const model::cordon_changed& wanted) {
  if (refuse_operator_reason(caller, wanted.reason)) return;
  ask_cluster(
      gateway, caller, wanted.cluster, [caller](atom::ok) { caller.reply(Response{}); },
      atom::cordon_v, wanted);
}

void cordon_cluster(gateway_services& gateway, const call& caller,
                    const v1::CordonClusterRequest& request) {
  if (refuse_unnamed(caller, request.name(), "cluster")) return;
  set_cordon<v1::CordonClusterResponse>(
      gateway, caller, wanted_of(caller, request.name(), {}, request.cordoned(), request.reason()));
}

void cordon_node(gateway_services& gateway, const call& caller,
                 const v1::CordonNodeRequest& request) {
  if (refuse_unnamed(caller, request.cluster(), "cluster")) return;
  if (refuse_unnamed(caller, request.node(), "node")) return;
  set_cordon<v1::CordonNodeResponse>(
      gateway, caller,
      wanted_of(caller, request.cluster(), request.node(), request.cordoned(), request.reason()));
}

}  // namespace

void add_cordon_service(method_table& table) {
  table["Executor.UpsertExecutorSettings"] =
      decoded<api::ExecutorSettingsUpsertRequest>(upsert_settings);
  table["Executor.DeleteExecutorSettings"] =
      decoded<api::ExecutorSettingsDeleteRequest>(delete_settings);
  table["Executor.DeleteExecutor"] = decoded<api::ExecutorDeleteRequest>(delete_executor);
  table["Binoculars.Cordon"] = decoded<binoculars::CordonRequest>(cordon_named);
  table["ClusterService.CordonCluster"] = decoded<v1::CordonClusterRequest>(cordon_cluster);
  table["ClusterService.CordonNode"] = decoded<v1::CordonNodeRequest>(cordon_node);
}

}  // namespace argosy::actors
