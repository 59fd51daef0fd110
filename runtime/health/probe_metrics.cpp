// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <limits>
#include <utility>

#include "runtime/health/family.hpp"
#include "runtime/health/metrics.hpp"
#include "runtime/metrics/armada_names.hpp"

namespace argosy::health {

namespace {

prometheus::MetricFamily heading_of(metrics::family& from) {
  switch (from.kind) {
    case metrics::family_kind::counter:
      return counter_family(std::move(from.name), std::move(from.help));
    case metrics::family_kind::gauge:
      return gauge_family(std::move(from.name), std::move(from.help));
    case metrics::family_kind::histogram:
      break;
  }
  return histogram_family(std::move(from.name), std::move(from.help));
}

void set_value(prometheus::ClientMetric& to, metrics::family_kind kind,
               const metrics::sample& from) {
  if (kind == metrics::family_kind::counter) {
    to.counter.value = from.value;
  } else if (kind == metrics::family_kind::gauge) {
    to.gauge.value = from.value;
  } else {
    to.histogram.sample_count = static_cast<std::uint64_t>(from.value);
    to.histogram.sample_sum = from.sum;
    for (const auto& [bound, count] : from.at_most) to.histogram.bucket.push_back({count, bound});
    to.histogram.bucket.push_back(
        {to.histogram.sample_count, std::numeric_limits<double>::infinity()});
  }
}

prometheus::MetricFamily to_prometheus(metrics::family from) {
  auto out = heading_of(from);
  for (auto& sample : from.samples) {
    auto& added = out.metric.emplace_back();
    for (auto& [name, value] : sample.labels) added.label.push_back({name, std::move(value)});
    set_value(added, from.kind, sample);
  }
  return out;
}

class probe_collector final : public prometheus::Collectable {
 public:
  probe_collector(std::shared_ptr<const metrics::board> board, bool armada_names)
      : board_(std::move(board)), armada_names_(armada_names) {}

  std::vector<prometheus::MetricFamily> Collect() const override {
    std::vector<prometheus::MetricFamily> out;
    auto families = board_->families();
    if (armada_names_)
      for (auto& family : metrics::armada_families(families))
        out.push_back(to_prometheus(std::move(family)));
    for (auto& family : families) out.push_back(to_prometheus(std::move(family)));
    return out;
  }

 private:
  std::shared_ptr<const metrics::board> board_;
  bool armada_names_;
};

}  // namespace

std::shared_ptr<const prometheus::Collectable> probe_metrics(
    std::shared_ptr<const metrics::board> board, bool armada_names) {
  return std::make_shared<const probe_collector>(std::move(board), armada_names);
}

}  // namespace argosy::health
