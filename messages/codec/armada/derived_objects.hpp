// SPDX-License-Identifier: Apache-2.0
// The services and ingresses that follow from what a job says of its ports. It is private to
// messages/ and includes protobuf.
#pragma once

#include <string>

#include "messages/proto/argosy/log.pb.h"
#include "messages/proto/armada/events.pb.h"
#include "runtime/model/agent.hpp"

namespace argosy::codec {

/// Adds them to `job`, under the names that Armada gives them. Ports that no container offers are
/// left out.
void add_derived_objects(const model::start_run& order, const log::v1::JobSpec& spec,
                         const std::string& cluster, armadaevents::SubmitJob& job);

}  // namespace argosy::codec
