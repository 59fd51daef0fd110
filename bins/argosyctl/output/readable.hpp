// SPDX-License-Identifier: Apache-2.0
// This file declares what is added to the JSON of a list, so that people and jq can read it without
// knowing our units.
#pragma once

#include <string>

namespace argosy::ctl {

/// The object with, behind each amount of a resource, the same as a Kubernetes quantity
/// (`"amount":"32000","quantity":"32"`), and behind each time in nanoseconds the same in UTC
/// (`"changedNs":"...","changedTs":"2026-11-20T15:04:05.120Z"`), unless the time is 0. Nothing else
/// changes. A text that is no JSON object is returned as it is.
[[nodiscard]] std::string with_readable_fields(const std::string& json);

}  // namespace argosy::ctl
