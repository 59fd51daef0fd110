// SPDX-License-Identifier: Apache-2.0
// Makes a table of jobs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bins/argosyctl/verbs/listing.hpp"
#include "messages/proto/argosy/v1.pb.h"

namespace argosy::ctl {

[[nodiscard]] std::vector<column> job_columns();
[[nodiscard]] std::vector<cell> job_row(const argosy::v1::JobSummary& job, std::int64_t now_ns);

}  // namespace argosy::ctl
