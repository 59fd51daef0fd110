// SPDX-License-Identifier: Apache-2.0
#include "tests/support/kube/virtual_kubelet.hpp"

#include <vector>

#include "tests/support/kube/pod_amounts.hpp"
#include "tests/support/kube/pod_script.hpp"

namespace argosy::testing {

namespace {

using nlohmann::json;

constexpr int terminated = 143;

std::string phase_of(const json& pod) {
  return pod.value("status", json::object()).value("phase", std::string{});
}

bool is_deleted(const json& pod) {
  return pod["metadata"].contains("deletionTimestamp");
}

std::string waits_for(const json& pod) {
  const auto all = pod["status"].value("containerStatuses", json::array());
  if (all.empty()) return {};
  return all[0]["state"].value("waiting", json::object()).value("reason", std::string{});
}

}  // namespace

void virtual_kubelet::set_works(const std::string& node, bool works) {
  if (works)
    silent_.erase(node);
  else
    silent_.insert(node);
}

bool virtual_kubelet::works_for(const json& pod) const {
  const auto node = pod["spec"].value("nodeName", std::string{});
  return works_ && !silent_.contains(node);
}

void virtual_kubelet::work() {
  std::vector<key> all;
  for (const auto& [at, pod] : objects_.all("pods"))
    if (works_for(pod)) all.push_back(at);
  for (const auto& at : all) {
    auto& pod = *objects_.find("pods", at);
    if (is_deleted(pod))
      end(at);
    else if (!pod["spec"].value("nodeName", std::string{}).empty() && phase_of(pod) == "Pending")
      begin(pod);
  }
}

void virtual_kubelet::begin(json& pod) {
  const auto script = read_script(pod);
  const key at{pod["metadata"]["namespace"], pod["metadata"]["name"]};
  if (const auto lack = missing_volume(pod); !lack.empty()) {
    if (waits_for(pod) == "ContainerCreating") return;
    objects_.set_status("pods", at, script.waiting("ContainerCreating", {}));
    return tell_event(pod, "FailedMount", lack);
  }
  print(at, script.output);
  objects_.set_status("pods", at, script.running(clock_.text()));
  if (!script.goes_on) finish(at, script.exit_code);
}

void virtual_kubelet::finish(const key& at, int exit_code) {
  const auto* const pod = objects_.find("pods", at);
  if (pod != nullptr)
    objects_.set_status("pods", at, read_script(*pod).ended(exit_code, clock_.text()));
}

void virtual_kubelet::end(const key& at) {
  auto* const pod = objects_.find("pods", at);
  if (phase_of(*pod) == "Running") {
    const auto why = (*pod)["status"].value("conditions", json::array());
    finish(at, terminated);
    // Who disrupted it stays to be read.
    for (const auto& each : why)
      if (each.value("type", "") == "DisruptionTarget") {
        (*pod)["status"]["conditions"].push_back(each);
        objects_.touch("pods", *pod);
      }
  }
  objects_.erase("pods", at);
}

void virtual_kubelet::vanish(const key& at) {
  auto* const pod = objects_.find("pods", at);
  if (pod == nullptr) return;
  (*pod)["metadata"]["deletionTimestamp"] = clock_.text();
  end(at);
}

void virtual_kubelet::print(const key& pod, const std::string& text) {
  auto& all = output_[pod];
  const auto now = clock_.now().time_since_epoch();
  // It is rotated when there is too much, so that what comes is in the next file.
  if (rotation_ > 0 && all.bytes() > rotation_) all.rotate();
  all.print(text, std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

const pod_log* virtual_kubelet::output(const key& pod) const {
  const auto found = output_.find(pod);
  return found == output_.end() ? nullptr : &found->second;
}

std::string virtual_kubelet::missing_volume(const json& pod) {
  const std::string name_space = pod["metadata"]["namespace"];
  for (const auto& volume : pod["spec"].value("volumes", json::array())) {
    const auto lacks = [&](const char* field, const char* name, const char* kind) -> std::string {
      if (!volume.contains(field) || volume[field].value("optional", false)) return {};
      const auto wanted = volume[field].value(name, std::string{});
      return objects_.find(kind, {name_space, wanted}) == nullptr ? wanted : std::string{};
    };
    const auto says = [&](const std::string& kind, const std::string& wanted) {
      return "MountVolume.SetUp failed for volume \"" + volume.value("name", std::string{}) +
             "\" : " + kind + " \"" + wanted + "\" not found";
    };
    if (const auto wanted = lacks("secret", "secretName", "secrets"); !wanted.empty())
      return says("secret", wanted);
    if (const auto wanted = lacks("configMap", "name", "configmaps"); !wanted.empty())
      return says("configmap", wanted);
  }
  return {};
}

void virtual_kubelet::tell_event(const json& pod, const std::string& reason,
                                 const std::string& message) {
  const auto& meta = pod["metadata"];
  objects_.put(
      "events",
      {{"metadata",
        {{"namespace", meta["namespace"]},
         {"name", meta["name"].get<std::string>() + "." + std::to_string(objects_.version())}}},
       {"involvedObject",
        {{"kind", "Pod"},
         {"namespace", meta["namespace"]},
         {"name", meta["name"]},
         {"uid", meta["uid"]}}},
       {"type", "Warning"},
       {"reason", reason},
       {"message", message},
       {"count", 1},
       {"lastTimestamp", clock_.text()}});
}

}  // namespace argosy::testing
