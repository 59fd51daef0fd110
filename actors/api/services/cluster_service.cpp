// SPDX-License-Identifier: Apache-2.0
// The service ClusterService is for operators of clusters. Query.ListNodes, ListClusters and
// ListPools are answered here as well, from what CLUSTERs and NODEs report.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>

#include "actors/api/fan_out.hpp"
#include "actors/api/operators.hpp"
#include "actors/api/selections.hpp"
#include "actors/api/summaries.hpp"
#include "messages/native/page_room.hpp"
#include "runtime/model/amounts.hpp"
#include "runtime/model/namespace_part.hpp"

namespace argosy::actors {

namespace {

/// Collects one page of nodes, cluster by cluster, so that a page costs only what it holds. A
/// cursor is the "cluster/node" of the last node that the page holds.
class node_page : public std::enable_shared_from_this<node_page> {
 public:
  node_page(gateway_services& gateway, call caller, const v1::ListNodesRequest& request)
      : all_(gateway), from_(std::move(caller)), room_(request.limit()) {
    const auto slash = request.cursor().find('/');
    cluster_ = model::cluster_name{request.cursor().substr(0, slash)};
    if (slash != std::string::npos) node_ = model::node_name{request.cursor().substr(slash + 1)};
    only_ = model::cluster_name{request.cluster()};
  }

  void begin(const cluster_map& clusters) {
    if (!only_.empty() && !clusters.contains(only_))
      return from_.fail(unknown_cluster(only_, *all_.config.contacts));
    for (auto at = clusters.lower_bound(cluster_); at != clusters.end(); ++at)
      if (only_.empty() || at->first == only_) open_.emplace_back(*at);
    if (open_.empty() || open_.front().first != cluster_) node_ = {};
    ask_next();
  }

 private:
  void ask_next() {
    if (at_ == open_.size()) {
      from_.reply(response_);
      return;
    }
    const auto& [cluster, handle] = open_[at_];
    // The one node beyond the room shows whether another page follows.
    const auto wanted = room_.items() + 1;
    all_.ask(
        from_, handle,
        [page = shared_from_this(), wanted](const native::node_status_list& nodes) {
          page->take(*nodes, wanted);
        },
        atom::list_v, node_, wanted);
  }

  void take(const std::vector<native::node_status>& nodes, std::uint32_t wanted) {
    for (const auto& node : nodes) {
      v1::NodeSummary summary;
      summarize(node, *all_.config.contacts, summary);
      if (!room_.take(summary.ByteSizeLong())) {
        const auto& last = *response_.nodes().rbegin();
        response_.set_cursor(last.cluster() + "/" + last.name());
        from_.reply(response_);
        return;
      }
      node_ = node.info.name;
      response_.add_nodes()->Swap(&summary);
    }
    // The CLUSTER gave fewer nodes than were wanted, so that these were its last.
    if (nodes.size() < wanted) {
      ++at_;
      node_ = {};
    }
    ask_next();
  }

