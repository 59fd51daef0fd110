// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/agent/kubernetes_backend_settings.hpp"

#include <algorithm>
#include <array>

#include "runtime/settings/access/pod_policy_settings.hpp"
#include "runtime/settings/agent/pod_trouble_settings.hpp"
#include "runtime/settings/shared_settings.hpp"

namespace argosy::settings {

namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr std::array<std::string_view, 3> election_names{"auto", "always", "never"};

}  // namespace

std::span<const std::string_view> enum_names(leader_election) {
  return election_names;
}

void check_kubernetes(const kubernetes_backend_settings& item, problem_list& problems) {
  if (item.renew_deadline >= item.lease_duration)
    problems.emplace_back(
        "kubernetes.renewDeadline has to be shorter than kubernetes.leaseDuration, or two replicas "
        "would act at once; for example 10s and 15s");
  if (item.retry_period >= item.renew_deadline)
    problems.emplace_back(
        "kubernetes.retryPeriod has to be shorter than kubernetes.renewDeadline; for example 2s "
        "and 10s");
  check_pod_defaults(item.pod_defaults, problems);
}

namespace {

complaint check_host_suffix(const std::string& suffix) {
  return check_object_name(suffix.starts_with('.') ? suffix.substr(1) : suffix);
}

void describe_election(field_table& table, kubernetes_backend_settings& item) {
  table.value("kubernetes.leaderElection", item.election,
              "Whether the agent is one of several replicas with one Lease object (of "
              "coordination.k8s.io), of which the holder acts and the others wait: always, never, "
              "or auto, which means always in a pod of the cluster and never elsewhere.");
  table.value("kubernetes.leaseName", item.lease_name,
              "The name of the Lease object; empty for argosy-agent-CLUSTER. All replicas of one "
              "agent need the same one, and no other agent may have it.",
              rule<std::string>{check_object_name});
  table.value("kubernetes.leaseNamespace", item.lease_namespace,
              "The namespace of the Lease object; empty for that of the agent's pod, or of the "
              "context in the kubeconfig file.",
              rule<std::string>{check_object_name});
  table.value("kubernetes.leaseDuration", item.lease_duration,
              "How long a waiting replica has to see no renewal before it acts, from 1s to 1h. "
              "Whole seconds.",
              between<milliseconds>(1s, 1h));
  table.value("kubernetes.renewDeadline", item.renew_deadline,
              "How long after its last renewal the replica that acts ends itself, from 100ms to "
              "1h. It has to be shorter than leaseDuration.",
              between<milliseconds>(100ms, 1h));
  table.value("kubernetes.retryPeriod", item.retry_period,
              "The pause between two looks at the Lease object and between two renewals, from 50ms "
              "to 1h. It has to be shorter than renewDeadline.",
              between<milliseconds>(50ms, 1h));
}

void describe_ingresses(field_table& table, backends::ingress_rules& item) {
  table.value("kubernetes.ingressHostSuffix", item.host_suffix,
              "The end of the hosts of jobs' ingresses, for example apps.example.com: the host of "
              "a port is CONTAINER-PORT-POD.NAMESPACE and this.",
              rule<std::string>{check_host_suffix});
  table.value(
      "kubernetes.ingressCertificateSuffix", item.certificate_suffix,
      "A job that wants TLS and names no certificate gets that of its namespace, whose "
      "secret is called NAMESPACE-SUFFIX. If this is empty, its ingress names none, and the "
      "controller's own certificate counts.",
      rule<std::string>{check_object_name});
  table.value("kubernetes.ingressClass", item.class_name,
              "The ingressClassName of jobs' ingresses; empty for the cluster's default. The "
              "annotation kubernetes.io/ingress.class, of a job or of ingressAnnotations, counts "
              "instead.",
              rule<std::string>{check_object_name});
  table.value("kubernetes.ingressAnnotations", item.annotations,
              "Annotations of all ingresses of jobs, such as the class of the controller. Those of "
              "the job count more.",
              rule<label_list>{check_annotation_names});
}

void describe_keeping(field_table& table, backends::kubernetes_rules& item) {
  table.value("kubernetes.keepPods", item.keep_pods,
              "How long the pod of an ended run is kept, so that all of its output can be read, "
              "from 0s to 30d.",
              between<milliseconds>(0s, 720h));
  table.value("kubernetes.keepPodsMax", item.keep_pods_max,
              "How many pods of ended runs are kept. The oldest go first.");
  table.section("kubernetes.keptOutput",
                "The output of containers that have ended, in the agent's data directory, to be "
                "read when their pods are gone.");
  table.value("kubernetes.keptOutput.bytesPerRun", item.kept_output_per_run,
              "How much is kept of each container: half of it for the beginning of its output, the "
              "rest for its end. 0 keeps none.");
  table.value("kubernetes.keptOutput.bytesMax", item.kept_output_max,
              "How much output is kept there in all. The oldest is cut down to its ends for later "
              "output before any of it goes.");
}

complaint check_namespaces(const std::vector<std::string>& patterns) {
  constexpr std::size_t size_max = 63;
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '*';
  };
  for (const auto& each : patterns)
    if (each.empty() || each.size() > size_max || !std::ranges::all_of(each, fits))
      return "has '" + each +
             "', and no namespace of Kubernetes is called so; names have at most " +
             "63 small letters, digits and '-', and * stands for any of these";
  return std::nullopt;
}

}  // namespace

