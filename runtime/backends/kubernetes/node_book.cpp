// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/node_book.hpp"

#include <algorithm>
#include <array>

#include "runtime/backends/kubernetes/object.hpp"
#include "runtime/model/amounts.hpp"
#include "runtime/model/node_trouble.hpp"
#include "runtime/model/pod_requests.hpp"
#include "runtime/model/quantity.hpp"

namespace argosy::backends {

namespace {

using object::json;
using object::part;
using object::text;

/// The amount of a quantity, which stands as a text or as a number. Thousandths of bytes, in which
/// Kubernetes writes what it has computed, are rounded up.
std::int64_t amount(const std::string& resource, const json& quantity) {
  const auto words = quantity.is_string() ? quantity.get<std::string>() : quantity.dump();
  const auto unit = model::unit_of(resource);
  if (const auto exact = model::parse_quantity(words, unit)) return *exact;
  const auto fine = model::parse_quantity(words, model::resource_unit::milli);
  constexpr std::int64_t thousand = 1000;
  return fine ? *fine / thousand + (*fine % thousand != 0 ? 1 : 0) : 0;
}

model::resource_list amounts(const json& resources) {
  model::resource_list out;
  if (!resources.is_object()) return out;
  for (const auto& [name, quantity] : resources.items())
    if (const auto value = amount(name, quantity); value > 0) model::add(out, {{name, value}});
  return out;
}

/// Requests of one container; what has only a limit requests that.
model::resource_list container_requests(const json& container) {
  auto out = amounts(part(container, "resources", "requests"));
  for (const auto& [name, value] : amounts(part(container, "resources", "limits")))
    if (model::amount_of(out, name) == 0) model::add(out, {{name, value}});
  return out;
}

/// "True", "False", or "Unknown", as Kubernetes has it. A kubelet that has never said anything is
/// not ready.
std::string readiness_of(const json& node) {
  for (const auto& each : part(node, "status", "conditions"))
    if (text(each, "type") == "Ready") return text(each, "status");
  return "False";
}

/// Takes the node out of use, with a taint that says why. Kubernetes gives its own to nodes itself,
/// a moment later.
void shut(model::node_info& node, const char* taint, const std::string& value = {}) {
  node.unschedulable = true;
  const auto has = std::ranges::find(node.taints, taint, &model::taint::key);
  if (has == node.taints.end()) node.taints.push_back({taint, value, "NoSchedule"});
}

bool counts(const json& pod) {
  const auto phase = text(part(pod, "status"), "phase");
  return phase != "Succeeded" && phase != "Failed" && !text(part(pod, "spec"), "nodeName").empty();
}

std::string uid_of(const json& object) {
  return text(part(object, "metadata"), "uid");
}

std::string name_of(const json& object) {
  return text(part(object, "metadata"), "name");
}

bool is_told(const std::string& label, const node_rules& rules) {
  return rules.labels.empty() || label == rules.node_label || label == hostname_label ||
         std::ranges::find(rules.labels, label) != rules.labels.end();
}

}  // namespace

model::resource_list requests_of(const json& pod) {
  const auto& spec = part(pod, "spec");
  std::vector<model::resource_list> containers;
  for (const auto& each : part(spec, "containers")) containers.push_back(container_requests(each));
  std::vector<model::init_container> init;
  for (const auto& each : part(spec, "initContainers"))
    init.push_back({container_requests(each), text(each, "restartPolicy") == "Always"});
  return model::pod_requests(containers, init, amounts(part(spec, "overhead")));
}

std::optional<model::node_info> read_node(const json& node, const node_rules& rules) {
  model::node_info out;
  out.name = model::node_name{name_of(node)};
  const auto& labels = part(node, "metadata", "labels");
  if (out.name.empty()) return std::nullopt;
  out.total = amounts(part(node, "status", "allocatable"));
  out.allocatable = out.total;
  if (labels.is_object())
    for (const auto& [name, value] : labels.items()) {
      if (is_told(name, rules) && value.is_string())
        out.labels.emplace_back(name, value.get<std::string>());
    }
  std::ranges::sort(out.labels);
  for (const auto& each : part(node, "spec", "taints"))
    out.taints.push_back({text(each, "key"), text(each, "value"), text(each, "effect")});
  out.unschedulable = object::flag(part(node, "spec"), "unschedulable");
  const auto ready = readiness_of(node);
  if (ready != "True")
    shut(out, ready == "False" ? model::unready_kubelet_taint : model::silent_kubelet_taint);
  if (!rules.node_label.empty() && text(labels, rules.node_label.c_str()).empty())
    shut(out, model::unlabelled_taint, rules.node_label);
  return out;
}

void node_book::nodes_listed(const std::vector<json>& nodes) {
  nodes_.clear();
  for (const auto& each : nodes) node_changed(each);
}

bool node_book::node_changed(const json& node) {
  auto told = read_node(node, rules_);
  if (!told) {
    node_gone(node);
    return false;
  }
  const auto [at, is_new] = nodes_.try_emplace(told->name);
  auto& known = at->second;
  const bool takes_less =
      !is_new && ((told->unschedulable && !known.told.unschedulable) ||
                  std::ranges::any_of(told->taints, [&](const model::taint& each) {
                    return std::ranges::find(known.told.taints, each) == known.told.taints.end();
                  }));
  known.told = std::move(*told);
  known.labels.clear();
  if (const auto& labels = part(node, "metadata", "labels"); labels.is_object())
    for (const auto& [name, value] : labels.items())
      if (value.is_string()) known.labels[name] = value.get<std::string>();
  return takes_less;
}

void node_book::node_gone(const json& node) {
  nodes_.erase(name_of(node));
}

void node_book::pods_listed(const std::vector<json>& pods) {
  pods_.clear();
  for (const auto& each : pods) pod_changed(each);
}

void node_book::pod_changed(const json& pod) {
  if (!counts(pod)) return pod_gone(pod);
  pods_[uid_of(pod)] = {text(part(pod, "spec"), "nodeName"), requests_of(pod)};
}

void node_book::pod_gone(const json& pod) {
  pods_.erase(uid_of(pod));
}

std::vector<model::node_info> node_book::nodes() const {
  std::map<std::string, model::resource_list> taken;
  for (const auto& [uid, pod] : pods_) model::add(taken[pod.node], pod.requests);
  std::vector<model::node_info> out;
  out.reserve(nodes_.size());
  for (const auto& [name, node] : nodes_) {
    auto told = node.told;
    if (const auto held = taken.find(name); held != taken.end())
      for (auto& [resource, value] : told.allocatable)
        value = std::max<std::int64_t>(value - model::amount_of(held->second, resource), 0);
    out.push_back(std::move(told));
  }
  return out;
}

const std::string* node_book::find(const std::string& node, const std::string& name) const {
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return nullptr;
  const auto label = found->second.labels.find(name);
  return label == found->second.labels.end() ? nullptr : &label->second;
}

std::optional<std::string> node_book::label(const std::string& node,
                                            const std::string& name) const {
  const auto* found = find(node, name);
  return found == nullptr ? std::nullopt : std::optional{*found};
}

std::vector<std::string> node_book::names() const {
  std::vector<std::string> out;
  for (const auto& [name, node] : nodes_) out.push_back(name);
  return out;
}

bool node_book::tells(const std::string& label) const {
  return is_told(label, rules_);
}

}  // namespace argosy::backends
