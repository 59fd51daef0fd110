// SPDX-License-Identifier: Apache-2.0
// This file defines the keys that bound what one round, a second or a queue may do. It is private
// to the table of keys.
#pragma once

#include <array>

#include "runtime/scheduling/keys/binding.hpp"

namespace argosy::scheduling::keys {

inline constexpr std::array limits = {
    key_of<&config::max_lookback>(
        "maxQueueLookback",
        "How many queued jobs of one queue a round looks at, 0 for all. It bounds the "
        "time of a round; jobs further back wait until others have started."),
    key_of<&config::rate>(
        "maximumSchedulingRate",
        "How many jobs may start a second on average, over all pools; 0.0 means no limit. "
        "The allowance is full when an argosyd takes the lead, so that a restart may let one "
        "burst more start.")
        .as(key_kind::rate),
    key_of<&config::burst>(
        "maximumSchedulingBurst",
        "How many jobs may start at once; 0 means no limit. A rate needs it. Without a "
        "rate it is what one round may start. A gang with more members than this never "
        "starts.")
        .as(key_kind::burst),
    key_of<&config::queue_rate>(
        "maximumPerQueueSchedulingRate",
        "How many jobs of one queue may start a second on average, 0.0 for no limit.")
        .as(key_kind::rate),
    key_of<&config::queue_burst>(
        "maximumPerQueueSchedulingBurst",
        "How many jobs of one queue may start at once, 0 for no limit. A rate needs it; a "
        "gang with more members never starts.")
        .as(key_kind::burst),
    key_of<&config::preemption_rate>(
        "fairsharePreemptionRate",
        "How many jobs may be preempted for balance a second on average in each pool, 0.0 "
        "for no limit.")
        .as(key_kind::rate),
    key_of<&config::preemption_burst>(
        "fairsharePreemptionBurst",
        "How many jobs may be preempted for balance at once, 0 for no limit. A rate needs "
        "it. Without a rate it is what one round may preempt. It does not hold back "
        "preemption for urgency.")
        .as(key_kind::burst),
    key_of<&config::max_new_decisions>(
        "maxNewDecisions",
        "How many jobs or gangs that are not running yet one round tries, 0 for all. It "
        "bounds the time of a round."),
    key_of<&config::max_new_decisions_queue>("maxNewDecisionsPerQueue",
                                             "The same for each queue by itself, 0 for all."),
    key_of<&config::max_draw_time_ns>(
        "maxDrawTime",
        "For how long a round draws lots where queueSelection has a lottery, 1h at most; 0s for as "
        "long as it takes. What was drawn counts, and another round follows.")
        .as(key_kind::duration)
        .to(3600e9),
    key_of<&config::max_fraction_to_schedule>(
        "maximumResourceFractionToSchedule",
        "Which part of the pool one round may fill with new jobs, by resource from 0.0 to "
        "1.0, for example {cpu: 0.5}. Lower values spread a rush over several rounds.")
        .to(1)
        .of(key_scope::pools_too),
    key_of<&config::resource_rate>(
        "maximumResourceSchedulingRate",
        "How much of each resource new jobs may take a second on average, over all pools, in its "
        "unit (cores, bytes, GPUs), for example {cpu: 10.0}. A resource that is not named has no "
        "limit."),
    key_of<&config::resource_burst>(
        "maximumResourceSchedulingBurst",
        "How much of each resource new jobs may take at once. A rate needs it. Without a rate it "
        "is what one round may start. A job or gang starts if anything is left of each resource "
        "that it requests, also if it takes more; the next ones then wait until that has come "
        "back. Like tokens for jobs, these survive a change of leader."),
    key_of<&config::queue_resource_rate>(
        "maximumPerQueueResourceSchedulingRate",
        "How much of each resource new jobs of one queue may take a second on average."),
    key_of<&config::queue_resource_burst>(
        "maximumPerQueueResourceSchedulingBurst",
        "How much of each resource new jobs of one queue may take at once. A rate needs it."),
    key_of<&config::queue_totals>(
        "queueResourceLimits",
        "Whether the resourceLimits of a queue cap what its jobs of all priority classes may use "
        "together, as parts of each pool. Armada ignores them, and so does preset current. A lower "
        "limit ends no job that runs."),
    key_of<&config::short_job_cutoff_ns>(
        "shortJobPenaltyCutoff",
        "If a job ends sooner than this after its start, it counts for its queue until "
        "then, so that a queue of very short jobs does not come first all the time. 0s "
        "switches it off.")
        .as(key_kind::duration),
};

}  // namespace argosy::scheduling::keys
