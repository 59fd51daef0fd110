// SPDX-License-Identifier: Apache-2.0
// A job_glance is what counts and filters need of a stored job. It is read from the record without
// decoding the rest, which takes about a tenth of the time.
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/base/result.hpp"
#include "runtime/model/job.hpp"

namespace argosy::view {

/// The texts refer to the record.
struct job_glance {
  std::string_view queue;
  std::string_view job_set;
  model::job_state state = model::job_state::queued;
  std::int64_t submitted_ns = 0;
  std::int64_t changed_ns = 0;
};

/// Reads them from a record of the tables of jobs. ec::corrupt when it cannot be one.
[[nodiscard]] result<job_glance> glance_at(std::string_view record);

}  // namespace argosy::view
