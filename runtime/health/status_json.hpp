// SPDX-License-Identifier: Apache-2.0
// This file declares how the answers of the parts become the text of the page /status.
#pragma once

#include <string>
#include <vector>

#include "runtime/metrics/status.hpp"

namespace argosy::health {

/// {"parts":[{"part":"journal","actors":1,"silent":0,"answers":[{"appends_total":7}]}]}, with a
/// line for each part.
[[nodiscard]] std::string status_json(const std::vector<metrics::part_status>& parts);

}  // namespace argosy::health
