// SPDX-License-Identifier: Apache-2.0
// Armada's metrics, as far as ours say the same, so that dashboards that were made for Armada go on
// working. Only names, labels and units differ; nothing is counted for them.
#pragma once

#include "runtime/metrics/family.hpp"

namespace argosy::metrics {

/// The families under Armada's names. Labels that Armada has and we have not are empty.
[[nodiscard]] family_list armada_families(const family_list& ours);

}  // namespace argosy::metrics
