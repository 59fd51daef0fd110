// SPDX-License-Identifier: Apache-2.0
// Tells what happened to one job, in the words of its user, from its history and from those spans
// of its trace that name it. It is pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bins/argosyctl/output/console.hpp"
#include "messages/proto/argosy/v1.pb.h"
#include "runtime/trace/finished_span.hpp"

namespace argosy::ctl {

struct story_step {
  std::int64_t at_ns = 0;  ///< The Unix time, in nanoseconds.
  std::string words;       ///< The words are not escaped.
  look as = look::plain;
};

/// A duration: "850 ns", "12.3 ms", "61.2 s", "26m".
[[nodiscard]] std::string story_duration(std::int64_t nanos);

/// The steps in the order of time. If the job is not over, the last one says how things are at
/// `now_ns`. Spans of other jobs, which come with a submission of many, are passed over.
[[nodiscard]] std::vector<story_step> story_of(const argosy::v1::DescribeJobResponse& job,
                                               const std::vector<trace::finished_span>& spans,
                                               std::int64_t now_ns);

}  // namespace argosy::ctl
