// SPDX-License-Identifier: Apache-2.0
// This file declares how a pod of a job file is searched for what is wrong under every
// configuration of a server, and for values that a server accepts, as Armada's does, although they
// can hardly be meant.
#pragma once

#include "messages/submit_file/mistakes.hpp"
#include "runtime/settings/yaml/document.hpp"

namespace argosy::submit_file {

/// Looks at all containers of the pod and at its restart policy. A part that does not have the form
/// that it needs is passed over, since the encoder tells it.
void look_at_pod(const yaml::node& pod, mistake_list& mistakes, remark_list& remarks);

/// Looks at the priority of a job.
void look_at_priority(const yaml::node& priority, remark_list& remarks);

}  // namespace argosy::submit_file
