// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/submit/pod_fields.hpp"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <array>

#include "messages/codec/api/environment_mask.hpp"
#include "messages/codec/submit/pod_check.hpp"
#include "messages/codec/submit/pod_shape.hpp"
#include "runtime/model/process_plan.hpp"

namespace argosy::codec {

namespace {

using enum field_fate;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr std::string_view not_read =
    "a plain process has no image, no network and no file system of its own";
constexpr std::string_view no_kubelet = "no kubelet looks after a plain process";
constexpr std::string_view no_command = "a simulated run has no command";
constexpr std::string_view no_files = "a simulated run has no files";
constexpr std::string_view no_claims =
    "is not supported, since a round does not look at claims of devices; request the resource by "
    "its name";
constexpr std::string_view own_choice = "Argosy chooses the node and the order by its own rules";
constexpr std::string_view by_argosy = "a run ends with its command; Argosy decides on retries";
constexpr std::string_view own_environment = "it describes Kubernetes' own environment";
constexpr std::string_view use_selector =
    "is not supported, since a round does not look at where other pods run; use nodeSelector, node "
    "affinity, or a gang with a node uniformity label";

/// Each row says what becomes of a field: on Kubernetes, in processes, on simulated nodes.
constexpr std::array rules{
    pod_field_rule{"activeDeadlineSeconds", kept, kept, kept, {}},
    pod_field_rule{"affinity.nodeAffinity", kept, kept, kept, {}},
    pod_field_rule{"affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution", refused,
                   refused, refused,
                   "is not supported; use requiredDuringSchedulingIgnoredDuringExecution"},
    pod_field_rule{"affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution", ignored,
                   ignored, ignored, own_choice},
    pod_field_rule{"affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution", refused,
                   refused, refused, use_selector},
    pod_field_rule{"affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution",
                   ignored, ignored, ignored, own_choice},
    pod_field_rule{"affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution",
                   refused, refused, refused, use_selector},
    pod_field_rule{"automountServiceAccountToken", kept, ignored, ignored, own_environment},
    pod_field_rule{"containers.args", kept, kept, ignored, no_command},
    pod_field_rule{"containers.command", kept, kept, ignored, no_command},
    pod_field_rule{"containers.env", kept, kept, ignored, no_command},
    pod_field_rule{"containers.env.valueFrom", kept, elsewhere, ignored, no_command},
    pod_field_rule{"containers.envFrom", kept, elsewhere, ignored, no_command},
    pod_field_rule{"containers.image", kept, ignored, ignored, not_read},
    pod_field_rule{"containers.imagePullPolicy", kept, ignored, ignored, not_read},
    pod_field_rule{"containers.lifecycle", kept, ignored, ignored, no_kubelet},
    pod_field_rule{"containers.livenessProbe", kept, ignored, ignored, no_kubelet},
    pod_field_rule{"containers.name", kept, kept, kept, {}},
    pod_field_rule{"containers.ports", kept, ignored, ignored, not_read},
    pod_field_rule{"containers.readinessProbe", kept, ignored, ignored, no_kubelet},
    pod_field_rule{"containers.resizePolicy", kept, ignored, ignored, no_kubelet},
    pod_field_rule{"containers.resources", kept, kept, kept, {}},
    pod_field_rule{"containers.resources.claims", refused, refused, refused, no_claims},
    pod_field_rule{"containers.restartPolicy", kept, ignored, ignored, by_argosy},
    pod_field_rule{"containers.securityContext", kept, ignored, ignored, not_read},
    pod_field_rule{"containers.securityContext.runAsGroup", kept, kept, ignored, no_command},
    pod_field_rule{"containers.securityContext.runAsNonRoot", kept, kept, ignored, no_command},
    pod_field_rule{"containers.securityContext.runAsUser", kept, kept, ignored, no_command},
    pod_field_rule{"containers.startupProbe", kept, ignored, ignored, no_kubelet},
    pod_field_rule{"containers.stdin", kept, ignored, ignored, no_kubelet},
    pod_field_rule{"containers.stdinOnce", kept, ignored, ignored, no_kubelet},
    pod_field_rule{"containers.terminationMessagePath", kept, ignored, ignored, no_kubelet},
    pod_field_rule{"containers.terminationMessagePolicy", kept, ignored, ignored, no_kubelet},
    pod_field_rule{"containers.tty", kept, ignored, ignored, no_kubelet},
    pod_field_rule{"containers.volumeDevices", kept, elsewhere, ignored, no_files},
    pod_field_rule{"containers.volumeMounts", kept, elsewhere, ignored, no_files},
    pod_field_rule{"containers.workingDir", kept, kept, ignored, no_files},
    pod_field_rule{"dnsConfig", kept, ignored, ignored, not_read},
    pod_field_rule{"dnsPolicy", kept, ignored, ignored, not_read},
    pod_field_rule{"enableServiceLinks", kept, ignored, ignored, own_environment},
    pod_field_rule{"ephemeralContainers", refused, refused, refused,
                   "cannot be in a new pod; Kubernetes adds them to running ones"},
    pod_field_rule{"hostAliases", kept, ignored, ignored, not_read},
    pod_field_rule{"hostIPC", kept, ignored, ignored, not_read},
    pod_field_rule{"hostNetwork", kept, ignored, ignored, not_read},
    pod_field_rule{"hostPID", kept, ignored, ignored, not_read},
    pod_field_rule{"hostUsers", kept, ignored, ignored, not_read},
    pod_field_rule{"hostname", kept, ignored, ignored, not_read},
    pod_field_rule{"imagePullSecrets", kept, ignored, ignored, not_read},
    pod_field_rule{"initContainers", kept, elsewhere, kept, {}},
    pod_field_rule{"initContainers.resources.claims", refused, refused, refused, no_claims},
    pod_field_rule{"nodeName", refused, refused, refused,
                   "is not supported, since Argosy chooses the node; use nodeSelector with the "
                   "label kubernetes.io/hostname"},
    pod_field_rule{"nodeSelector", kept, kept, kept, {}},
    pod_field_rule{"os", kept, elsewhere, ignored, "a simulated run has no system"},
    pod_field_rule{"overhead", refused, refused, refused,
                   "is not supported; Kubernetes sets it from the runtime class, so add it to the "
                   "requests of a container"},
    pod_field_rule{"preemptionPolicy", ignored, ignored, ignored, own_choice},
    pod_field_rule{"priority", ignored, ignored, ignored, own_choice},
    pod_field_rule{"priorityClassName", kept, kept, kept, {}},
    pod_field_rule{"readinessGates", kept, ignored, ignored, no_kubelet},
    pod_field_rule{"resourceClaims", refused, refused, refused, no_claims},
    pod_field_rule{"resources", refused, refused, refused,
                   "is not supported for the whole pod; set requests and limits of its containers"},
    pod_field_rule{"restartPolicy", ignored, ignored, ignored, by_argosy},
    pod_field_rule{"runtimeClassName", kept, elsewhere, ignored, "a simulated run has no runtime"},
    // The row is about other schedulers; check_pod_fields() lets Kubernetes' own pass.
    pod_field_rule{"schedulerName", refused, refused, refused,
                   "is not supported, since Argosy chooses the node; leave it out"},
    pod_field_rule{
        "schedulingGates", refused, refused, refused,
        "is not supported; submit the job when it may start, or hold it with: argosyctl hold"},
    pod_field_rule{"securityContext", kept, ignored, ignored, not_read},
    pod_field_rule{"securityContext.runAsGroup", kept, kept, ignored, no_command},
    pod_field_rule{"securityContext.runAsNonRoot", kept, kept, ignored, no_command},
    pod_field_rule{"securityContext.runAsUser", kept, kept, ignored, no_command},
    pod_field_rule{"serviceAccount", kept, ignored, ignored, own_environment},
    pod_field_rule{"serviceAccountName", kept, ignored, ignored, own_environment},
    pod_field_rule{"setHostnameAsFQDN", kept, ignored, ignored, not_read},
    pod_field_rule{"shareProcessNamespace", kept, ignored, ignored, not_read},
    pod_field_rule{"subdomain", kept, ignored, ignored, not_read},
    pod_field_rule{"terminationGracePeriodSeconds", kept, kept, kept, {}},
    pod_field_rule{"tolerations", kept, kept, kept, {}},
    // The row is about hard constraints; check_pod_fields() lets soft ones pass, which are ignored.
    pod_field_rule{
        "topologySpreadConstraints", refused, refused, refused,
        "is not supported with whenUnsatisfiable DoNotSchedule, since a round does not look at "
        "where other pods run; use ScheduleAnyway, or a gang with a node uniformity label"},
    pod_field_rule{"volumes", kept, elsewhere, ignored, no_files},
};

/// Fields that backend `container` cannot carry out. Each is in the way of processes too, or they
/// would come to its nodes.
constexpr std::array<std::string_view, 11> not_in_containers{
    "containers.env.valueFrom",
    "containers.envFrom",
    "containers.volumeDevices",
    "containers.volumeMounts.subPathExpr",
    "initContainers.env.valueFrom",
    "initContainers.envFrom",
    "initContainers.restartPolicy",
    "initContainers.volumeDevices",
    "initContainers.volumeMounts.subPathExpr",
    "os",
    "runtimeClassName"};

/// Processes take these too, so that a run is told of them instead of being refused.
constexpr std::array<std::string_view, 10> no_effect_in_containers{
    "containers.lifecycle",
    "containers.livenessProbe",
    "containers.securityContext.capabilities.add",
    "containers.securityContext.privileged",
    "containers.startupProbe",
    "hostIPC",
    "hostPID",
    "securityContext.fsGroup",
    "securityContext.supplementalGroups",
    "shareProcessNamespace"};

bool holds(std::string_view rule, std::string_view path) {
  return path.starts_with(rule) && (path.size() == rule.size() || path[rule.size()] == '.');
}

/// A preference is a wish that a choice of node may pass over.
bool is_soft(const Message& spread) {
  const auto* constraint =
      dynamic_cast<const k8s::io::api::core::v1::TopologySpreadConstraint*>(&spread);
  return constraint != nullptr && constraint->whenunsatisfiable() == "ScheduleAnyway";
}

bool is_empty(const Message& message, const FieldDescriptor& field) {
  const auto& reflection = *message.GetReflection();
  if (field.is_repeated()) return reflection.FieldSize(message, &field) == 0;
  if (!reflection.HasField(message, &field)) return true;
  if (field.cpp_type() != FieldDescriptor::CPPTYPE_STRING) return false;
  // Clients that write every field write empty texts, and API servers name the usual scheduler.
  const auto text = reflection.GetString(message, &field);
  return text.empty() || (field.name() == "schedulerName" && text == "default-scheduler");
}

/// Looks for the field at `path`, the rest of a rule's path, in a message. Returns where it stands,
/// as "containers[1].resources.claims"; empty: it is not set.
std::string find_field(const Message& message, std::string_view path) {
  const auto name = path.substr(0, path.find('.'));
  const auto* field = message.GetDescriptor()->FindFieldByName(std::string{name});
  if (field == nullptr || is_empty(message, *field)) return {};
  const auto& reflection = *message.GetReflection();
  const auto rest = path.substr(std::min(path.size(), name.size() + 1));
  if (field->is_map() || (rest.empty() && !field->is_repeated())) return std::string{name};
  if (!field->is_repeated()) {
    const auto below = find_field(reflection.GetMessage(message, field), rest);
    return below.empty() ? below : std::string{name} + "." + below;
  }
  if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) return std::string{name};
  for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
    const auto& each = reflection.GetRepeatedMessage(message, field, i);
    if (rest.empty() && !is_soft(each)) return std::string{name};
    if (rest.empty()) continue;
    if (const auto below = find_field(each, rest); !below.empty())
      return std::string{name} + "[" + std::to_string(i) + "]." + below;
  }
  return {};
}

}  // namespace

