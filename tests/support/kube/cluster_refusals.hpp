// SPDX-License-Identifier: Apache-2.0
// What the API server of the tests refuses, with the statuses and words of a real one: rights that
// are missing, namespaces that are gone, a server that is busy, out of order or of another version.
// All functions are safe to call from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "tests/support/kube/kube_request.hpp"

namespace argosy::testing {

/// Requests with this verb ("WATCH" for watches) whose path has this part are answered so; an empty
/// text stands for all.
struct kube_refusal {
  std::string verb;
  std::string part;  ///< "/namespaces/jobs/pods"
  int status = 403;
  std::string message{};
  int times = 1;  ///< So often; 0: until it is lifted.
  std::string reason = "Refused";
  std::optional<std::chrono::seconds> retry_after{};
  /// The right that is missing, "get pods/log", and in which namespace; empty: in all. Requests are
  /// refused that need it, whatever verb and part say.
  std::string right{};
  std::string name_space{};
};

/// The agent lacks a right, and is told so when it asks: `verb` is that of Kubernetes ("create",
/// "delete", "get", "list", "watch"), `resource` "pods" or "pods/log"; an empty namespace is that
/// of cluster-wide objects.
[[nodiscard]] kube_refusal no_right(const std::string& verb, const std::string& resource,
                                    const std::string& name_space);
/// Objects of this kind cannot be made in a namespace that is not there, or that is being deleted.
[[nodiscard]] kube_refusal no_namespace(const std::string& name_space);
[[nodiscard]] kube_refusal ending_namespace(const std::string& name_space);
/// An admission webhook says no.
[[nodiscard]] kube_refusal webhook_denies(const std::string& webhook, const std::string& words);
/// 429, as priority and fairness answer, and 500 to 504.
[[nodiscard]] kube_refusal too_many(const std::string& verb, std::chrono::seconds retry_after);
[[nodiscard]] kube_refusal out_of_order(const std::string& verb, int status = 503);

class cluster_refusals {
 public:
  /// Returns a number for lift().
  std::uint64_t add(kube_refusal what);
  void lift(std::uint64_t refusal);
  void lift();
  /// The answer of the first refusal that fits, which counts as one of its times.
  [[nodiscard]] std::optional<kube_answer> judge(const kube_request& what);
  /// The answer to a SelfSubjectAccessReview: the rights that judge() finds missing are denied.
  [[nodiscard]] kube_answer review(const kube_request& what);
  /// The answer to a SelfSubjectRulesReview: all rights to what agents use, less the missing ones.
  [[nodiscard]] kube_answer rules(const kube_request& what);

 private:
  /// The mutex is held.
  [[nodiscard]] bool lacks(const std::string& right, const std::string& name_space) const;

  std::mutex mutex_;
  std::map<std::uint64_t, kube_refusal> refusals_;
  std::uint64_t last_ = 0;
};

}  // namespace argosy::testing
