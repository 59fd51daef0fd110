// SPDX-License-Identifier: Apache-2.0
// The scheduler of a cluster of the tests: where a pod goes, or why it goes nowhere, in the words
// of the real one (1.30). It looks at selectors and required node affinity, taints, cordons, what
// nodes have left, host ports, required pod (anti-)affinity, spread constraints that are required,
// claims, volumes with a node affinity, gates and the scheduler's name. A test may have it say
// anything else. It is used under the lock of its owner.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/kube/object_store.hpp"

namespace argosy::testing {

struct scheduler_word {
  std::string reason = "Unschedulable";  ///< Or "SchedulingGated".
  std::string message;
};

class virtual_scheduler {
 public:
  using json = nlohmann::json;

  struct decision {
    std::string node;                   ///< Empty: nowhere.
    std::optional<scheduler_word> why;  ///< Nothing: the pod is not this scheduler's.
  };

  explicit virtual_scheduler(object_store& objects) : objects_(objects) {}

  /// Pods whose names have this part get no place, for this reason.
  void say(const std::string& part, scheduler_word word) { said_[part] = std::move(word); }
  void say_nothing() { said_.clear(); }
  [[nodiscard]] decision place(const json& pod);

 private:
  /// Why the pod cannot go to any node at all.
  [[nodiscard]] std::optional<std::string> no_node_at_all(const json& pod);
  /// Why the pod cannot go to this node; empty if it can.
  [[nodiscard]] std::string why_not(const json& pod, const json& node);
  [[nodiscard]] std::string lacks(const json& pod, const json& node);
  [[nodiscard]] std::string affinity_says(const json& pod, const json& node);
  [[nodiscard]] std::string spread_says(const json& pod, const json& node);
  [[nodiscard]] std::string volumes_say(const json& pod, const json& node);
  /// How many pods with these labels are in the domain of the node.
  [[nodiscard]] std::size_t matching(const json& pod, const json& selector, const std::string& key,
                                     const std::string& value);

  object_store& objects_;
  std::map<std::string, scheduler_word> said_;
};

}  // namespace argosy::testing
