// SPDX-License-Identifier: Apache-2.0
// A QUEUE, of which each queue has one, owns the queue's settings and all its live jobs. Every
// answer to a change comes when the change is durable.
#pragma once

#include "actors/interfaces/log/journal.hpp"
#include "actors/interfaces/state/cluster.hpp"
#include "actors/interfaces/status.hpp"
#include "messages/native/queue.hpp"
#include "runtime/access/principal.hpp"

namespace argosy::actors {

using principal_ptr = std::shared_ptr<const access::principal>;

using queue_actor = caf::typed_actor<
    // Takes jobs, all or none. Fails with ec::not_found when there is no such queue, ec::conflict
    // when a client id was used with another job, and ec::invalid_argument for a wrong gang. A
    // request that only checks is answered in the same way and changes nothing.
    caf::replies_to<atom::submit, native::submit_ptr>::with<native::submit_reply_ptr>,
    // Cancels or preempts jobs, as the request says.
    caf::replies_to<atom::cancel, native::cancel_request>::with<ledger::selection_reply>,
    caf::replies_to<atom::reprioritize,
                    native::reprioritize_request>::with<ledger::selection_reply>,
    // Holds jobs that wait, or ends their holds. Those that run are left alone and counted.
    caf::replies_to<atom::hold, native::hold_request>::with<ledger::selection_reply>,
    // Creates the queue or replaces its settings. ec::already_exists or ec::not_found depend on the
    // mode; ec::conflict when the settings are not those that were expected.
    caf::replies_to<atom::settings, native::settings_request>::with<atom::ok>,
    caf::replies_to<atom::cordon, bool>::with<atom::ok>,
    // These are the retry policies from now on; those that are gone leave the queue's settings.
    caf::reacts_to<atom::settings, ledger::retry_policies_ptr>,
    // Deletes the queue. ec::conflict while it has live jobs; in the lenient mode nothing happens
    // then.
    caf::replies_to<atom::erase, ledger::erase_mode>::with<atom::ok>,
    // Says whether the principal may do the action here, by its number: ec::denied if not, and
    // ec::not_found when there is no such queue.
    caf::replies_to<atom::allow, principal_ptr, std::uint8_t>::with<atom::ok>,
    // Answers the queue's settings and counts. ec::not_found when it was deleted or never created.
    caf::replies_to<atom::status>::with<native::queue_status_ptr>, answers_status,
    // Blocks, releases or rejects jobs of which the COORDINATOR has found whether any pool could
    // take them.
    caf::reacts_to<atom::hold, native::unfit_ptr>,
    // Takes the queue's part of a plan. The COORDINATOR is told when that is durable.
    caf::reacts_to<atom::place, native::place_ptr>,
    // Takes what an agent reported of this queue's runs. The handle is where its orders go.
    caf::replies_to<atom::report, native::report_part_ptr, cluster_actor>::with<atom::ok>,
    // Takes leases that are over for certain. The truth value says that no agent will ever report
    // on those runs.
    caf::replies_to<atom::expired, std::vector<model::run_key>, bool>::with<atom::ok>,
    // Names the CLUSTER to which orders for this cluster go.
    caf::reacts_to<atom::contact, model::cluster_name, cluster_actor>,
    // The CLUSTER ends. It has no runs.
    caf::reacts_to<atom::goodbye, model::cluster_name, cluster_actor>,
    // The GANG says how it stands now.
    caf::reacts_to<atom::member, native::gang_report_ptr>,
    // Answers in a sentence for which members the gang waits and for how long; empty if for none.
    caf::replies_to<atom::member, model::gang_name>::with<std::string>,
    // Ends the wait of gangs for members that have not come in time.
    caf::reacts_to<atom::tick, atom::member>,
    // The JOURNAL says how an append ended.
    caf::reacts_to<atom::append, native::append_outcome>,
    // Forgets client ids that are past their retention, and ends when nothing is left of the queue;
    // the number is the timer's generation.
    caf::reacts_to<atom::tick, model::timer_generation>,
    // Answers what changed since the last cut that arrived, as of the position or of a later
    // commit.
    caf::replies_to<atom::cut, model::log_position>::with<native::queue_delta_ptr>,
    // The last cut has arrived.
    caf::reacts_to<atom::cut, atom::ok>>;

}  // namespace argosy::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::actors::principal_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::ledger::retry_policies_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::submit_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::submit_reply_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::cancel_request)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::reprioritize_request)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::hold_request)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::ledger::selection_reply)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::settings_request)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::queue_status_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::unfit_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::place_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::place_reply_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::report_part_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(std::vector<argosy::model::run_key>)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::gang_report_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::queue_delta_ptr)
