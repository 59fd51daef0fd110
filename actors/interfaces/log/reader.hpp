// SPDX-License-Identifier: Apache-2.0
// A READER answers queries from the view. A process has one for what is answered at once, one for
// lists of jobs, and one for the events of watches, so that none of these waits for another.
#pragma once

#include "actors/interfaces/status.hpp"
#include "messages/native/audit.hpp"
#include "messages/native/job_search.hpp"
#include "messages/native/operations.hpp"
#include "messages/native/reader.hpp"
#include "runtime/ledger/retention.hpp"

namespace argosy::actors {

using reader_actor = caf::typed_actor<
    caf::replies_to<atom::query, native::get_jobs>::with<native::job_page_ptr>,
    // A list that is not complete before its deadline fails with ec::timeout.
    caf::replies_to<atom::query, native::list_jobs>::with<native::job_page_ptr>,
    // At its deadline a search or a grouping answers what it has, and says so.
    caf::replies_to<atom::query, native::find_jobs>::with<native::found_jobs_ptr>,
    caf::replies_to<atom::query, native::group_jobs>::with<native::job_groups_ptr>,
    caf::replies_to<atom::query, native::list_job_sets>::with<native::job_sets_ptr>,
    caf::replies_to<atom::query, native::read_events>::with<native::event_page_ptr>,
    caf::replies_to<atom::query, native::list_audit>::with<native::audit_page_ptr>,
    caf::replies_to<atom::query, native::list_audit_callers>::with<native::audit_callers_ptr>,
    caf::replies_to<atom::query, native::list_operations>::with<native::operation_page_ptr>,
    // Answers the times since when the view has events, ended jobs and client ids.
    caf::replies_to<atom::oldest>::with<ledger::oldest_kept>,
    // Goes on with a list or a search; the READER sends this to itself.
    caf::reacts_to<atom::tick>, answers_status>;

}  // namespace argosy::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::get_jobs)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::list_jobs)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::find_jobs)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::group_jobs)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::found_jobs_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::job_groups_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::list_job_sets)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::read_events)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::list_audit)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::audit_page_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::list_audit_callers)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::audit_callers_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::list_operations)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::operation_page_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::job_page_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::job_sets_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::event_page_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::ledger::oldest_kept)
