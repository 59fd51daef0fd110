// SPDX-License-Identifier: Apache-2.0
// Takes out of a job what only some callers see: the values of its environment. Whether a caller
// sees them is decided by access::sees_environment() and the QUEUE.
#pragma once

#include <string_view>

namespace api {
class Job;
}  // namespace api

namespace argosy::codec {

/// What stands in the place of a value.
inline constexpr std::string_view hidden_value = "***";

/// Replaces the values of the environment of all containers. Names stay, and references to secrets.
void hide_environment(api::Job& job);

}  // namespace argosy::codec
