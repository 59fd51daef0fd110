// SPDX-License-Identifier: Apache-2.0
// This file defines how probes show values that their part keeps elsewhere.
#pragma once

#include <cstdint>

#include "runtime/metrics/family.hpp"

namespace argosy::probes {

/// Adds a gauge with one value.
inline void add_gauge(metrics::family_list& out, const char* name, const char* help,
                      std::uint64_t value) {
  out.push_back({name, help, metrics::family_kind::gauge, {{{}, static_cast<double>(value)}}});
}

}  // namespace argosy::probes
