// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/link/follow_gaps.hpp"

#include <algorithm>

namespace argosy::backends {

namespace {

/// What the agent's user lacks is said by the API server; where it is given is for us to say.
std::string sentence(const char* what, const error& why) {
  auto out = std::string{"does not tell the agent of "} + what + " (" + why.detail + ")";
  if (why.code == ec::denied)
    out += std::string{"; give its user the rights to list and watch "} + what +
           ", as config/KUBERNETES.md names them";
  return out;
}

}  // namespace

void follow_gaps::interrupted(const std::string& path, const error& why, boot_time now) {
  const auto found = followed_.find(path);
  if (found == followed_.end()) return;
  if (!found->second.since) found->second.since = now;
  found->second.why = why;
}

void follow_gaps::resumed(const std::string& path) {
  if (const auto found = followed_.find(path); found != followed_.end())
    found->second.since.reset();
}

std::optional<follow_gap> follow_gaps::find(boot_time least, boot_time now) const {
  std::optional<follow_gap> nodes;
  std::optional<follow_gap> pods;
  bool all_pods = true;
  for (const auto& [path, each] : followed_) {
    const bool is_open = each.since && now >= each.due(least);
    if (each.is_nodes) {
      if (is_open) nodes = {*each.since, sentence("nodes", each.why), false};
      continue;
    }
    all_pods = all_pods && is_open;
    if (!is_open) continue;
    // It is known of the last one since when nobody tells of any.
    const auto since = pods ? std::max(pods->since, *each.since) : *each.since;
    pods = {since, sentence("pods", each.why), true};
  }
  if (pods && all_pods) return pods;
  return nodes;
}

boot_time follow_gaps::next_due(boot_time least, boot_time now) const {
  auto due = boot_time::max();
  for (const auto& [path, each] : followed_)
    if (each.since && now < each.due(least)) due = std::min(due, each.due(least));
  return due;
}

}  // namespace argosy::backends
