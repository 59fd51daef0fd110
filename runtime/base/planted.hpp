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
  ignores_failed_commits,    ///< The store says that it has applied what its disk refused.
  forgets_refused_batches,   ///< What the log does not take at once is never offered to it again.
  applies_records_again,     ///< A start applies a copy of a record that it has applied.
  steps_over_damage,         ///< A start takes a record that cannot be read for a foreign one.
  starts_runs_again,  ///< An agent that gets the order to start a second time starts the run again.
  trusts_silence,     ///< The lease of an agent counts from when it asked last, answered or not.
  forgets_cordons,    ///< After a restart what was cordoned is open.
  ignores_closed_queues,   ///< A cordoned queue starts jobs.
  releases_held_jobs,      ///< Rounds look at jobs that are held.
  ends_drains_early,       ///< A drain is over while a few runs are left.
  forgets_kill_grace,      ///< Runs count as over though they may still be ending.
  drops_ends_on_return,    ///< An agent that comes back does not tell which runs have ended
                           ///< meanwhile.
  favours_first_queue,     ///< Rounds serve the queues by their names.
  miscounts_job_sets,      ///< Some changes of jobs are missing in the counts of their sets.
  cancels_neighbours,      ///< Who cancels a job set cancels one job of another set too.
  loses_new_jobs,          ///< Whoever asks for a job that was just accepted may not find it.
  claims_shortened_logs,   ///< Who waits takes over a log that may lack something.
  drops_replayed_changes,  ///< The store misses some of what is read from the log.
};

inline constexpr std::array<std::string_view, 39> planted_fault_names{"none",
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
                                                                      "skips-own-records",
                                                                      "ignores-failed-commits",
                                                                      "forgets-refused-batches",
                                                                      "applies-records-again",
                                                                      "steps-over-damage",
                                                                      "starts-runs-again",
                                                                      "trusts-silence",
                                                                      "forgets-cordons",
                                                                      "ignores-closed-queues",
                                                                      "releases-held-jobs",
                                                                      "ends-drains-early",
                                                                      "forgets-kill-grace",
                                                                      "drops-ends-on-return",
                                                                      "favours-first-queue",
                                                                      "miscounts-job-sets",
                                                                      "cancels-neighbours",
                                                                      "loses-new-jobs",
                                                                      "claims-shortened-logs",
                                                                      "drops-replayed-changes"};

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