  gateway_services& all_;
  call from_;
  native::page_room room_;
  model::cluster_name only_;     ///< The one cluster that is asked for; empty: all clusters.
  model::cluster_name cluster_;  ///< The page begins behind this node of this cluster.
  model::node_name node_;
  std::vector<std::pair<model::cluster_name, cluster_actor>> open_;
  std::size_t at_ = 0;
  v1::ListNodesResponse response_;
};

void list_nodes(gateway_services& gateway, const call& caller,
                const v1::ListNodesRequest& request) {
  const auto page = std::make_shared<node_page>(gateway, caller, request);
  gateway.ask(
      caller, gateway.config.root, [page](const cluster_map& clusters) { page->begin(clusters); },
      atom::list_v, atom::cluster_v);
}

void list_clusters(gateway_services& gateway, const call& caller, const v1::ListClustersRequest&) {
  auto response = std::make_shared<v1::ListClustersResponse>();
  each_cluster<native::cluster_status>(
      gateway, caller,
      [&gateway, response](const native::cluster_status& status) {
        // A cluster that was forgotten is not on the board.
        if (gateway.config.contacts->find(status.cluster.name))
          summarize(status, *response->add_clusters());
      },
      [caller, response] {
        // They answer in any order, and a list whose rows change places misleads whoever reads it.
        auto& all = *response->mutable_clusters();
        std::sort(all.begin(), all.end(),
                  [](const auto& a, const auto& b) { return a.name() < b.name(); });
        caller.reply(*response);
      },
      atom::status_v);
}

struct pool_sums {
  std::uint32_t nodes = 0;
  std::set<std::string> clusters;
  model::resource_list total;
  model::resource_list used;
  // The same counts for those clusters alone whose agents are out of contact.
  std::uint32_t silent_nodes = 0;
  std::set<std::string> silent_clusters;
  model::resource_list silent_total;
  model::resource_list silent_used;
  std::map<std::string, std::uint32_t> closed_nodes;  ///< By namespace.
};

/// "jobs", or "jobs (with services)" where the others are taken.
std::set<std::string> closed_on(const native::cluster_contact& contact) {
  std::set<std::string> out;
  for (const auto& each : contact.closures) {
    const auto whose = model::whose_jobs(each.name_space);
    out.insert(std::string{model::namespace_in(each.name_space)} +
               (whose.empty() ? "" : " (" + whose + ")"));
  }
  return out;
}

void list_pools(gateway_services& gateway, const call& caller, const v1::ListPoolsRequest&) {
  auto pools = std::make_shared<std::map<std::string, pool_sums>>();
  const auto add = [&gateway, pools](const native::node_status_list& nodes) {
    for (const auto& node : *nodes) {
      auto& sums = (*pools)[node.pool];
      ++sums.nodes;
      sums.clusters.insert(node.cluster);
      model::add(sums.total, node.info.allocatable);
      model::add(sums.used, node.used);
      const auto contact = gateway.config.contacts->find(node.cluster);
      if (contact)
        for (const auto& name_space : closed_on(*contact)) ++sums.closed_nodes[name_space];
      if (!contact || !native::out_of_contact(*contact)) continue;
      ++sums.silent_nodes;
      sums.silent_clusters.insert(node.cluster);
      model::add(sums.silent_total, node.info.allocatable);
      model::add(sums.silent_used, node.used);
    }
  };
  const auto done = [caller, pools] {
    v1::ListPoolsResponse response;
    for (const auto& [name, sums] : *pools) {
      auto& pool = *response.add_pools();
      pool.set_name(name);
      pool.set_clusters(static_cast<std::uint32_t>(sums.clusters.size()));
      pool.set_nodes(sums.nodes);
      put_amounts(sums.total, *pool.mutable_total());
      put_amounts(sums.used, *pool.mutable_used());
      pool.set_silent_clusters(static_cast<std::uint32_t>(sums.silent_clusters.size()));
      pool.set_silent_nodes(sums.silent_nodes);
      put_amounts(sums.silent_total, *pool.mutable_silent_total());
      put_amounts(sums.silent_used, *pool.mutable_silent_used());
      pool.mutable_closed_nodes()->insert(sums.closed_nodes.begin(), sums.closed_nodes.end());
    }
    caller.reply(response);
  };
  each_cluster<native::node_status_list>(gateway, caller, add, done, atom::list_v,
                                         model::node_name{}, std::uint32_t{UINT32_MAX});
}

/// The sentence for the logs, such as "forgotten by alice: the disk is dead".
result<std::string> reason_of(const call& caller, std::string_view what, const std::string& given) {
  if (given.size() > operator_reason_bytes_max)
    return fail(ec::invalid_argument,
                "the reason has more than " + std::to_string(operator_reason_bytes_max) + " bytes");
  auto reason = std::string{what} + " by " + caller.principal();
  return given.empty() ? reason : reason + ": " + given;
}

void forget_cluster(gateway_services& gateway, const call& caller,
                    const v1::ForgetClusterRequest& request) {
  const auto reason = reason_of(caller, "forgotten", request.reason());
  if (!reason) return caller.fail(reason.error());
  ask_cluster(
      gateway, caller, request.name(),
      [caller](std::uint32_t runs) {
        v1::ForgetClusterResponse response;
        response.set_runs(runs);
        caller.reply(response);
      },
      atom::erase_v, *reason);
}

void release_node(gateway_services& gateway, const call& caller,
                  const v1::ReleaseNodeRequest& request) {
  const auto reason = reason_of(caller, "released", request.reason());
  if (!reason) return caller.fail(reason.error());
  ask_cluster(
      gateway, caller, request.cluster(),
      [caller](atom::ok) { caller.reply(v1::ReleaseNodeResponse{}); }, atom::release_v,
      model::node_name{request.node()}, *reason);
}

/// So many events are in an answer at most; a CLUSTER keeps fewer.
constexpr std::uint32_t events_max = 1'000;

void list_cluster_events(gateway_services& gateway, const call& caller,
                         const v1::ListClusterEventsRequest& request) {
  if (refuse_unnamed(caller, request.cluster(), "cluster")) return;
  const auto limit = request.limit() == 0 ? events_max : std::min(request.limit(), events_max);
  ask_cluster(
      gateway, caller, request.cluster(),
      [caller](const native::cluster_events_ptr& known) {
        v1::ListClusterEventsResponse response;
        for (const auto& each : known->events) summarize(each, *response.add_events());
        response.set_since_ns(known->since_ns);
        caller.reply(response);
      },
      atom::events_v, model::node_name{request.node()}, limit);
}

}  // namespace

error unknown_cluster(const std::string& name, const native::contact_board& contacts) {
  std::string known;
  for (const auto& [cluster, contact] : contacts.all())
    known += (known.empty() ? "" : ", ") + cluster;
  return {ec::not_found, "cluster '" + name + "' does not exist; " +
                             (known.empty() ? "there is none" : "there are: " + known)};
}

void add_cluster_lists(method_table& table) {
  table["Query.ListClusterEvents"] = decoded<v1::ListClusterEventsRequest>(list_cluster_events);
  table["Query.ListNodes"] = decoded<v1::ListNodesRequest>(list_nodes);
  table["Query.ListClusters"] = decoded<v1::ListClustersRequest>(list_clusters);
  table["Query.ListPools"] = decoded<v1::ListPoolsRequest>(list_pools);
}

void add_cluster_service(method_table& table) {
  table["ClusterService.ForgetCluster"] = decoded<v1::ForgetClusterRequest>(forget_cluster);
  table["ClusterService.ReleaseNode"] = decoded<v1::ReleaseNodeRequest>(release_node);
}

}  // namespace argosy::actors