std::span<const pod_field_rule> pod_field_rules() {
  return rules;
}

const pod_field_rule* rule_of(std::string_view path) {
  const pod_field_rule* best = nullptr;
  for (const auto& rule : rules)
    if (holds(rule.path, path) && (best == nullptr || rule.path.size() > best->path.size()))
      best = &rule;
  return best;
}

result<void> check_pod_fields(const core::PodSpec& pod, const std::string& place) {
  for (const auto& rule : rules) {
    if (rule.kubernetes != refused) continue;
    if (const auto found = find_field(pod, rule.path); !found.empty())
      return refuse_at(place + "." + found, std::string{rule.why});
  }
  if (const auto hidden = hidden_place(pod); !hidden.empty())
    return refuse_at(place + "." + hidden,
                     "is '" + std::string{hidden_value} +
                         "', which stands for a value that is hidden from you; give the value");
  return {};
}

bool has_image(const core::PodSpec& pod) {
  const auto has = [](const core::Container& each) {
    return !each.image().empty() && each.image() != model::no_image;
  };
  return std::ranges::any_of(pod.containers(), has) ||
         std::ranges::any_of(pod.initcontainers(), has);
}

std::vector<std::string> ignored_in_containers(const core::PodSpec& pod) {
  std::vector<std::string> out;
  for (const std::string_view path : no_effect_in_containers)
    if (const auto found = find_field(pod, path); !found.empty()) out.push_back("podSpec." + found);
  return out;
}

