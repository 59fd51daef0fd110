// SPDX-License-Identifier: Apache-2.0
// What keeps a node from looking after its pods: its kubelet is silent or not ready, or the node is
// gone. Pure.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace argosy::backends {

struct node_state {
  bool is_gone = false;    ///< Kubernetes has no such node any more.
  bool is_silent = false;  ///< Its kubelet says nothing; else it says that it is not ready.
  std::string message;     ///< What Kubernetes says of it.
  std::string since{};     ///< Since when, by Kubernetes' clock; empty: that is not known.

  friend bool operator==(const node_state&, const node_state&) = default;
};

/// What is wrong with a node; nothing if it is ready.
[[nodiscard]] std::optional<node_state> read_node_state(const nlohmann::json& node);

/// Why nothing can be had from the node's kubelet, in a sentence; empty if it may answer.
[[nodiscard]] std::string silence_of(const std::string& node, const node_state& state);

/// The nodes as they were told.
class node_states {
 public:
  /// These return the nodes of which something else has to be said now.
  std::vector<std::string> listed(const std::vector<nlohmann::json>& nodes);
  std::vector<std::string> changed(const nlohmann::json& node);
  std::vector<std::string> gone(const nlohmann::json& node);

  /// Null: nothing is wrong with it as far as is known. After the first list, a node that was not
  /// told is gone.
  [[nodiscard]] const node_state* find(const std::string& node) const;

 private:
  void set(const std::string& node, const std::optional<node_state>& state,
           std::vector<std::string>& news);

  bool is_listed_ = false;
  std::map<std::string, std::optional<node_state>> nodes_;
};

}  // namespace argosy::backends
