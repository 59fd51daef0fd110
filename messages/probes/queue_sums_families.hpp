// SPDX-License-Identifier: Apache-2.0
// This file declares the families that the sums of queues give.
#pragma once

#include <vector>

#include "messages/probes/queue_probe.hpp"

namespace argosy::probes {

/// Adds, for these queues:
///   argosy_job_wait_seconds{queue,pool,priority_class}            histogram
///   argosy_job_schedule_delay_seconds{queue,pool,priority_class}  histogram
///   argosy_jobs_total{queue,pool,state,reason}
///   argosy_preemption_lost_seconds_total{pool,queue,resource}
///   argosy_failures_total{queue,category,subcategory}
void show_sums(const std::vector<const queue_figures*>& queues, metrics::family_list& out);

}  // namespace argosy::probes