std::string container_obstacle(const core::PodSpec& pod) {
  for (const std::string_view path : not_in_containers)
    if (const auto found = find_field(pod, path); !found.empty()) return "podSpec." + found;
  for (int i = 0; i < pod.volumes_size(); ++i) {
    std::vector<const FieldDescriptor*> set;
    const auto& source = pod.volumes(i).volumesource();
    source.GetReflection()->ListFields(source, &set);
    for (const auto* field : set)
      if (field->name() != "hostPath" && field->name() != "emptyDir")
        return "podSpec.volumes[" + std::to_string(i) + "]." + field->name();
  }
  if (pod.containers_size() == 0) return "podSpec.containers[0]";
  const auto without_image = [](const auto& list, const std::string& name) -> std::string {
    for (int i = 0; i < list.size(); ++i)
      if (list[i].image().empty() || list[i].image() == model::no_image)
        return "podSpec." + name + "[" + std::to_string(i) + "].image";
    return {};
  };
  if (auto found = without_image(pod.initcontainers(), "initContainers"); !found.empty())
    return found;
  return without_image(pod.containers(), "containers");
}

std::string process_obstacle(const core::PodSpec& pod) {
  for (const auto& rule : rules) {
    if (rule.process != elsewhere) continue;
    const auto found = find_field(pod, rule.path);
    if (found.empty()) continue;
    // An obstacle to containers as well is named before one to processes alone.
    const auto of_both = has_image(pod) ? container_obstacle(pod) : std::string{};
    return of_both.empty() ? "podSpec." + found : of_both;
  }
  if (pod.containers_size() == 0) return "podSpec.containers[0]";
  if (pod.containers_size() > 1) return "podSpec.containers[1]";
  if (pod.containers(0).command_size() == 0) return "podSpec.containers[0].command";
  return {};
}

}  // namespace argosy::codec
