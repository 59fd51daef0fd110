// SPDX-License-Identifier: Apache-2.0
// Goal: each reason that the plugins of Kubernetes' scheduler and the kubelet give has a row of its
// own, in the words of each version from 1.27 to 1.34.
// Method: the texts as the sources have them, with the versions where they are not in all.
#include <gtest/gtest.h>

#include "runtime/backends/kubernetes/trouble/pod_causes.hpp"

namespace argosy::backends {
namespace {

struct words_of_plugin {
  const char* plugin;
  const char* text;
  fault whose;
};

const words_of_plugin scheduler_words[] = {
    {"DynamicResources", R"(resourceclaim "c" not found)", fault::missing},
    {"DynamicResources", R"(resourceclaim "c" is being deleted)", fault::missing},
    {"DynamicResources", "ResourceClaim ns/c was not created for pod ns/p (pod is not owner)",
     fault::missing},
    {"DynamicResources, to 1.30", "resource class gpu does not exist", fault::missing},
    {"DynamicResources, from 1.31", "request r: device class gpu does not exist", fault::missing},
    {"DynamicResources", R"(pod "ns/p": ResourceClaim not created yet)", fault::placement},
    {"DynamicResources", "resourceclaim in use", fault::placement},
    {"DynamicResources", "resourceclaim not available on the node", fault::placement},
    {"DynamicResources, from 1.31", "cannot allocate all claims", fault::placement},
    {"DynamicResources, from 1.31", "resource claim ns/c is in the process of being allocated",
     fault::placement},
    {"InterPodAffinity", "node(s) didn't match pod affinity rules", fault::placement},
    {"InterPodAffinity", "node(s) didn't match pod anti-affinity rules", fault::placement},
    {"InterPodAffinity", "node(s) didn't satisfy existing pods anti-affinity rules",
     fault::placement},
    {"NodeAffinity", "node(s) didn't match Pod's node affinity/selector", fault::node},
    {"NodeAffinity", "node(s) didn't match scheduler-enforced node affinity", fault::node},
    {"NodeAffinity", "pod affinity terms conflict", fault::job},
    {"NodeName", "node(s) didn't match the requested node name", fault::node},
    {"NodePorts", "node(s) didn't have free ports for the requested pod ports", fault::placement},
    {"NodeResourcesFit", "Insufficient ephemeral-storage", fault::node},
    {"NodeResourcesFit", "Too many pods", fault::node},
    {"NodeResourcesFit, to 1.32",
     "Pod has a restartable init container and the SidecarContainers feature is disabled",
     fault::placement},
    {"NodeUnschedulable", "node(s) were unschedulable", fault::node},
    {"NodeUnschedulable", "node(s) had unknown conditions", fault::node},
    {"NodeVolumeLimits", "node(s) exceed max volume count", fault::placement},
    {"NodeVolumeLimits", R"(looking up PVC ns/c: persistentvolumeclaims "c" not found)",
     fault::missing},
    {"PodTopologySpread", "node(s) didn't match pod topology spread constraints", fault::placement},
    {"PodTopologySpread",
     "node(s) didn't match pod topology spread constraints (missing required label)",
     fault::placement},
    {"SchedulingGates", "waiting for scheduling gates: [a b]", fault::job},
    {"TaintToleration", "node(s) had untolerated taint {a: b}", fault::node},
    {"TaintToleration, if many taints are not told apart",
     "node(s) had taints that the pod didn't tolerate", fault::node},
    {"VolumeBinding", "pod has unbound immediate PersistentVolumeClaims", fault::missing},
    {"VolumeBinding", R"(persistentvolumeclaim "c" not found)", fault::missing},
    {"VolumeBinding", R"(persistentvolumeclaim "c" is being deleted)", fault::missing},
    {"VolumeBinding", R"(persistentvolumeclaim "c" bound to non-existent persistentvolume "v")",
     fault::missing},
    {"VolumeBinding",
     R"(waiting for ephemeral volume controller to create the persistentvolumeclaim "c")",
     fault::placement},
    {"VolumeBinding", R"(no class for claim "c")", fault::missing},
    {"VolumeBinding", R"(failed to find storage class "s")", fault::missing},
    {"VolumeBinding", "node(s) didn't find available persistent volumes to bind", fault::placement},
    {"VolumeBinding, to 1.32", "node(s) had volume node affinity conflict", fault::placement},
    {"VolumeBinding, from 1.33", "node(s) didn't match PersistentVolume's node affinity",
     fault::placement},
    {"VolumeBinding", "node(s) did not have enough free storage", fault::placement},
    {"VolumeBinding", "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
     fault::missing},
    {"VolumeRestrictions", "node(s) had no available disk", fault::placement},
    {"VolumeRestrictions",
     "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode",
     fault::placement},
    {"VolumeZone", "node(s) had no available volume zone", fault::placement},
    {"VolumeZone", "PersistentVolumeClaim had no pv name and storageClass name", fault::missing},
    {"VolumeZone", R"(VolumeBindingMode not set for StorageClass "s")", fault::placement},
    {"VolumeZone", R"(storageclass.storage.k8s.io "s" not found)", fault::missing},
    {"DefaultPreemption, from 1.32", "waiting for the preemption for this pod to be finished",
     fault::placement},
};

const words_of_plugin kubelet_words[] = {
    {"resources", "OutOfcpu", fault::node},
    {"resources", "OutOfmemory", fault::node},
    {"resources", "OutOfephemeral-storage", fault::node},
    {"resources", "OutOfpods", fault::node},
    {"predicates", "NodeAffinity", fault::node},
    {"predicates", "NodeName", fault::node},
    {"predicates", "NodePorts", fault::placement},
    {"predicates", "TaintToleration", fault::node},
    {"predicates", "InvalidNodeInfo", fault::node},
    {"predicates", "UnexpectedAdmissionError", fault::node},
    {"predicates", "UnexpectedPredicateFailureType", fault::node},
    {"predicates", "UnknownReason", fault::node},
    {"topology manager", "TopologyAffinityError", fault::placement},
    {"CPU manager", "SMTAlignmentError", fault::placement},
    {"shutdown", "NodeShutdown", fault::node},
    {"system", "PodOSNotSupported", fault::missing},
    {"system", "PodOSSelectorNodeLabelDoesNotMatch", fault::missing},
    {"features, to 1.32", "InitContainerRestartPolicyForbidden", fault::placement},
    {"features, from 1.31", "SupplementalGroupsPolicyNotSupported", fault::placement},
    {"features, from 1.32", "PodLevelResourcesNotSupported", fault::missing},
    {"features, from 1.33", "PodFeatureUnsupported", fault::missing},
    {"volumes, from 1.34", "VolumeAttachmentLimitExceeded", fault::placement},
    {"security", "AppArmor", fault::missing},
    {"security", "SysctlForbidden", fault::missing},
};

TEST(words_of_kubernetes, of_each_plugin_of_the_scheduler_are_understood) {
  for (const auto& each : scheduler_words) {
    EXPECT_EQ(cause_of(said_by::scheduler, each.text).whose, each.whose)
        << each.plugin << ": " << each.text;
    const auto of_nodes = std::string{"0/2 nodes are available: 1 "} + each.text +
                          ". preemption: 0/2 nodes are available: 2 Preemption is not helpful for "
                          "scheduling.";
    EXPECT_EQ(cause_of(said_by::scheduler, of_nodes).whose, each.whose) << each.plugin;
  }
}

TEST(words_of_kubernetes, of_the_kubelet_are_understood) {
  for (const auto& each : kubelet_words)
    EXPECT_EQ(cause_of(said_by::kubelet, each.text).whose, each.whose)
        << each.plugin << ": " << each.text;
}

}  // namespace
}  // namespace argosy::backends