void describe(field_table& table, kubernetes_backend_settings& item) {
  auto& rules = item.rules;
  table.section("kubernetes", "Backend kubernetes: runs are pods of one Kubernetes cluster.");
  table.value("kubernetes.kubeconfig", item.kubeconfig,
              "The kubeconfig file that says where the API server is and who the agent is. Several "
              "files with colons between them count as one, as in kubectl's KUBECONFIG. If it is "
              "empty, the agent runs in a pod of the cluster and uses its service account.");
  table.value("kubernetes.context", item.context,
              "The context of that file to use; empty for the file's current one.");
  table.value<std::vector<std::string>>(
      "kubernetes.namespaces", rules.namespaces,
      "The namespaces in which jobs may run, for example [jobs, team-*]. Rounds give the "
      "cluster no job of another one. Empty means all of them. For that, and for names "
      "with *, the agent needs its rights to pods in all namespaces.",
      check_namespaces);
  table.value(
      "kubernetes.placement", rules.placement,
      "How a pod gets to the node that was chosen for it: selector sets a node selector, so "
      "that Kubernetes' own scheduler checks that the pod fits; nodeName names the node in "
      "the pod, which is faster and leaves the check to the node.");
  table.value("kubernetes.nodeLabel", rules.node_label,
              "The node label by whose value a node is selected. Each node needs a value of its "
              "own.",
              not_empty());
  table.value("kubernetes.trackedLabels", rules.tracked_labels,
              "The node labels by which jobs may select nodes. Empty means all labels of the "
              "nodes.");
  table.value("kubernetes.priorityClass", rules.priority_class,
              "Kubernetes' priority class of all pods; empty for the cluster's default. Argosy "
              "itself decides whose run gives way, so that all pods should have the same one.",
              rule<std::string>{check_object_name});
  table.value("kubernetes.impersonateUsers", rules.impersonate_users,
              "Whether pods, services and ingresses are made and deleted in the name of the job's "
              "owner and his groups, so that what he may do in the cluster holds for his jobs. The "
              "agent needs the right to impersonate users and groups, and acts by itself where an "
              "owner may not delete his pod.");
  describe_pod_policies(
      table, "kubernetes.podPolicies", rules.policies,
      "What the pods of jobs may have on this cluster, whatever the control plane says. Jobs with "
      "another pod fail. From the level baseline on, a pod that says nothing of them gets the "
      "runtime's seccomp profile and loses the capabilities AUDIT_WRITE, MKNOD, NET_RAW, SETFCAP "
      "and SYS_CHROOT; at restricted it loses all of them, and may neither run as root nor gain "
      "privileges.",
      "A headless service is judged by argosyd alone, since one stands behind each ingress. Queues "
      "that no entry names have the level baseline.");
  describe_pod_defaults(table, item.pod_defaults);
  describe_ingresses(table, rules.ingresses);
  table.value("kubernetes.countOtherPods", rules.count_other_pods,
              "Whether what pods of others request is taken from what a node offers. It needs the "
              "right to list pods in all namespaces.");
  table.value("kubernetes.lapse", item.lapse,
              "Whether the leases of pods lapse as those of processes do: the agent deletes them "
              "when it has not reached the control plane for leases.length of argosyd, which then "
              "gives their jobs to other nodes, as leases.onExpiry says. If the agent, the API "
              "server or a node is away at that time as well, nobody ends the pods, and such a job "
              "may run twice. With false pods run on, and their jobs wait for them. Pods that were "
              "leased before a change stay as they were.");
  table.value("kubernetes.qps", item.qps,
              "How many requests the agent sends to the API server in a second, from 1 to 100000. "
              "Each start of a pod takes one and each deletion one. The server protects "
              "itself by its priority levels; lower this where the agent crowds others out.",
              between<std::uint32_t>(1, 100'000));
  table.value("kubernetes.burst", item.burst,
              "How many requests the agent may send at once after a pause, from 1 to 100000.",
              between<std::uint32_t>(1, 100'000));
  describe_pod_trouble(table, rules.trouble);
  describe_election(table, item);
  describe_keeping(table, rules);
}

}  // namespace argosy::settings
