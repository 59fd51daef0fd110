// SPDX-License-Identifier: Apache-2.0
// Reads priorities of jobs for the verbs that take one.
#pragma once

#include <string>

#include "runtime/base/result.hpp"

namespace argosy::ctl {

/// Reads the priority of a job as a user types it, a number from 0 to 4294967295.
/// ec::invalid_argument if it is none.
[[nodiscard]] result<double> parse_priority(const std::string& text);

}  // namespace argosy::ctl
