// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "runtime/health/family.hpp"
#include "runtime/health/metrics.hpp"

namespace argosy::health {

namespace {

prometheus::MetricFamily to_prometheus(metrics::family from) {
  const bool grows = from.kind == metrics::family_kind::counter;
  auto out = grows ? counter_family(std::move(from.name), std::move(from.help))
                   : gauge_family(std::move(from.name), std::move(from.help));
  for (auto& sample : from.samples) {
    auto& added = out.metric.emplace_back();
    for (auto& [name, value] : sample.labels) added.label.push_back({name, std::move(value)});
    (grows ? added.counter.value : added.gauge.value) = sample.value;
  }
  return out;
}

class probe_collector final : public prometheus::Collectable {
 public:
  explicit probe_collector(std::shared_ptr<const metrics::board> board)
      : board_(std::move(board)) {}

  std::vector<prometheus::MetricFamily> Collect() const override {
    std::vector<prometheus::MetricFamily> out;
    for (auto& family : board_->families()) out.push_back(to_prometheus(std::move(family)));
    return out;
  }

 private:
  std::shared_ptr<const metrics::board> board_;
};

}  // namespace

std::shared_ptr<const prometheus::Collectable> probe_metrics(
    std::shared_ptr<const metrics::board> board) {
  return std::make_shared<const probe_collector>(std::move(board));
}

}  // namespace argosy::health
