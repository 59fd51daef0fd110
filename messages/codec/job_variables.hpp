// SPDX-License-Identifier: Apache-2.0
// The environment by which a job learns what it is, on every backend. It is private to messages/
// and includes protobuf.
#pragma once

#include "messages/proto/argosy/log.pb.h"
#include "runtime/model/agent.hpp"

namespace argosy::codec {

/// The variables stand under the project's own names and under those that jobs written for Armada
/// read.
[[nodiscard]] model::label_list job_variables(const model::start_run& order,
                                              const log::v1::JobSpec& spec);

}  // namespace argosy::codec
