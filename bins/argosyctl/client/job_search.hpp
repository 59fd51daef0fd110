// SPDX-License-Identifier: Apache-2.0
// Finds jobs by conditions, page after page.
#pragma once

#include "bins/argosyctl/client/job_list.hpp"
#include "messages/proto/argosy/search.pb.h"

namespace argosy::ctl {

/// Hands over all jobs that meet the conditions, in the order of the request; `request.limit` (0:
/// none) counts for all pages. Ends with ec::cancelled as soon as `use` returns false. ec::timeout
/// when the server had not the time to look at all jobs and cannot go on from there.
[[nodiscard]] result<void> for_each_found(client& server, argosy::v1::FindJobsRequest request,
                                          const job_visitor& use);

}  // namespace argosy::ctl
