// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/trouble/pod_causes.hpp"

#include <algorithm>
#include <array>

#include "runtime/base/check.hpp"
#include "runtime/model/agent_run.hpp"

namespace argosy::backends {

namespace {

/// The words are those of Kubernetes 1.27 to 1.34. A pod is bound to its node by a label, so that a
/// scheduler finds every other node wrong for its label or its taints: these two come last.
struct cause_table {
  using enum said_by;
  using enum fault;
  static constexpr auto rows = std::array{
      pod_cause{scheduler, "persistentvolumeclaim", "not found", missing, cause_wait::node},
      pod_cause{scheduler, "persistentvolumeclaim", "is being deleted", missing, cause_wait::node},
      pod_cause{scheduler, "persistentvolumeclaim", "not owner", missing, cause_wait::node},
      pod_cause{scheduler, "bound to non-existent", "", missing, cause_wait::node},
      pod_cause{scheduler, "unbound immediate PersistentVolumeClaims", "", missing,
                cause_wait::node},
      pod_cause{scheduler, "storageclass", "not found", missing, cause_wait::node},
      pod_cause{scheduler, "failed to find storage class", "", missing, cause_wait::node},
      pod_cause{scheduler, "no class for claim", "", missing, cause_wait::node},
      pod_cause{scheduler, "no pv name and storageClass name", "", missing, cause_wait::node},
      pod_cause{scheduler, "resourceclaim", "not found", missing, cause_wait::node},
      pod_cause{scheduler, "resourceclaim", "is being deleted", missing, cause_wait::node},
      pod_cause{scheduler, "(pod is not owner)", "", missing, cause_wait::node},
      pod_cause{scheduler, "device class", "", missing, cause_wait::node},
      pod_cause{scheduler, "resource class ", "does not exist", missing, cause_wait::node},
      pod_cause{scheduler, "affinity terms conflict", "", job, cause_wait::node},
      pod_cause{scheduler, "scheduling gates", "", job, cause_wait::node},
      pod_cause{scheduler, "no scheduler '", "", missing, cause_wait::node},
      pod_cause{scheduler, "^Kubernetes has not placed the pod", "", cluster, cause_wait::node},
      // The claim may be one that the job's quota or storage class does not allow.
      pod_cause{scheduler, "ephemeral volume controller", "", placement, cause_wait::node},
      // An expression in a claim of the job, which is repeated if it is wrong.
      pod_cause{scheduler, ": selector #", "", placement, cause_wait::node},
      pod_cause{scheduler, "volume node affinity conflict", "", placement, cause_wait::node},
      pod_cause{scheduler, "PersistentVolume's node affinity", "", placement, cause_wait::node},
      pod_cause{scheduler, "persistent volumes to bind", "", placement, cause_wait::node},
      pod_cause{scheduler, "enough free storage", "", placement, cause_wait::node},
      pod_cause{scheduler, "available volume zone", "", placement, cause_wait::node},
      pod_cause{scheduler, "max volume count", "", placement, cause_wait::node},
      pod_cause{scheduler, "available disk", "", placement, cause_wait::node},
      pod_cause{scheduler, "ReadWriteOncePod", "", placement, cause_wait::node},
      pod_cause{scheduler, "free ports", "", placement, cause_wait::node},
      pod_cause{scheduler, "pod affinity rules", "", placement, cause_wait::node},
      pod_cause{scheduler, "anti-affinity rules", "", placement, cause_wait::node},
      pod_cause{scheduler, "topology spread constraints", "", placement, cause_wait::node},
      pod_cause{scheduler, "Insufficient ", "", node, cause_wait::node},
      pod_cause{scheduler, "Too many pods", "", node, cause_wait::node},
      pod_cause{scheduler, "were unschedulable", "", node, cause_wait::node},
      pod_cause{scheduler, "unknown conditions", "", node, cause_wait::node},
      pod_cause{scheduler, "untolerated taint", "", node, cause_wait::node},
      pod_cause{scheduler, "taints that the pod didn't tolerate", "", node, cause_wait::node},
      pod_cause{scheduler, "node affinity", "", node, cause_wait::node},
      pod_cause{scheduler, "requested node name", "", node, cause_wait::node},
      pod_cause{scheduler, "no nodes available", "", node, cause_wait::node},
      pod_cause{scheduler, "", "", placement, cause_wait::node},

      pod_cause{kubelet, "AppArmor", "", missing, cause_wait::nothing},
      pod_cause{kubelet, "PodFeatureUnsupported", "", missing, cause_wait::nothing},
      pod_cause{kubelet, "PodLevelResourcesNotSupported", "", missing, cause_wait::nothing},
      pod_cause{kubelet, "PodOSNotSupported", "", missing, cause_wait::nothing},
      pod_cause{kubelet, "PodOSSelectorNodeLabelDoesNotMatch", "", missing, cause_wait::nothing},
      pod_cause{kubelet, "SysctlForbidden", "", missing, cause_wait::nothing},
      pod_cause{kubelet, "NodePorts", "", placement, cause_wait::nothing},
      pod_cause{kubelet, "InitContainerRestartPolicyForbidden", "", placement, cause_wait::nothing},
      pod_cause{kubelet, "SupplementalGroupsPolicyNotSupported", "", placement,
                cause_wait::nothing},
      // Other nodes may have what the pod wants in one piece.
      pod_cause{kubelet, "TopologyAffinityError", "", placement, cause_wait::nothing},
      pod_cause{kubelet, "SMTAlignmentError", "", placement, cause_wait::nothing},
      pod_cause{kubelet, "VolumeAttachmentLimitExceeded", "", placement, cause_wait::nothing},
      pod_cause{kubelet, "has not taken the pod up", "", node, cause_wait::kubelet},
      pod_cause{kubelet, "", "", node, cause_wait::nothing},

      // Such a name never becomes one that can be pulled.
      pod_cause{container, "InvalidImageName", "", job, cause_wait::nothing},
      // How the job wants its containers to be made is as wrong in every cluster.
      pod_cause{container, "^CreateContainerError", "", job, cause_wait::image},
      pod_cause{container, "^RunContainerError", "", job, cause_wait::image},
      pod_cause{container, "", "", missing, cause_wait::image},

      pod_cause{mount, "secret \"", "not found", missing, cause_wait::volume},
      pod_cause{mount, "configmap \"", "not found", missing, cause_wait::volume},
      pod_cause{mount, "persistentvolumeclaim", "not found", missing, cause_wait::volume},
      pod_cause{mount, "references non-existent", "", missing, cause_wait::volume},
      pod_cause{mount, "serviceaccounts \"", "not found", missing, cause_wait::volume},
      pod_cause{mount, "^FailedMount: ", "", placement, cause_wait::volume},
      pod_cause{mount, "^FailedAttachVolume: ", "", placement, cause_wait::volume},
      pod_cause{mount, "^FailedMapVolume: ", "", placement, cause_wait::volume},
      pod_cause{mount, "^FailedCreatePodSandBox: ", "no runtime for", placement,
                cause_wait::kubelet},
      pod_cause{mount, "^FailedCreatePodSandBox: ", "memory limit too low", job,
                cause_wait::kubelet},
      pod_cause{mount, "^FailedCreatePodSandBox: ", "too low; should be at least", job,
                cause_wait::kubelet},
      // They speak of how the containers of the pod are to be.
      pod_cause{mount, "^FailedCreatePodSandBox: ", "runc create failed", placement,
                cause_wait::kubelet},
      pod_cause{mount, "^FailedCreatePodSandBox: ", "OCI runtime", placement, cause_wait::kubelet},
      pod_cause{mount, "^FailedCreatePodSandBox: ", "hostport", placement, cause_wait::kubelet},
      pod_cause{mount, "^FailedCreatePodSandBox: ", "", node, cause_wait::kubelet},
      pod_cause{mount, "^NetworkNotReady: ", "", node, cause_wait::kubelet},
      pod_cause{mount, "", "", placement, cause_wait::making},
  };
};

constexpr const auto& rows = cause_table::rows;

bool has(std::string_view text, std::string_view part) {
  if (part.starts_with('^')) return text.starts_with(part.substr(1));
  return text.find(part) != std::string_view::npos;
}

/// The text without what stands in quotation marks: names that the job may have chosen.
std::string without_names(std::string_view text) {
  std::string out;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_mark = text[i] == '"';
    if (quoted && text[i] == '\\')
      ++i;
    else if (!quoted || is_mark)
      out += text[i];
    quoted = quoted != is_mark;
  }
  return out;
}

}  // namespace

