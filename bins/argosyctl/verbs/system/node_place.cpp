// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/system/node_place.hpp"

#include <fmt/format.h>

#include "bins/argosyctl/client/pages.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/listing.hpp"
#include "messages/proto/argosy/v1.pb.h"
#include "runtime/bus/headers.hpp"

namespace argosy::ctl {

void node_name_option::add_options(CLI::App& app) {
  takes_printed(app.add_option("name", name_, "Name of the node, alone or as CLUSTER/NODE"), "node")
      ->required()
      ->type_name("NODE");
  app.add_option("--cluster", cluster_, "Cluster of the node")->type_name("CLUSTER");
}

result<node_place> find_node(client& server, const std::string& name, const std::string& cluster) {
  const auto slash = name.find('/');
  const bool with_cluster = slash != std::string::npos;
  argosy::v1::ListNodesRequest request;
  request.set_cluster(with_cluster ? name.substr(0, slash) : cluster);
  if (with_cluster && !cluster.empty() && cluster != request.cluster())
    return fail(ec::invalid_argument, fmt::format("node '{}' is not of cluster '{}', which "
                                                  "--cluster names",
                                                  name, cluster));
  auto answer = call_pages<argosy::v1::ListNodesResponse>(server, "Query.ListNodes", request);
  if (!answer) return fail(std::move(answer.error()));
  std::vector<std::string> plain;
  for (const auto& node : answer->nodes())
    plain.push_back(with_cluster ? node.cluster() + "/" + node.name() : node.name());
  const auto picked = pick_named({name}, plain, "node");
  if (!picked) return fail(picked.error());
  const auto& first = answer->nodes(static_cast<int>(picked->front()));
  if (picked->size() > 1) {
    std::string clusters;
    for (const auto index : *picked)
      clusters += (clusters.empty() ? "" : ", ") + answer->nodes(static_cast<int>(index)).cluster();
    return fail(ec::invalid_argument,
                fmt::format("several clusters have a node '{}': {}; say which one with --cluster",
                            name, clusters));
  }
  return node_place{first.cluster(), first.name()};
}

result<void> check_cluster(client& server, const std::string& name) {
  if (name.empty()) return {};
  const auto clusters = call<argosy::v1::ListClustersResponse>(server, "Query.ListClusters",
                                                               argosy::v1::ListClustersRequest{});
  if (!clusters) return fail(clusters.error());
  std::vector<std::string> known;
  for (const auto& cluster : clusters->clusters()) known.push_back(cluster.name());
  const auto picked = pick_named({name}, known, "cluster");
  return picked ? result<void>{} : fail(picked.error());
}

result<void> check_pools(client& server, const std::vector<std::string>& names) {
  if (names.empty()) return {};
  const auto pools = call<argosy::v1::ListPoolsResponse>(server, "Query.ListPools",
                                                         argosy::v1::ListPoolsRequest{});
  if (!pools) return fail(pools.error());
  std::vector<std::string> known;
  for (const auto& pool : pools->pools()) known.push_back(pool.name());
  const auto picked = pick_named(names, known, "pool");
  return picked ? result<void>{} : fail(picked.error());
}

result<void> check_classes(client& server, const std::vector<std::string>& names) {
  if (names.empty()) return {};
  argosy::v1::FindJobsRequest request;
  auto& of = *request.add_conditions();
  of.set_field("priorityClass");
  of.set_match("anyOf");
  for (const auto& name : names) of.add_values(name);
  request.set_limit(1);
  // An earlier server only looks for jobs, and what else is wrong is for the next call to say.
  const auto known = server.exchange("Query.FindJobs", request.SerializeAsString(), repeatable::yes,
                                     {{std::string{bus::header::mode}, "check"}});
  if (!known && known.error().code == ec::not_found) return fail(known.error());
  return {};
}

result<node_place> node_name_option::find(client& server) const {
  return find_node(server, name_, cluster_);
}

}  // namespace argosy::ctl
