// SPDX-License-Identifier: Apache-2.0
// The table of number_ranges.hpp.
#include <array>
#include <cstdint>

#include "messages/codec/number_ranges.hpp"

namespace argosy::codec {

namespace {

constexpr double int_max = std::numeric_limits<std::int32_t>::max();
constexpr double long_max = static_cast<double>(std::numeric_limits<std::int64_t>::max());
constexpr double port_max = 65'535;
constexpr double mode_max = 0777;
constexpr double id_max = 4'294'967'294;  // The kernel takes the next one for "no change".
constexpr double year_1 = -62'135'596'800;
constexpr double year_9999 = 253'402'300'799;
constexpr double nanos_max = 999'999'999;
constexpr std::string_view default_hint = "leave it out for the default";

// Where 0 is in a range of Kubernetes' own fields, it stands for the default: clients in Go send it
// for what is not set.
constexpr std::array ranges{
    number_range{"AWSElasticBlockStoreVolumeSource.partition", 0, 255},
    number_range{"ConfigMapVolumeSource.defaultMode", 0, mode_max},
    number_range{"ContainerError.exit_code"},
    number_range{"ContainerPort.containerPort", 1, port_max},
    number_range{"ContainerPort.hostPort", 0, port_max},
    number_range{"DownwardAPIVolumeFile.mode", 0, mode_max},
    number_range{"DownwardAPIVolumeSource.defaultMode", 0, mode_max},
    number_range{"DrainRequest.deadline_after_ns"},
    number_range{"ExplainJobHistoryRequest.rounds_max"},
    number_range{"ExplainJobRequest.at_ns"},
    number_range{"ExplainJobRequest.round"},
    number_range{"ExplainNodeRequest.limit"},
    number_range{"FCVolumeSource.lun", 0, 255},
    number_range{"FindJobsRequest.limit"},
    number_range{"FindJobsRequest.skip"},
    number_range{"GCEPersistentDiskVolumeSource.partition", 0, 255},
    number_range{"GRPCAction.port", 1, port_max},
    number_range{"GroupJobsRequest.limit"},
    number_range{"GroupJobsRequest.skip"},
    number_range{"ISCSIVolumeSource.lun", 0, 255},
    number_range{"IngressAddressesEntry.key"},
    number_range{"IngressConfig.ports", 1, port_max},
    number_range{"IntOrString.intVal", 0, port_max},
    number_range{"IntOrString.type", 0, 1},
    number_range{"JobReprioritizeRequest.new_priority"},
    number_range{"JobSubmitRequestItem.priority"},
    number_range{"KeyToPath.mode", 0, mode_max},
    number_range{"LeaseRequest.max_jobs_to_lease"},
    number_range{"ListAuditRequest.limit"},
    number_range{"ListAuditRequest.since_ns"},
    number_range{"ListAuditRequest.until_ns"},
    number_range{"ListClusterEventsRequest.limit"},
    number_range{"ListJobSetsRequest.limit"},
    number_range{"ListJobsRequest.limit"},
    number_range{"ListNodesRequest.limit"},
    number_range{"ListOperationsRequest.limit"},
    number_range{"ListQueuesRequest.limit"},
    number_range{"ListRoundsRequest.queues"},
    number_range{"ListRoundsRequest.since_ns"},
    number_range{"LogRequest.pod_number"},
    number_range{"MaximumResourceFractionEntry.value"},
    number_range{"NonArmadaAllocatedResourcesEntry.key"},
    number_range{"ObjectMeta.deletionGracePeriodSeconds"},
    number_range{"ObjectMeta.generation"},
    number_range{"PodError.pod_number"},
    number_range{"PodInfo.pod_number"},
    number_range{"PodLeaseReturned.pod_number"},
    number_range{"PodLogOptions.limitBytes", 0, long_max},
    number_range{"PodLogOptions.sinceSeconds", 0, long_max},
    number_range{"PodLogOptions.tailLines", 0, long_max},
    number_range{"PodSecurityContext.fsGroup", 0, id_max},
    number_range{"PodSecurityContext.runAsGroup", 0, id_max},
    number_range{"PodSecurityContext.runAsUser", 0, id_max},
    number_range{"PodSecurityContext.supplementalGroups", 0, id_max},
    number_range{"PodSpec.activeDeadlineSeconds", 1, int_max, default_hint},
    number_range{"PodSpec.priority"},
    number_range{"PodSpec.terminationGracePeriodSeconds"},
    number_range{"PreferredSchedulingTerm.weight"},
    number_range{"Probe.failureThreshold", 0, int_max},
    number_range{"Probe.initialDelaySeconds", 0, int_max},
    number_range{"Probe.periodSeconds", 0, int_max},
    number_range{"Probe.successThreshold", 0, int_max},
    number_range{"Probe.terminationGracePeriodSeconds", 1, int_max, default_hint},
    number_range{"Probe.timeoutSeconds", 0, int_max},
    number_range{"ProjectedVolumeSource.defaultMode", 0, mode_max},
    number_range{"Queue.priority_factor"},
    number_range{"QueueReportRequest.verbosity"},
    number_range{"ReadActorsRequest.limit"},
    number_range{"ReadLogRequest.offset", 0, long_max / 2},
    number_range{"ReadLogRequest.run"},
    number_range{"ReadLogRequest.since_ns", 0, long_max / 2},
    number_range{"ReadLogRequest.size_max"},
    number_range{"ReadLogRequest.tail_lines"},
    number_range{"ReadSpansRequest.seconds"},
    number_range{"ResourceLimitsEntry.value"},
    number_range{"RetryPolicy.retry_limit"},
    number_range{"RetryResourceBump.factor", 1, 1'000},
    number_range{"SchedulingReportRequest.verbosity"},
    number_range{"SecretVolumeSource.defaultMode", 0, mode_max},
    number_range{"SecurityContext.runAsGroup", 0, id_max},
    number_range{"SecurityContext.runAsUser", 0, id_max},
    number_range{"ServiceAccountTokenProjection.expirationSeconds", 600, 4'294'967'296,
                 default_hint},
    number_range{"ServiceConfig.ports", 1, port_max},
    number_range{"SetLogLevelRequest.duration_ns"},
    number_range{"SleepAction.seconds", 0, int_max},
    number_range{"Span.duration_ns"},
    number_range{"Span.link_span_id"},
    number_range{"Span.parent_id"},
    number_range{"Span.span_id"},
    number_range{"Span.start_ns"},
    number_range{"Span.waiting_ns"},
    number_range{"StandaloneIngressInfo.pod_number"},
    number_range{"StreamingQueueGetRequest.num"},
    number_range{"Time.nanos", 0, nanos_max},
    number_range{"Time.seconds", year_1, year_9999},
    // One event of an executor that tells no time that a clock can show is no reason to refuse all.
    number_range{"Timestamp.nanos"},
    number_range{"Timestamp.seconds"},
    number_range{"Toleration.tolerationSeconds"},
    number_range{"TopologySpreadConstraint.maxSkew"},
    number_range{"TopologySpreadConstraint.minDomains"},
    number_range{"UpdateSettingsRequest.expected_change"},
    number_range{"WeightedPodAffinityTerm.weight"},
};

}  // namespace

std::span<const number_range> number_ranges() {
  return ranges;
}

}  // namespace argosy::codec
