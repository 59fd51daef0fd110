// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/inheritance.hpp"

#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "runtime/model/queue.hpp"

namespace argosy::backends {

namespace {

model::agent_run run_of(const pod_view& pod) {
  model::agent_run out;
  out.run = *pod.run;
  out.queue = model::queue_name{pod.queue};
  out.job_set = pod.job_set;
  out.node = model::node_name{pod.node};
  out.grace_seconds = pod.grace_seconds;
  out.name_space = pod.name_space;
  out.pod_uid = pod.uid;
  return out;
}

}  // namespace

void drop_copies(std::vector<pod_view>& pods, const std::vector<model::recorded_run>& known) {
  std::map<model::run_key, const model::recorded_run*> records;
  for (const auto& each : known) records.emplace(each.run, &each);
  std::erase_if(pods, [&](const pod_view& pod) {
    const auto record = pod.run ? records.find(*pod.run) : records.end();
    if (record == records.end()) return false;
    const auto& at = *record->second;
    if (!at.pod_uid.empty() && !pod.uid.empty()) return pod.uid != at.pod_uid;
    return !at.name_space.empty() && pod.name_space != at.name_space;
  });
  const auto age = [](const pod_view& pod) {
    return std::tie(pod.created_ns, pod.name_space, pod.name);
  };
  std::map<model::run_key, const pod_view*> first;
  for (const auto& pod : pods)
    if (pod.run) {
      auto& one = first.try_emplace(*pod.run, &pod).first->second;
      if (age(pod) < age(*one)) one = &pod;
    }
  std::vector<pod_view> kept;
  for (auto& pod : pods)
    if (!pod.run || first.at(*pod.run) == &pod) kept.push_back(std::move(pod));
  pods = std::move(kept);
}

model::inherited_runs inherit_pods(const std::vector<pod_view>& pods,
                                   const std::vector<model::recorded_run>& known,
                                   const std::string& cluster, const std::string& control_plane) {
  model::inherited_runs out{control_plane, {}, true};
  std::set<model::run_key> recorded;
  for (const auto& each : known) recorded.insert(each.run);
  for (const auto& pod : pods) {
    if (pod.cluster != cluster || !pod.run || pod.control_plane != control_plane) continue;
    if (recorded.contains(*pod.run)) continue;
    if (model::validate_queue_name(pod.queue, "queue"))
      out.runs.push_back(run_of(pod));
    else
      out.whole = false;
  }
  return out;
}

std::string foreign_pods(const std::vector<pod_view>& pods, const std::string& cluster,
                         const std::string& control_plane) {
  std::size_t count = 0;
  const pod_view* example = nullptr;
  for (const auto& pod : pods)
    if (pod.run && pod.cluster == cluster && !pod.control_plane.empty() &&
        pod.control_plane != control_plane && ++count == 1)
      example = &pod;
  if (example == nullptr) return {};
  return "has " + std::to_string(count) + " pods such as " + example->name_space + "/" +
         example->name + " that control plane " + example->control_plane +
         " calls those of cluster '" + cluster +
         "' as well; this agent leaves them alone. If that control plane is no more, delete them; "
         "if it is in use, give its agent another cluster name";
}

}  // namespace argosy::backends
