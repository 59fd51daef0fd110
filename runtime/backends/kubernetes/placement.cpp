// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/placement.hpp"

#include "runtime/access/pods/judge_pod.hpp"
#include "runtime/backends/kubernetes/object.hpp"
#include "runtime/backends/kubernetes/pod_view.hpp"

namespace argosy::backends {

namespace {

using object::json;

constexpr const char* uniformity_annotation = "armadaproject.io/gangNodeUniformityLabel";
constexpr const char* uniformity_variable = "ARMADA_GANG_NODE_UNIFORMITY_LABEL_VALUE";
constexpr const char* own_uniformity_variable = "ARGOSY_GANG_NODE_UNIFORMITY_LABEL_VALUE";

/// The members of a gang learn the value that the label has on their nodes.
void add_uniformity(json& pod, const std::string& node, const node_book& nodes) {
  const auto label =
      object::text(object::part(pod, "metadata", "annotations"), uniformity_annotation);
  const auto value = label.empty() ? std::nullopt : nodes.label(node, label);
  if (!value) return;
  for (const auto* kind : {"initContainers", "containers"}) {
    if (!object::part(pod, "spec", kind).is_array()) continue;
    for (auto& container : pod["spec"][kind])
      for (const auto* name : {uniformity_variable, own_uniformity_variable})
        container["env"].push_back({{"name", name}, {"value", *value}});
  }
}

/// Makes the host of a rule, "main-80-armada-x-0.jobs.", complete.
void add_suffix(json& host, const std::string& suffix) {
  auto text = host.get<std::string>();
  while (text.ends_with('.')) text.pop_back();
  if (!suffix.empty()) text += (suffix.starts_with('.') ? "" : ".") + suffix;
  host = text;
}

/// The labels by which the agent finds the object again, whatever the job's own say.
void mark(json& object, const std::string& control_plane, const std::string& cluster) {
  auto& labels = object["metadata"]["labels"];
  labels[pod_key::cluster] = cluster;
  labels.erase(pod_key::control_plane);
  if (!control_plane.empty()) labels[pod_key::control_plane] = control_plane;
}

/// Says in the pod whether its lease lapses, so that whichever agent finds it ends it in time.
void mark_lapse(json& pod, const model::start_run& order) {
  auto& annotations = pod["metadata"]["annotations"];
  if (annotations.is_object()) annotations.erase(pod_key::lapse);
  if (order.lapses && !order.keep_on_disconnect) annotations[pod_key::lapse] = "true";
}

result<void> judge(const std::vector<access::pod_demand>& demands, const std::string& queue,
                   const placement_rules& rules) {
  const auto refused =
      access::judge_pod(demands, access::policy_of(rules.set.policies, queue), queue,
                        "kubernetes.podPolicies of the agent of cluster '" + rules.cluster + "'");
  if (refused.empty()) return {};
  return fail(ec::denied, access::text_of(refused, {}));
}

/// Refuses a manifest for another namespace than that of the order, by which the agent has judged
/// whether it serves the run.
result<void> check_namespace(const json& object, const model::start_run& order) {
  const auto own = object::text(object::part(object, "metadata"), "namespace");
  if (own == order.name_space) return {};
  return fail(ec::denied, "the manifest is for namespace '" + std::string{own} +
                              "', and the run for '" + order.name_space + "'");
}

void place_ingress(json& object, const ingress_rules& rules) {
  auto& annotations = object["metadata"]["annotations"];
  for (const auto& [name, value] : rules.annotations)
    if (!annotations.contains(name)) annotations[name] = value;
  for (auto& rule : object["spec"]["rules"]) add_suffix(rule["host"], rules.host_suffix);
  // The API server takes one of both alone.
  if (!rules.class_name.empty() && !annotations.contains("kubernetes.io/ingress.class"))
    object["spec"]["ingressClassName"] = rules.class_name;
  if (!object["spec"].contains("tls")) return;
  for (auto& tls : object["spec"]["tls"]) {
    for (auto& host : tls["hosts"]) add_suffix(host, rules.host_suffix);
    // The name of the namespace's certificate, which the job leaves to the cluster.
    if (!tls.contains("secretName") && !rules.certificate_suffix.empty())
      tls["secretName"] =
          object::text(object["metadata"], "namespace") + "-" + rules.certificate_suffix;
  }
}

}  // namespace

result<std::vector<json>> place_attached(const std::vector<std::string>& manifests,
                                         const model::start_run& order,
                                         const std::string& control_plane,
                                         const placement_rules& rules) {
  std::vector<json> out;
  for (const auto& each : manifests) {
    auto object = json::parse(each, nullptr, false);
    if (!object.is_object() || !object::part(object, "metadata", "labels").is_object() ||
        !object::part(object, "spec").is_object())
      return fail(ec::corrupt, "the manifest of a service is no object with metadata and spec");
    if (auto fits = check_namespace(object, order); !fits) return fail(std::move(fits.error()));
    if (auto allowed = judge(access::demands_of_attached(object), order.queue, rules); !allowed)
      return fail(std::move(allowed.error()));
    mark(object, control_plane, rules.cluster);
    if (object::text(object, "kind") == "Ingress") place_ingress(object, rules.set.ingresses);
    out.push_back(std::move(object));
  }
  return out;
}

result<json> place_pod(const std::string& manifest, const model::start_run& order,
                       const std::string& control_plane, const node_book& nodes,
                       const placement_rules& rules) {
  auto pod = json::parse(manifest, nullptr, false);
  if (!pod.is_object() || !object::part(pod, "metadata", "labels").is_object() ||
      !object::part(pod, "spec").is_object())
    return fail(ec::corrupt, "the manifest of the pod is no object with metadata and spec");
  if (auto fits = check_namespace(pod, order); !fits) return fail(std::move(fits.error()));
  // What the operator gives to pods is not for the policy to judge, which is for jobs.
  const auto& policy = access::policy_of(rules.set.policies, order.queue);
  auto own = pod;
  access::harden_pod(own["spec"], policy);
  if (auto allowed = judge(access::demands_of_pod(own), order.queue, rules); !allowed)
    return fail(std::move(allowed.error()));
  if (!rules.bare) add_defaults(rules.defaults, order.queue, pod);
  access::harden_pod(pod["spec"], policy);
  if (!nodes.has(order.node))
    return fail(ec::not_found, "node '" + order.node + "' is not there any more");
  if (rules.set.placement == pod_placement::node_name) {
    pod["spec"]["nodeName"] = order.node;
  } else {
    const auto value = nodes.label(order.node, rules.set.node_label);
    if (!value)
      return fail(ec::not_found,
                  "node '" + order.node + "' has no label " + rules.set.node_label + " any more");
    pod["spec"]["nodeSelector"][rules.set.node_label] = *value;
  }
  mark(pod, control_plane, rules.cluster);
  mark_lapse(pod, order);
  if (const auto& name = rules.set.priority_class; !rules.bare && !name.empty())
    pod["spec"]["priorityClassName"] = name;
  add_uniformity(pod, order.node, nodes);
  pod["metadata"]["annotations"][pod_key::requests] = requests_text(pod);
  return pod;
}

}  // namespace argosy::backends
