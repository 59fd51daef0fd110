// SPDX-License-Identifier: Apache-2.0
// The part of virtual_cluster by which a test changes the cluster.
#include <utility>
#include <vector>

#include "tests/support/kube/pod_amounts.hpp"
#include "tests/support/kube/virtual_cluster.hpp"

namespace argosy::testing {

namespace {

using nlohmann::json;

json ready(const std::string& status) {
  return {{{"type", "Ready"}, {"status", status}}};
}

}  // namespace

void virtual_cluster::add_node(const std::string& name, const json& labels) {
  json node{{"metadata", {{"name", name}, {"labels", labels}}},
            {"status",
             {{"allocatable",
               {{"cpu", "4"}, {"memory", "8Gi"}, {"ephemeral-storage", "100Gi"}, {"pods", "110"}}},
              {"conditions", ready("True")},
              {"addresses", {{{"type", "InternalIP"}, {"address", "10.1.0.1"}}}}}}};
  node["metadata"]["labels"]["kubernetes.io/hostname"] = name;
  put("nodes", std::move(node));
}

void virtual_cluster::put(const std::string& kind, json object) {
  const std::lock_guard guard{mutex_};
  objects_.put(kind, std::move(object));
  work();
}

void virtual_cluster::change(const std::string& kind, const std::string& name_space,
                             const std::string& name, const std::function<void(json&)>& how) {
  const std::lock_guard guard{mutex_};
  auto* const found = objects_.find(kind, {name_space, name});
  if (found == nullptr) return;
  how(*found);
  objects_.touch(kind, *found);
  work();
}

void virtual_cluster::erase(const std::string& kind, const std::string& name_space,
                            const std::string& name) {
  const std::lock_guard guard{mutex_};
  objects_.erase(kind, {name_space, name});
  work();
}

void virtual_cluster::set_quota(kube_quota quota) {
  const std::lock_guard guard{mutex_};
  quotas_.set(std::move(quota));
}

void virtual_cluster::remove_quota(const std::string& name_space, const std::string& name) {
  const std::lock_guard guard{mutex_};
  quotas_.remove(name_space, name);
}

void virtual_cluster::set_scheduler(bool works) {
  const std::lock_guard guard{mutex_};
  schedules_ = works;
  work();
}

void virtual_cluster::scheduler_says(const std::string& part, scheduler_word word) {
  const std::lock_guard guard{mutex_};
  scheduler_.say(part, std::move(word));
  work();
}

void virtual_cluster::scheduler_says_nothing() {
  const std::lock_guard guard{mutex_};
  scheduler_.say_nothing();
  work();
}

void virtual_cluster::set_kubelet(bool works) {
  const std::lock_guard guard{mutex_};
  kubelet_.set_works(works);
  work();
}

void virtual_cluster::set_kubelet(const std::string& node, bool works) {
  change("nodes", "", node,
         [&](json& of) { of["status"]["conditions"] = ready(works ? "True" : "Unknown"); });
  const std::lock_guard guard{mutex_};
  kubelet_.set_works(node, works);
  work();
}

void virtual_cluster::set_log_rotation(std::size_t bytes) {
  const std::lock_guard guard{mutex_};
  kubelet_.set_rotation(bytes);
}

void virtual_cluster::print(const std::string& name_space, const std::string& pod,
                            const std::string& text) {
  const std::lock_guard guard{mutex_};
  kubelet_.print({name_space, pod}, text);
}

void virtual_cluster::finish(const std::string& name_space, const std::string& pod, int exit_code) {
  const std::lock_guard guard{mutex_};
  kubelet_.finish({name_space, pod}, exit_code);
  work();
}

void virtual_cluster::drain(const std::string& node) {
  change("nodes", "", node, [](json& of) { of["spec"]["unschedulable"] = true; });
  const std::lock_guard guard{mutex_};
  std::vector<object_store::key> evicted;
  for (const auto& [at, pod] : objects_.all("pods"))
    if (pod["spec"].value("nodeName", "") == node && !has_ended(pod)) evicted.push_back(at);
  for (const auto& at : evicted) {
    auto& pod = *objects_.find("pods", at);
    pod["metadata"]["deletionTimestamp"] = clock.text();
    pod["status"]["conditions"].push_back({{"type", "DisruptionTarget"},
                                           {"status", "True"},
                                           {"reason", "EvictionByEvictionAPI"},
                                           {"message", "Eviction API: evicting"}});
    objects_.touch("pods", pod);
  }
  work();
}

void virtual_cluster::delete_by_hand(const std::string& name_space, const std::string& pod) {
  const std::lock_guard guard{mutex_};
  kubelet_.vanish({name_space, pod});
  work();
}

void virtual_cluster::cut_watches(bool forget) {
  const std::lock_guard guard{mutex_};
  ++life_;
  if (forget) objects_.forget();
  changed_.notify_all();
}

}  // namespace argosy::testing
