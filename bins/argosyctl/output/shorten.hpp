// SPDX-License-Identifier: Apache-2.0
// Shortens columns of names on a narrow terminal by the parts that all names have in common.
#pragma once

#include <string>
#include <vector>

namespace argosy::ctl {

/// The beginnings of ids that tell them apart. They are three letters longer than needed and have
/// 13 at least, so that a user can type them as ids.
[[nodiscard]] std::vector<std::string> short_ids(const std::vector<std::string>& ids);

/// Shortens places such as "sim-1/node-0017" by what all of them have in common: the cluster, the
/// domain, and the beginning of the nodes' names, for which "…" stands. A number is never divided.
/// Empty places stay empty.
[[nodiscard]] std::vector<std::string> short_places(const std::vector<std::string>& places);

}  // namespace argosy::ctl
