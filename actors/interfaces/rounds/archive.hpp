// SPDX-License-Identifier: Apache-2.0
// The ARCHIVE, of which a process has one, says what rounds of the past made of a job. It decides
// them again from the log, one question after the other. Callers take turns, and whoever has gone
// is not worked for: his question fails with ec::timeout or ec::cancelled.
#pragma once

#include <cstdint>
#include <memory>

#include "actors/interfaces/status.hpp"
#include "messages/native/reader.hpp"
#include "runtime/base/ulid.hpp"

namespace argosy::v1 {
class JobExplanation;
class JobHistory;
}  // namespace argosy::v1

namespace argosy::native {

/// Exactly one of `round` and `at_ns` is not 0, as in past::archive::explain().
struct past_question {
  ulid job;
  std::uint64_t round = 0;
  std::int64_t at_ns = 0;  ///< Unix time.
  asker asked_by{};
};
using job_explanation_ptr = std::shared_ptr<const v1::JobExplanation>;

/// See past::history_bounds.
struct history_question {
  ulid job;
  std::int64_t since_ns = 0;
  std::int64_t until_ns = 0;
  std::uint64_t rounds_max = 1'000;
  asker asked_by{};
};
using job_history_ptr = std::shared_ptr<const v1::JobHistory>;

}  // namespace argosy::native

namespace argosy::actors {

using archive_actor = caf::typed_actor<
    // Fails as past::archive::explain() does, and with ec::unavailable without an archive. It takes
    // as long as it takes to read a part of the log, until the deadline.
    caf::replies_to<atom::explain, native::past_question>::with<native::job_explanation_ptr>,
    // Fails as past::archive::history() does, and with ec::unavailable without an archive. It takes
    // no longer than archive_config::history_time, and ends with what is known before the deadline.
    caf::replies_to<atom::explain, native::history_question>::with<native::job_history_ptr>,
    // Takes the next question of those that wait; the ARCHIVE sends this to itself.
    caf::reacts_to<atom::flush>,
    // Drops what it kept for further questions; the ARCHIVE sends this to itself.
    caf::reacts_to<atom::tick, model::timer_generation>, answers_status>;

}  // namespace argosy::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::past_question)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::job_explanation_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::history_question)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::job_history_ptr)