std::span<const pod_cause> pod_causes() {
  return rows;
}

std::string without_preemption(std::string_view text) {
  if (const auto at = text.find("preemption: "); at != std::string_view::npos) {
    text = text.substr(0, at);
    if (const auto end = text.rfind(". "); end != std::string_view::npos && text.ends_with(", "))
      text = text.substr(0, end);
  }
  while (text.ends_with(' ') || text.ends_with('.') || text.ends_with(',')) text.remove_suffix(1);
  return std::string{text};
}

const pod_cause& cause_of(said_by who, std::string_view text) {
  const auto told = without_names(text);
  const auto said = who == said_by::scheduler ? without_preemption(told) : told;
  const auto* const found = std::ranges::find_if(rows, [&](const pod_cause& row) {
    return row.who == who && has(said, row.words) && has(said, row.also);
  });
  ARGOSY_CHECK(found != rows.end());
  return *found;
}

const char* reason_of(fault whose, const char* of_job) noexcept {
  switch (whose) {
    case fault::job:
    case fault::missing:
      return of_job;
    case fault::placement:
      return model::reason_refused_here;
    case fault::node:
      return model::reason_backend_error;
    case fault::cluster:
      break;
  }
  return model::reason_cluster_refused;
}

}  // namespace argosy::backends
