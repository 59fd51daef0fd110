// SPDX-License-Identifier: Apache-2.0
// Job sets with the states of their jobs, one a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "bins/argosyctl/verbs/listing.hpp"
#include "messages/proto/api/submit.pb.h"

namespace argosy::ctl {

struct set_counts {
  std::map<api::JobState, std::size_t> by_state;
  std::size_t all = 0;
  std::size_t over = 0;
  std::int64_t submitted_ns = 0;  ///< Unix time of the first job.

  void add(api::JobState state, std::size_t jobs);
  [[nodiscard]] std::size_t count(api::JobState state) const;
};

/// By queue and job set.
using counts_by_set = std::map<std::pair<std::string, std::string>, set_counts>;

/// Rows and names ("jobset/QUEUE/SET"), no JSON.
[[nodiscard]] listing job_set_listing(const counts_by_set& sets, std::int64_t now_ns);

}  // namespace argosy::ctl
