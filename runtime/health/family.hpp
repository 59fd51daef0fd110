// SPDX-License-Identifier: Apache-2.0
// Functions that build metric families from counters that are kept elsewhere.
#pragma once

#include <prometheus/metric_family.h>

#include <initializer_list>
#include <string>
#include <utility>

#include "runtime/trace/histogram.hpp"

namespace argosy::health {

using label_values = std::initializer_list<std::pair<const char*, std::string>>;

[[nodiscard]] prometheus::MetricFamily counter_family(std::string name, std::string help);
[[nodiscard]] prometheus::MetricFamily gauge_family(std::string name, std::string help);
[[nodiscard]] prometheus::MetricFamily histogram_family(std::string name, std::string help);

/// Adds a sample to a family of counters or gauges.
void add_sample(prometheus::MetricFamily& family, label_values labels, double value);

/// Adds a sample in seconds, with buckets from 1 us to 4 s in steps of four.
void add_sample(prometheus::MetricFamily& family, label_values labels,
                const trace::histogram& nanos);

}  // namespace argosy::health
