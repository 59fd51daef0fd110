// SPDX-License-Identifier: Apache-2.0
// The way in which verbs name one node: alone, as CLUSTER/NODE, or with --cluster; and what is said
// of names of places that nobody has.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "bins/argosyctl/client/client.hpp"

namespace argosy::ctl {

struct node_place {
  std::string cluster;
  std::string node;

  [[nodiscard]] std::string id() const { return cluster + "/" + node; }
};

/// Finds the node among all, so that an unknown name is answered with the closest one, and a name
/// that several clusters have is refused. `name` may be CLUSTER/NODE; `cluster` may be empty.
[[nodiscard]] result<node_place> find_node(client& server, const std::string& name,
                                           const std::string& cluster);

// Each fails with ec::not_found and the closest name if a name is unknown; empty ones are not asked
// about.
[[nodiscard]] result<void> check_cluster(client& server, const std::string& name);
[[nodiscard]] result<void> check_pools(client& server, const std::vector<std::string>& names);

/// Fails with ec::not_found if the server has no priority class of one of these names.
[[nodiscard]] result<void> check_classes(client& server, const std::vector<std::string>& names);

class node_name_option {
 public:
  void add_options(CLI::App& app);

  /// Does what find_node() does.
  [[nodiscard]] result<node_place> find(client& server) const;

 private:
  std::string name_;
  std::string cluster_;
};

}  // namespace argosy::ctl
