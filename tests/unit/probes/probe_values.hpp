// SPDX-License-Identifier: Apache-2.0
// Reads what a probe shows.
#pragma once

#include <optional>
#include <string>

#include "runtime/metrics/probe.hpp"

namespace argosy::probes {

/// The value of a metric with the labels' values behind its name; nothing when it is not shown.
inline std::optional<double> value(const metrics::probe& of, const std::string& name) {
  for (const auto& family : of.families())
    for (const auto& sample : family.samples) {
      auto full = family.name;
      for (const auto& label : sample.labels) full += ' ' + label.second;
      if (full == name) return sample.value;
    }
  return std::nullopt;
}

/// The number of samples in the family of this name.
inline std::size_t samples(const metrics::probe& of, const std::string& name) {
  for (const auto& family : of.families())
    if (family.name == name) return family.samples.size();
  return 0;
}

}  // namespace argosy::probes
