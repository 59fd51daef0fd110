// SPDX-License-Identifier: Apache-2.0
// The EXPLAINER, of which a process has one, answers what people ask of rounds, so that no question
// keeps a cycle waiting. The COORDINATOR tells it all that changes the snapshot.
#pragma once

#include "actors/interfaces/status.hpp"
#include "messages/native/coordinator.hpp"
#include "messages/native/round_report.hpp"
#include "messages/rounds/round_view.hpp"

namespace argosy::native {

using view_steps_ptr = std::shared_ptr<const rounds::view_steps>;

}  // namespace argosy::native

namespace argosy::actors {

using explainer_actor = caf::typed_actor<
    // The COORDINATOR has done this with its snapshot.
    caf::reacts_to<atom::changed, native::view_steps_ptr>,
    // Answers why a job waits, as the last round of each pool left it. Looks at all nodes.
    caf::replies_to<atom::explain, ulid>::with<native::placement_ptr>,
    // Answers what one node is to a job, and which waiting jobs one node could run.
    caf::replies_to<atom::explain, native::job_on_node_question_ptr>::with<native::job_on_node_ptr>,
    caf::replies_to<atom::explain, native::node_question_ptr>::with<native::node_answer_ptr>,
    // Answers in short why the jobs of one page of a list wait.
    caf::replies_to<atom::explain, native::job_ids_ptr>::with<native::waiting_reasons_ptr>,
    // Answers what whoever submits these jobs should know, or an empty text.
    caf::replies_to<atom::explain, native::submit_ptr>::with<std::string>,
    // Answers what the last round of each pool did.
    caf::replies_to<atom::explain>::with<native::round_report_ptr>,
    // Answers the shares of all queues.
    caf::replies_to<atom::list>::with<native::share_list_ptr>, answers_status>;

}  // namespace argosy::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::view_steps_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::ulid)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::placement_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::job_on_node_question_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::job_on_node_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::node_question_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::node_answer_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::job_ids_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::waiting_reasons_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::round_report_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::share_list_ptr)
