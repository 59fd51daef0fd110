// SPDX-License-Identifier: Apache-2.0
// The verbs cordon, uncordon and drain, which nodes and clusters have alike.
#pragma once

#include <string>

#include "bins/argosyctl/output/text.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/system/node_place.hpp"

namespace argosy::ctl {

/// A node, or the whole cluster if no node is named.
struct cordon_target {
  std::string cluster;
  std::string node{};

  [[nodiscard]] std::string text() const {
    return node.empty() ? "cluster/" + escaped(cluster) : "node/" + escaped(cluster + "/" + node);
  }
};

/// Names a node among all nodes.
class named_node {
 public:
  static constexpr const char* example = "argosyctl node {} east-1/n7";
  static constexpr std::string_view completes = "nodes";
  void add_options(CLI::App& app) { name_.add_options(app); }
  [[nodiscard]] result<cordon_target> find(client& server) const {
    auto node = name_.find(server);
    if (!node) return fail(std::move(node.error()));
    return cordon_target{node->cluster, node->node};
  }

 private:
  node_name_option name_;
};

/// Names a cluster, of which the server knows whether it exists.
class named_cluster {
 public:
  static constexpr const char* example = "argosyctl cluster {} east-1";
  static constexpr std::string_view completes = "clusters";
  void add_options(CLI::App& app) {
    takes_printed(app.add_option("name", name_, "Name of the cluster"), "cluster")
        ->required()
        ->type_name("CLUSTER");
  }
  [[nodiscard]] result<cordon_target> find(client&) const { return cordon_target{name_}; }

 private:
  std::string name_;
};

/// Adds node cordon, node uncordon and node drain.
void define_node_cordons(CLI::App& node, command_set& commands);
/// Adds cluster cordon, cluster uncordon and cluster drain.
void define_cluster_cordons(CLI::App& cluster, command_set& commands);
void define_node_drain(CLI::App& node, command_set& commands);
void define_cluster_drain(CLI::App& cluster, command_set& commands);

}  // namespace argosy::ctl
