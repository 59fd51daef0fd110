// SPDX-License-Identifier: Apache-2.0
#include "runtime/health/family.hpp"

#include <cstdint>
#include <limits>

namespace argosy::health {

namespace {

prometheus::MetricFamily family_of(std::string name, std::string help,
                                   prometheus::MetricType type) {
  prometheus::MetricFamily family;
  family.name = std::move(name);
  family.help = std::move(help);
  family.type = type;
  return family;
}

prometheus::ClientMetric& append(prometheus::MetricFamily& family, label_values labels) {
  auto& sample = family.metric.emplace_back();
  for (const auto& [name, value] : labels) sample.label.push_back({name, value});
  return sample;
}

}  // namespace

prometheus::MetricFamily counter_family(std::string name, std::string help) {
  return family_of(std::move(name), std::move(help), prometheus::MetricType::Counter);
}

prometheus::MetricFamily gauge_family(std::string name, std::string help) {
  return family_of(std::move(name), std::move(help), prometheus::MetricType::Gauge);
}

prometheus::MetricFamily histogram_family(std::string name, std::string help) {
  return family_of(std::move(name), std::move(help), prometheus::MetricType::Histogram);
}

void add_sample(prometheus::MetricFamily& family, label_values labels, double value) {
  auto& sample = append(family, labels);
  if (family.type == prometheus::MetricType::Counter)
    sample.counter.value = value;
  else
    sample.gauge.value = value;
}

void add_sample(prometheus::MetricFamily& family, label_values labels,
                const trace::histogram& nanos) {
  auto& sample = append(family, labels).histogram;
  sample.sample_count = nanos.count();
  sample.sample_sum = static_cast<double>(nanos.sum_nanos()) / 1e9;
  for (int power = 10; power <= 32; power += 2) {
    const auto bound = std::int64_t{1} << power;
    sample.bucket.push_back({nanos.count_below(bound), static_cast<double>(bound) / 1e9});
  }
  sample.bucket.push_back({nanos.count(), std::numeric_limits<double>::infinity()});
}

}  // namespace argosy::health
