// SPDX-License-Identifier: Apache-2.0
// Objects of kind ResourceQuota in a cluster of the tests, and the words with which a pod beyond
// them is refused. It is used under the lock of its owner.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/kube/object_store.hpp"

namespace argosy::testing {

struct kube_quota {
  std::string name_space;
  std::string name;
  /// By resource ("pods", "requests.cpu", "requests.memory", "limits.cpu"), as Kubernetes writes
  /// amounts.
  std::map<std::string, std::string> hard;
  /// What others have of it, beside the pods that are there.
  std::map<std::string, std::string> others{};
};

class cluster_quotas {
 public:
  explicit cluster_quotas(object_store& objects) : objects_(objects) {}

  /// Sets the quota of this namespace and name.
  void set(kube_quota quota);
  void remove(const std::string& name_space, const std::string& name);
  /// Why the pod does not fit; nothing if it does.
  [[nodiscard]] std::optional<kube_answer> judge(const object_store::json& pod);

 private:
  [[nodiscard]] std::int64_t used(const kube_quota& quota, const std::string& resource);

  object_store& objects_;
  std::map<object_store::key, kube_quota> quotas_;
};

}  // namespace argosy::testing
