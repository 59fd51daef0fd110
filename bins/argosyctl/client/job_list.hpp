// SPDX-License-Identifier: Apache-2.0
// Lists jobs: by filters, by what the user named them by, and with all details. However many they
// are, only one page of them is held at a time.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bins/argosyctl/client/client.hpp"
#include "bins/argosyctl/client/job_reference.hpp"
#include "messages/proto/api/job.pb.h"
#include "messages/proto/argosy/search.pb.h"
#include "messages/proto/argosy/v1.pb.h"

namespace argosy::ctl {

/// Takes a job, which it may move from; false ends the listing with ec::cancelled.
using job_visitor = std::function<bool(argosy::v1::JobSummary&)>;

/// Hands over all jobs that pass the filter, page after page; `request.limit` (0: none) counts for
/// all pages.
[[nodiscard]] result<void> for_each_listed(client& server, argosy::v1::ListJobsRequest request,
                                           const job_visitor& use);

/// Lists the same jobs at once.
[[nodiscard]] result<std::vector<argosy::v1::JobSummary>> list_jobs(
    client& server, argosy::v1::ListJobsRequest request);

/// Hands over the job of each reference, in their order, each job once. ec::not_found naming the
/// first reference that is unknown; ec::invalid_argument listing the matches of an ambiguous one.
[[nodiscard]] result<void> for_each_resolved(client& server,
                                             const std::vector<job_reference>& references,
                                             const job_visitor& use);

/// Lists the same jobs at once; for a few jobs.
[[nodiscard]] result<std::vector<argosy::v1::JobSummary>> resolve_jobs(
    client& server, const std::vector<job_reference>& references);

/// Hands over the details of the jobs, in the order of the ids; jobs that are gone are left out.
/// Ends with ec::cancelled as soon as `use` returns false.
[[nodiscard]] result<void> for_each_job(client& server, const std::vector<job_reference>& ids,
                                        const std::function<bool(const api::JobDetails&)>& use);

/// All job sets, by queue and name; an empty `queue` stands for all queues. `active_only` leaves
/// out sets whose jobs have all ended.
[[nodiscard]] result<std::vector<argosy::v1::JobSetSummary>> list_job_sets(
    client& server, const std::string& queue, bool active_only = false);

/// Hands over all jobs that meet the conditions, in the order of the request; `request.limit` (0:
/// none) counts for all pages. Ends with ec::cancelled as soon as `use` returns false. ec::timeout
/// when the server had not the time to look at all jobs and cannot go on from there.
[[nodiscard]] result<void> for_each_found(client& server, argosy::v1::FindJobsRequest request,
                                          const job_visitor& use);

}  // namespace argosy::ctl
