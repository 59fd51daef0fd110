// SPDX-License-Identifier: Apache-2.0
// What a column of names loses first when a terminal is narrow: the part that tells nothing apart.
#pragma once

#include <string>
#include <vector>

namespace argosy::ctl {

/// The beginnings of ids that tell them apart, three letters longer than needed and 13 at least, so
/// that they can be typed back.
[[nodiscard]] std::vector<std::string> short_ids(const std::vector<std::string>& ids);

/// Places such as "sim-1/node-0017" without what all of them have in common: the cluster, the
/// domain, and with "…" for it the beginning of the nodes' names. A number is never parted. Empty
/// ones stay empty.
[[nodiscard]] std::vector<std::string> short_places(const std::vector<std::string>& places);

}  // namespace argosy::ctl
