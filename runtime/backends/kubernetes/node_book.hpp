// SPDX-License-Identifier: Apache-2.0
// The nodes of a Kubernetes cluster as the round sees them: what is allocatable, less what pods of
// others request. Pure; it is told of nodes and of the pods of others, and does not see the agent's
// own pods, which the control plane counts itself.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/model/node.hpp"

namespace argosy::backends {

inline constexpr const char* hostname_label = "kubernetes.io/hostname";

/// Which nodes count, and what is told of them.
struct node_rules {
  /// The label by whose value pods are placed. A node without it cannot be given a pod. Empty: pods
  /// are placed by the node's name.
  std::string node_label = hostname_label;
  /// The labels that are told besides node_label and kubernetes.io/hostname; empty: all of them.
  std::vector<std::string> labels;
};

/// The requests of a pod as Kubernetes' scheduler counts them. Amounts that are not whole in their
/// unit are rounded up.
[[nodiscard]] model::resource_list requests_of(const nlohmann::json& pod);

/// The node, with nothing taken off. If its kubelet is silent or not ready, or it has no label by
/// which to place, it takes no work, and a taint of model::trouble_of() says why. Nothing if it has
/// no name.
[[nodiscard]] std::optional<model::node_info> read_node(const nlohmann::json& node,
                                                        const node_rules& rules);

class node_book {
 public:
  explicit node_book(node_rules rules) : rules_(std::move(rules)) {}

  void nodes_listed(const std::vector<nlohmann::json>& nodes);
  /// Whether the node takes less than before: it was cordoned, or has another taint.
  bool node_changed(const nlohmann::json& node);
  void node_gone(const nlohmann::json& node);
  void pods_listed(const std::vector<nlohmann::json>& pods);
  void pod_changed(const nlohmann::json& pod);
  void pod_gone(const nlohmann::json& pod);

  /// Sorted by name.
  [[nodiscard]] std::vector<model::node_info> nodes() const;
  /// The label of a node; nothing if it has none or there is no such node.
  [[nodiscard]] std::optional<std::string> label(const std::string& node,
                                                 const std::string& name) const;
  /// Likewise; null if it has none.
  [[nodiscard]] const std::string* find(const std::string& node, const std::string& name) const;
  [[nodiscard]] bool has(const std::string& node) const { return nodes_.contains(node); }
  [[nodiscard]] std::vector<std::string> names() const;
  /// Whether the control plane is told of labels of this name.
  [[nodiscard]] bool tells(const std::string& label) const;

 private:
  struct known_node {
    model::node_info told;
    std::map<std::string, std::string> labels;  ///< All of them.
  };
  struct foreign_pod {
    std::string node;
    model::resource_list requests;
  };

  const node_rules rules_;
  std::map<std::string, known_node> nodes_;
  std::map<std::string, foreign_pod> pods_;  ///< By uid.
};

}  // namespace argosy::backends
