// SPDX-License-Identifier: Apache-2.0
// The explanation of one job for programs and for argosyctl explain: why it waits, why it runs
// where it runs, or how it lost its place.
#pragma once

#include "messages/native/coordinator.hpp"
#include "messages/native/round_report.hpp"
#include "messages/proto/argosy/explain.pb.h"
#include "runtime/model/job.hpp"

namespace argosy::rounds {

/// `waiting` and `rounds` are only read for a job that waits, and are then of the same rounds. The
/// verdict of a job that is not held and that no round knows is left empty: why that is, its QUEUE
/// knows.
[[nodiscard]] v1::JobExplanation explanation_of(const model::job_record& job,
                                                const native::placement_report& waiting,
                                                const native::round_report& rounds);

}  // namespace argosy::rounds
