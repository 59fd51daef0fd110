// SPDX-License-Identifier: Apache-2.0
// Goal: a job's own mistake speaks against no node, and a broken node against no job.
// Method: the texts of Kubernetes 1.27 to 1.34, each with whose fault it is.
#include "runtime/backends/kubernetes/trouble/pod_causes.hpp"

#include <gtest/gtest.h>

#include "runtime/model/agent_run.hpp"

namespace argosy::backends {
namespace {

struct told_cause {
  said_by who;
  const char* text;
  fault whose;
};

const told_cause told_causes[] = {
    {said_by::scheduler,
     "0/54 nodes are available: persistentvolumeclaim \"x\" not found. preemption: 0/54 nodes are "
     "available: 54 No preemption victims found for incoming pod..",
     fault::missing},
    {said_by::scheduler,
     "0/54 nodes are available: persistentvolumeclaim \"x\" not found. preemption: 0/54 nodes are "
     "available: 54 Preemption is not helpful for scheduling.",
     fault::missing},
    {said_by::scheduler,
     "0/1 nodes are available: persistentvolumeclaim \"x\" not found. not found", fault::missing},
    {said_by::scheduler, "0/1 nodes are available: persistentvolumeclaim \"x\" is being deleted.",
     fault::missing},
    {said_by::scheduler,
     "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. preemption: 0/3 "
     "nodes are available: 3 Preemption is not helpful for scheduling.",
     fault::missing},
    {said_by::scheduler,
     "0/2 nodes are available: persistentvolumeclaim \"x\" bound to non-existent persistentvolume "
     "\"y\".",
     fault::missing},
    {said_by::scheduler,
     "0/2 nodes are available: 2 node(s) unavailable due to one or more pvc(s) bound to "
     "non-existent pv(s).",
     fault::missing},
    {said_by::scheduler, "0/2 nodes are available: resourceclaim \"gpus\" not found.",
     fault::missing},
    {said_by::scheduler, "Scheduling is blocked due to non-empty scheduling gates", fault::job},
    {said_by::scheduler, "no scheduler 'x' has looked at the pod", fault::missing},
    {said_by::scheduler,
     "0/3 nodes are available: 1 node(s) had volume node affinity conflict, 2 node(s) didn't match "
     "Pod's node affinity/selector. preemption: 0/3 nodes are available: 3 Preemption is not "
     "helpful for scheduling.",
     fault::placement},
    {said_by::scheduler,
     "0/2 nodes are available: 1 node(s) didn't match PersistentVolume's node affinity, 1 node(s) "
     "had untolerated taint(s). no new claims to deallocate, preemption: 0/2 nodes are available: "
     "2 "
     "Preemption is not helpful for scheduling.",
     fault::placement},
    {said_by::scheduler,
     "0/3 nodes are available: 1 node(s) didn't find available persistent volumes to bind, 2 "
     "node(s) didn't match Pod's node affinity/selector.",
     fault::placement},
    {said_by::scheduler, "0/2 nodes are available: 2 node(s) had no available volume zone.",
     fault::placement},
    {said_by::scheduler, "0/2 nodes are available: 2 node(s) exceed max volume count.",
     fault::placement},
    {said_by::scheduler,
     "0/2 nodes are available: 2 node has pod using PersistentVolumeClaim with the same name and "
     "ReadWriteOncePod access mode.",
     fault::placement},
    {said_by::scheduler,
     "0/3 nodes are available: 1 node(s) didn't have free ports for the requested pod ports, 2 "
     "node(s) had untolerated taint {a: b}.",
     fault::placement},
    {said_by::scheduler,
     "0/3 nodes are available: 1 node(s) didn't match pod anti-affinity rules, 2 node(s) didn't "
     "match Pod's node affinity/selector.",
     fault::placement},
    {said_by::scheduler,
     "0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules.",
     fault::placement},
    {said_by::scheduler, "0/1 nodes are available: 1 node(s) didn't match pod affinity rules.",
     fault::placement},
    {said_by::scheduler,
     "0/1 nodes are available: 1 node(s) didn't match pod topology spread constraints.",
     fault::placement},
    {said_by::scheduler, "running PreBind plugin \"VolumeBinding\": binding volumes: timed out",
     fault::placement},
    {said_by::scheduler, "words of a plugin that nobody knows", fault::placement},
    {said_by::scheduler,
     "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't match Pod's node "
     "affinity/selector. preemption: 0/3 nodes are available: 1 No preemption victims found for "
     "incoming pod, 2 Preemption is not helpful for scheduling..",
     fault::node},
    {said_by::scheduler, "0/1 nodes are available: 1 Insufficient nvidia.com/gpu, 1 Too many pods.",
     fault::node},
    {said_by::scheduler,
     "0/3 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/unreachable: }, "
     "2 node(s) didn't match Pod's node affinity/selector. no new claims to deallocate, "
     "preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.",
     fault::node},
    {said_by::scheduler,
     "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.", fault::node},
    {said_by::scheduler, "0/1 nodes are available: 1 node(s) were unschedulable.", fault::node},
    {said_by::scheduler, "no nodes available to schedule pods", fault::node},
    {said_by::scheduler, "Kubernetes has not placed the pod", fault::cluster},
    {said_by::scheduler,
     "0/1 nodes are available: waiting for ephemeral volume controller to create the "
     "persistentvolumeclaim \"p-v\".",
     fault::placement},
    // What a job has written speaks against itself alone.
    {said_by::scheduler, "no scheduler 'Kubernetes has not placed the pod' has looked at the pod",
     fault::missing},
    {said_by::scheduler, "Kubernetes finds no place for the pod: Kubernetes has not placed the pod",
     fault::placement},
    {said_by::scheduler,
     "0/1 nodes are available: persistentvolumeclaim \"a\\\" 1 Insufficient cpu\" is lost.",
     fault::placement},
    {said_by::scheduler,
     "0/1 nodes are available: claim x: selector #0: no such key: Insufficient cpu.",
     fault::placement},
    {said_by::mount,
     "FailedToRetrieveImagePullSecret: Unable to retrieve some image pull secrets "
     "(NetworkNotReady: FailedCreatePodSandBox: )",
     fault::placement},
    {said_by::mount, "Failed: FailedCreatePodSandBox: x", fault::placement},
    {said_by::kubelet, "OutOfcpu", fault::node},
    {said_by::kubelet, "UnexpectedAdmissionError", fault::node},
    {said_by::kubelet, "TopologyAffinityError", fault::placement},
    {said_by::kubelet, "SMTAlignmentError", fault::placement},
    {said_by::kubelet, "NodeAffinity", fault::node},
    {said_by::kubelet, "NodePorts", fault::placement},
    {said_by::kubelet, "SysctlForbidden", fault::missing},
    {said_by::kubelet, "PodOSNotSupported", fault::missing},
    {said_by::container, "ImagePullBackOff", fault::missing},
    {said_by::container, "CreateContainerConfigError", fault::missing},
    {said_by::mount,
     "FailedMount: MountVolume.SetUp failed for volume \"key\" : secret \"nosuch\" not found",
     fault::missing},
    {said_by::mount,
     "FailedMount: MountVolume.SetUp failed for volume \"c\" : configmap \"x\" not found",
     fault::missing},
    {said_by::mount,
     "FailedMount: MountVolume.SetUp failed for volume \"k\" : references non-existent secret key: "
     "a",
     fault::missing},
    {said_by::mount,
     "FailedMount: MountVolume.MountDevice failed for volume \"my-secret\" : kubernetes.io/csi: "
     "driver name x not found in the list of registered CSI drivers",
     fault::placement},
    {said_by::mount,
     "FailedMount: Unable to attach or mount volumes: unmounted volumes=[data]: timed out waiting "
     "for the condition",
     fault::placement},
    {said_by::mount, "FailedAttachVolume: Multi-Attach error for volume \"pvc-1\"",
     fault::placement},
    {said_by::mount, "FailedCreatePodSandBox: plugin type=\"calico\" failed (add)", fault::node},
    {said_by::mount,
     "FailedCreatePodSandBox: Failed to create pod sandbox: rpc error: runc create failed: unable "
     "to start container process: container init was OOM-killed (memory limit too low?): unknown",
     fault::job},
    {said_by::mount,
     "FailedCreatePodSandBox: set memory limit 1048576 too low; should be at least 12582912 bytes",
     fault::job},
    {said_by::mount,
     "FailedCreatePodSandBox: Failed to create pod sandbox: rpc error: failed to create containerd "
     "task: failed to create shim task: OCI runtime create failed: runc create failed: unable to "
     "start container process: error during container init: open /proc/sys/net/x: invalid argument",
     fault::placement},
    {said_by::mount,
     "FailedCreatePodSandBox: plugin type=\"portmap\" failed (add): cannot open hostport 80 for "
     "pod",
     fault::placement},
    {said_by::mount, "FailedCreatePodSandBox: failed to pull image: not found", fault::node},
    {said_by::kubelet, "InitContainerRestartPolicyForbidden", fault::placement},
    {said_by::kubelet, "SupplementalGroupsPolicyNotSupported", fault::placement},
    {said_by::mount, "FailedCreatePodSandBox: no runtime for \"gvisor\" is configured",
     fault::placement},
    {said_by::mount, "DNSConfigForming: too many search paths", fault::placement},
    {said_by::container, "CreateContainerError", fault::job},
    {said_by::container, "InvalidImageName", fault::job},
    {said_by::mount,
     "FailedMount: MountVolume.SetUp failed for volume \"kube-api-access\" : failed to fetch "
     "token: serviceaccounts \"x\" not found",
     fault::missing},
};

TEST(pod_causes, are_told_apart_by_the_words_of_kubernetes) {
  for (const auto& each : told_causes)
    EXPECT_EQ(cause_of(each.who, each.text).whose, each.whose) << each.text;
}

TEST(pod_causes, have_a_row_for_everything_at_the_end_of_each_part) {
  for (const auto who :
       {said_by::scheduler, said_by::kubelet, said_by::container, said_by::mount}) {
    const pod_cause* last = nullptr;
    for (const auto& row : pod_causes())
      if (row.who == who) last = &row;
    ASSERT_NE(last, nullptr);
    EXPECT_TRUE(last->words.empty());
    EXPECT_EQ(&cause_of(who, "nobody has said this before"), last);
  }
}

TEST(pod_causes, of_the_job_and_of_the_cluster_never_speak_against_a_node) {
  for (const auto& row : pod_causes())
    EXPECT_EQ(std::string{reason_of(row.whose, model::reason_cannot_begin)} ==
                  model::reason_backend_error,
              row.whose == fault::node)
        << row.words;
}

TEST(pod_causes, are_told_without_what_the_scheduler_says_of_preemption) {
  EXPECT_EQ(without_preemption(told_causes[0].text),
            "0/54 nodes are available: persistentvolumeclaim \"x\" not found");
  EXPECT_EQ(without_preemption("0/1 nodes are available: 1 Insufficient cpu. no new claims to "
                               "deallocate, preemption: 0/1 nodes are available: 1 x."),
            "0/1 nodes are available: 1 Insufficient cpu");
  EXPECT_EQ(without_preemption("plain words."), "plain words");
}

}  // namespace
}  // namespace argosy::backends
