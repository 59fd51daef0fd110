// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/inheritance.hpp"

#include <utility>

#include "runtime/model/queue.hpp"

namespace argosy::backends {

namespace {

model::agent_run run_of(const pod_view& pod) {
  model::agent_run out;
  out.run = *pod.run;
  out.queue = pod.queue;
  out.job_set = pod.job_set;
  out.node = pod.node;
  out.grace_seconds = pod.grace_seconds;
  return out;
}

}  // namespace

model::inherited_runs inherit_pods(const std::vector<pod_view>& pods,
                                   const std::set<model::run_key>& known,
                                   const std::string& cluster, const std::string& control_plane) {
  model::inherited_runs out{control_plane, {}, true};
  if (control_plane.empty()) {
    std::set<std::string> named;
    for (const auto& pod : pods)
      if (pod.cluster == cluster && pod.run) named.insert(pod.control_plane);
    if (named.size() > 1) return {};
    if (!named.empty()) out.control_plane = *named.begin();
  }
  for (const auto& pod : pods) {
    if (pod.cluster != cluster || !pod.run || pod.control_plane != out.control_plane) continue;
    if (known.contains(*pod.run)) continue;
    if (model::validate_queue_name(pod.queue, "queue"))
      out.runs.push_back(run_of(pod));
    else
      out.whole = false;
  }
  return out;
}

}  // namespace argosy::backends
