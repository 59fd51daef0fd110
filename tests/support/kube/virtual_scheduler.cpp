// SPDX-License-Identifier: Apache-2.0
#include "tests/support/kube/virtual_scheduler.hpp"

#include <algorithm>
#include <set>

#include "tests/support/kube/pod_amounts.hpp"

namespace argosy::testing {

namespace {

using nlohmann::json;

/// What stands at these places, one within the other; null if there is nothing.
template <class... Names>
json at(const json& from, const Names&... names) {
  const json* found = &from;
  for (const std::string& name : {std::string{names}...}) {
    if (!found->is_object() || !found->contains(name)) return {};
    found = &(*found)[name];
  }
  return *found;
}

std::string label_of(const json& object, const std::string& name) {
  const auto found = at(object, "metadata", "labels");
  return found.is_object() ? found.value(name, std::string{}) : std::string{};
}

std::string name_of(const json& object) {
  return object["metadata"]["name"];
}

std::string node_of(const json& pod) {
  return pod["spec"].value("nodeName", std::string{});
}

bool has_label(const json& object, const std::string& name) {
  const auto found = at(object, "metadata", "labels");
  return found.is_object() && found.contains(name);
}

/// Expressions of node selectors and of label selectors.
bool holds(const json& expression, const json& object) {
  const std::string key = expression["key"];
  const std::string op = expression["operator"];
  const auto values = expression.value("values", json::array());
  const bool is_in = has_label(object, key) &&
                     std::ranges::find(values, json(label_of(object, key))) != values.end();
  if (op == "In") return is_in;
  if (op == "NotIn") return !is_in;
  if (op == "Exists") return has_label(object, key);
  return !has_label(object, key);
}

bool term_holds(const json& term, const json& node) {
  return std::ranges::all_of(term.value("matchExpressions", json::array()),
                             [&](const json& each) { return holds(each, node); });
}

bool node_terms_hold(const json& terms, const json& node) {
  return !terms.is_array() ||
         std::ranges::any_of(terms, [&](const json& each) { return term_holds(each, node); });
}

bool label_selector_holds(const json& selector, const json& object) {
  if (!selector.is_object()) return false;
  for (const auto& [name, value] : selector.value("matchLabels", json::object()).items())
    if (label_of(object, name) != value.get<std::string>()) return false;
  return term_holds(selector, object);
}

bool selects_node(const json& pod, const json& node) {
  const auto wanted = at(pod, "spec", "nodeSelector");
  if (wanted.is_object())
    for (const auto& [name, value] : wanted.items())
      if (!has_label(node, name) || label_of(node, name) != value.get<std::string>()) return false;
  return node_terms_hold(at(pod, "spec", "affinity", "nodeAffinity",
                            "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"),
                         node);
}

bool tolerates(const json& pod, const json& taint) {
  const auto all = at(pod, "spec", "tolerations");
  return all.is_array() && std::ranges::any_of(all, [&](const json& each) {
           const auto effect = each.value("effect", "");
           if (!effect.empty() && effect != taint.value("effect", "")) return false;
           const auto key = each.value("key", "");
           if (key.empty()) return each.value("operator", "") == "Exists";
           if (key != taint.value("key", "")) return false;
           return each.value("operator", "Equal") == "Exists" ||
                  each.value("value", "") == taint.value("value", "");
         });
}

std::set<int> host_ports(const json& pod) {
  std::set<int> out;
  for (const auto& container : pod["spec"].value("containers", json::array()))
    for (const auto& port : container.value("ports", json::array()))
      if (port.value("hostPort", 0) != 0) out.insert(port["hostPort"].get<int>());
  return out;
}

std::vector<std::string> claims_of(const json& pod) {
  std::vector<std::string> out;
  for (const auto& volume : pod["spec"].value("volumes", json::array()))
    if (const auto name = at(volume, "persistentVolumeClaim", "claimName"); name.is_string())
      out.push_back(name);
  return out;
}

/// "0/3 nodes are available: WHY. preemption: ..."; `full` nodes lack room.
std::string sentence(const std::string& why, std::size_t full, std::size_t nodes) {
  const auto none = "0/" + std::to_string(nodes) + " nodes are available: ";
  std::string out = none + why + ". preemption: " + none;
  if (full > 0)
    out += std::to_string(full) + " No preemption victims found for incoming pod" +
           (full < nodes ? ", " : "");
  if (full < nodes)
    out += std::to_string(nodes - full) + " Preemption is not helpful for scheduling";
  return out + ".";
}

std::string sentence(const std::map<std::string, std::size_t>& reasons, std::size_t nodes) {
  std::set<std::string> parts;
  std::size_t full = 0;
  for (const auto& [reason, count] : reasons) {
    parts.insert(std::to_string(count) + " " + reason);
    if (reason.starts_with("Insufficient") || reason == "Too many pods") full += count;
  }
  std::string why;
  for (const auto& each : parts) why += (why.empty() ? "" : ", ") + each;
  return sentence(why, full, nodes);
}

virtual_scheduler::decision nowhere(std::string message, std::string reason = "Unschedulable") {
  return {{}, scheduler_word{std::move(reason), std::move(message)}};
}

}  // namespace

virtual_scheduler::decision virtual_scheduler::place(const json& pod) {
  const std::string name = pod["metadata"]["name"];
  for (const auto& [part, word] : said_)
    if (name.find(part) != std::string::npos) return {{}, word};
  const auto scheduler = pod["spec"].value("schedulerName", std::string{});
  if (!scheduler.empty() && scheduler != "default-scheduler") return {};
  if (!pod["spec"].value("schedulingGates", json::array()).empty())
    return nowhere("Scheduling is blocked due to non-empty scheduling gates", "SchedulingGated");
  const auto& nodes = objects_.all("nodes");
  if (nodes.empty()) return nowhere("no nodes available to schedule pods");
  if (const auto why = no_node_at_all(pod)) return nowhere(sentence(*why, 0, nodes.size()));
  std::map<std::string, std::size_t> reasons;
  for (const auto& [key, node] : nodes) {
    auto why = why_not(pod, node);
    if (why.empty()) return {key.second, std::nullopt};
    ++reasons[why];
  }
  return nowhere(sentence(reasons, nodes.size()));
}

std::optional<std::string> virtual_scheduler::no_node_at_all(const json& pod) {
  const std::string name_space = pod["metadata"]["namespace"];
  for (const auto& name : claims_of(pod)) {
    const auto* const claim = objects_.find("persistentvolumeclaims", {name_space, name});
    if (claim == nullptr) return "persistentvolumeclaim \"" + name + "\" not found";
    if (at(*claim, "metadata", "deletionTimestamp").is_string())
      return "persistentvolumeclaim \"" + name + "\" is being deleted";
    if (at(*claim, "spec", "volumeName").is_null() && !claim->contains("waitsForConsumer"))
      return "pod has unbound immediate PersistentVolumeClaims";
  }
  return std::nullopt;
}

std::string virtual_scheduler::why_not(const json& pod, const json& node) {
  if (const auto off = at(node, "spec", "unschedulable"); off == true)
    return "node(s) were unschedulable";
  for (const auto& taint : node.value("spec", json::object()).value("taints", json::array()))
    if (taint.value("effect", "") != "PreferNoSchedule" && !tolerates(pod, taint))
      return "node(s) had untolerated taint {" + taint.value("key", "") + ": " +
             taint.value("value", "") + "}";
  if (!selects_node(pod, node)) return "node(s) didn't match Pod's node affinity/selector";
  const auto wanted = host_ports(pod);
  for (const auto& [key, other] : objects_.all("pods")) {
    if (node_of(other) != name_of(node) || has_ended(other)) continue;
    const auto taken = host_ports(other);
    if (std::ranges::any_of(wanted, [&](int port) { return taken.contains(port); }))
      return "node(s) didn't have free ports for the requested pod ports";
  }
  if (auto lack = lacks(pod, node); !lack.empty()) return lack;
  if (auto said = volumes_say(pod, node); !said.empty()) return said;
  if (auto said = spread_says(pod, node); !said.empty()) return said;
  return affinity_says(pod, node);
}

std::string virtual_scheduler::lacks(const json& pod, const json& node) {
  std::map<std::string, std::int64_t> left;
  const auto allocatable = at(node, "status", "allocatable");
  for (const auto& [name, amount] : allocatable.items())
    left[name] = amount_of(name, amount.get<std::string>());
  for (const auto& [key, other] : objects_.all("pods")) {
    if (node_of(other) != name_of(node) || has_ended(other)) continue;
    for (auto& [name, amount] : left)
      amount -= name == "pods" ? 1 : pod_amount(other, "requests", name);
  }
  if (allocatable.contains("pods") && left["pods"] < 1) return "Too many pods";
  for (const auto& container : pod["spec"].value("containers", json::array())) {
    const auto requests = at(container, "resources", "requests");
    if (!requests.is_object()) continue;
    for (const auto& [name, amount] : requests.items())
      if (pod_amount(pod, "requests", name) > left[name]) return "Insufficient " + name;
  }
  return {};
}

std::string virtual_scheduler::volumes_say(const json& pod, const json& node) {
  for (const auto& name : claims_of(pod)) {
    const auto* const claim =
        objects_.find("persistentvolumeclaims", {pod["metadata"]["namespace"], name});
    if (claim == nullptr) continue;
    const auto bound = at(*claim, "spec", "volumeName");
    if (!bound.is_string()) continue;
    const auto* const volume = objects_.find("persistentvolumes", {"", bound});
    if (volume == nullptr)
      return "node(s) unavailable due to one or more pvc(s) bound to "
             "non-existent pv(s)";
    if (!node_terms_hold(at(*volume, "spec", "nodeAffinity", "required", "nodeSelectorTerms"),
                         node))
      return "node(s) had volume node affinity conflict";
  }
  return {};
}

std::size_t virtual_scheduler::matching(const json& pod, const json& selector,
                                        const std::string& key, const std::string& value) {
  std::size_t out = 0;
  for (const auto& [name, other] : objects_.all("pods")) {
    if (other["metadata"]["namespace"] != pod["metadata"]["namespace"] || has_ended(other) ||
        !label_selector_holds(selector, other))
      continue;
    const auto* const node = objects_.find("nodes", {"", node_of(other)});
    if (node != nullptr && has_label(*node, key) && label_of(*node, key) == value) ++out;
  }
  return out;
}

std::string virtual_scheduler::affinity_says(const json& pod, const json& node) {
  constexpr const char* required = "requiredDuringSchedulingIgnoredDuringExecution";
  const auto terms = [&](const json& of, const char* what) {
    auto found = at(of, "spec", "affinity", what, required);
    return found.is_array() ? found : json::array();
  };
  for (const auto& term : terms(pod, "podAntiAffinity")) {
    const std::string key = term["topologyKey"];
    if (has_label(node, key) && matching(pod, term["labelSelector"], key, label_of(node, key)) > 0)
      return "node(s) didn't match pod anti-affinity rules";
  }
  for (const auto& term : terms(pod, "podAffinity")) {
    const std::string key = term["topologyKey"];
    if (!has_label(node, key) ||
        (matching(pod, term["labelSelector"], key, label_of(node, key)) == 0 &&
         !label_selector_holds(term["labelSelector"], pod)))
      return "node(s) didn't match pod affinity rules";
  }
  for (const auto& [name, other] : objects_.all("pods"))
    for (const auto& term : terms(other, "podAntiAffinity")) {
      const auto* const of = objects_.find("nodes", {"", node_of(other)});
      const std::string key = term["topologyKey"];
      if (!has_ended(other) && of != nullptr && has_label(*of, key) &&
          label_of(*of, key) == label_of(node, key) &&
          label_selector_holds(term["labelSelector"], pod))
        return "node(s) didn't satisfy existing pods anti-affinity rules";
    }
  return {};
}

std::string virtual_scheduler::spread_says(const json& pod, const json& node) {
  for (const auto& each : pod["spec"].value("topologySpreadConstraints", json::array())) {
    if (each.value("whenUnsatisfiable", "DoNotSchedule") != "DoNotSchedule") continue;
    const std::string key = each["topologyKey"];
    if (!has_label(node, key))
      return "node(s) didn't match pod topology spread constraints (missing required label)";
    const auto selector = each.value("labelSelector", json::object());
    std::size_t least = SIZE_MAX;
    for (const auto& [name, other] : objects_.all("nodes"))
      if (has_label(other, key) && selects_node(pod, other))
        least = std::min(least, matching(pod, selector, key, label_of(other, key)));
    const auto here = matching(pod, selector, key, label_of(node, key)) + 1;
    if (least != SIZE_MAX && here > least + each.value("maxSkew", std::size_t{1}))
      return "node(s) didn't match pod topology spread constraints";
  }
  return {};
}

}  // namespace argosy::testing
