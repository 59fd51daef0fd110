// SPDX-License-Identifier: Apache-2.0
// Faults that are planted to check whether the simulator finds them. They exist only in a build
// with ARGOSY_PLANTED_FAULTS, which has argosy-sim alone; programs for use contain none of them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace argosy {

enum class planted_fault : std::uint8_t {
  none,
  forgets_client_ids,        ///< After a restart the same client id makes another job.
  answers_before_durable,    ///< The owner of state hears that its append is durable at once.
  keeps_tail_to_itself,      ///< What the log lost of its end is not given back to it.
  forgets_reports,           ///< An agent that restarts has no reports left to send.
  forgets_runs,              ///< An agent that restarts does not know which runs it has begun.
  ignores_its_lease,         ///< Runs go on when the lease of their agent has passed.
  lapses_early,              ///< Runs count as over while their agent still holds the lease.
  starts_gangs_in_part,      ///< A gang starts without its last member.
  drops_reports,             ///< Some reports are acknowledged and go no further.
  orders_no_stop,            ///< Runs that are to end are not told so.
  repeats_no_start,          ///< An order to start that was lost is not sent again.
  keeps_room_of_ended_jobs,  ///< For rounds some jobs that ended go on.
  skips_events,              ///< A watcher who comes back misses an event.
  repeats_events,            ///< A watcher who comes back gets an event again.
  says_hello_once,           ///< An agent that lost its control plane does not look for it again.
  keeps_what_fits_nowhere,   ///< A job that can never run waits for ever.
  numbers_runs_anew,         ///< Each run of a job has number 1.
  forgets_cancels,           ///< Some cancels of waiting jobs are answered and do nothing.
  sees_larger_nodes,         ///< Rounds place more on a node than it has.
  skips_own_records,         ///< A start does not apply what the log has beyond the store.
};

inline constexpr std::array<std::string_view, 21> planted_fault_names{"none",
                                                                      "forgets-client-ids",
                                                                      "answers-before-durable",
                                                                      "keeps-tail-to-itself",
                                                                      "forgets-reports",
                                                                      "forgets-runs",
                                                                      "ignores-its-lease",
                                                                      "lapses-early",
                                                                      "starts-gangs-in-part",
                                                                      "drops-reports",
                                                                      "orders-no-stop",
                                                                      "repeats-no-start",
                                                                      "keeps-room-of-ended-jobs",
                                                                      "skips-events",
                                                                      "repeats-events",
                                                                      "says-hello-once",
                                                                      "keeps-what-fits-nowhere",
                                                                      "numbers-runs-anew",
                                                                      "forgets-cancels",
                                                                      "sees-larger-nodes",
                                                                      "skips-own-records"};

#ifdef ARGOSY_PLANTED_FAULTS
/// Whether this one is chosen.
[[nodiscard]] bool is_planted(planted_fault which) noexcept;
/// Chooses one, before anything runs.
void plant(planted_fault which) noexcept;
#else
[[nodiscard]] constexpr bool is_planted(planted_fault) noexcept {
  return false;
}
#endif

}  // namespace argosy
