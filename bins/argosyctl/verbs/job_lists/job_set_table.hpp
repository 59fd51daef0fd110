// SPDX-License-Identifier: Apache-2.0
// Makes a table of job sets, or of other groups of jobs, with the states of their jobs and how they
// ended, one set or group a line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bins/argosyctl/verbs/listing.hpp"
#include "messages/proto/argosy/v1.pb.h"

namespace argosy::ctl {

/// The rows, names ("jobset/QUEUE/SET") and JSON. Preempted and rejected jobs have columns where
/// there are such jobs, and with -o wide.
[[nodiscard]] listing job_set_listing(const std::vector<const argosy::v1::JobSetSummary*>& sets,
                                      std::int64_t now_ns);

/// The same for groups of jobs that share a value of the field, which heads the first column. Jobs
/// without the value are in the row "-".
[[nodiscard]] listing job_group_listing(const argosy::v1::GroupJobsResponse& found,
                                        const std::string& field, std::int64_t now_ns);

}  // namespace argosy::ctl
