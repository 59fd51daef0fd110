// SPDX-License-Identifier: Apache-2.0
// The rights without which an agent can run no job, those without which something of its work is
// missing, and how the API server is asked for them (SelfSubjectAccessReview for one right, and
// SelfSubjectRulesReview for those in a namespace, which each user may make). Pure.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/kube/api.hpp"

namespace argosy::backends {

struct needed_right {
  std::string verb;
  std::string resource;      ///< "pods", "pods/log", "ingresses.networking.k8s.io"
  std::string name_space{};  ///< Empty for the whole cluster.
  std::string name{};        ///< The only object that it is for; empty: all.

  bool operator==(const needed_right&) const = default;
};

/// `namespaces` are those of jobs; one empty name stands for all. With `owners_make_pods` the agent
/// makes none.
[[nodiscard]] std::vector<needed_right> needed_rights(const std::vector<std::string>& namespaces,
                                                      bool count_other_pods, bool owners_make_pods);

/// The rights of which an agent makes use whatever its jobs are.
[[nodiscard]] std::vector<needed_right> useful_rights(const std::vector<std::string>& namespaces,
                                                      bool follow_events);
/// The rights without which jobs have no services, or no ingresses; `attached` is "services" or
/// "ingresses".
[[nodiscard]] std::vector<needed_right> attached_rights(const std::string& attached,
                                                        const std::vector<std::string>& namespaces,
                                                        bool owners_make_them);

/// The rules that say, by the word of an API server, what its user may do in a namespace.
struct rules_of_agent {
  nlohmann::json rules;   ///< An array.
  bool are_whole = true;  ///< Nothing is allowed but by one of these rules.
  std::size_t print = 0;  ///< Equal for equal rules, in any order.
};
[[nodiscard]] kube::request rules_question(const std::string& name_space);
/// Returns nothing if the answer does not tell.
[[nodiscard]] std::optional<rules_of_agent> read_rules(const result<kube::answer>& answer);
[[nodiscard]] bool allow(const rules_of_agent& rules, const needed_right& right);

[[nodiscard]] kube::request question_of(const needed_right& right);
/// Whether the answer says that the agent lacks the right. A server that cannot tell has not said
/// so.
[[nodiscard]] bool says_missing(const result<kube::answer>& answer);

/// "create and watch pods in namespace 'jobs'; watch nodes", eight places at most and the number of
/// the others.
[[nodiscard]] std::string to_text(const std::vector<needed_right>& rights);
/// Says, as the end of a clause, what an agent fails to do without these rights and where to give
/// them; empty for none.
[[nodiscard]] std::string lack_of(const std::vector<needed_right>& rights);

}  // namespace argosy::backends
