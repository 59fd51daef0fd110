// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/cluster_metrics.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "runtime/health/family.hpp"

namespace argosy::argosyd {

namespace {

/// Each cluster is a time series of its own, and anybody may say hello as another cluster.
constexpr std::size_t clusters_max = 200;

class cluster_collector final : public prometheus::Collectable {
 public:
  cluster_collector(std::shared_ptr<const native::contact_board> contacts,
                    const clock_source& clock)
      : contacts_(std::move(contacts)), clock_(clock) {}

  std::vector<prometheus::MetricFamily> Collect() const override {
    using health::add_sample;
    using ledger::contact_state;
    constexpr std::array states{contact_state::connected, contact_state::silent,
                                contact_state::expected, contact_state::gone};
    const auto all = contacts_->all();
    auto by_state = health::gauge_family(
        "argosy_clusters",
        "Clusters by contact with their agent. Those that are silent take no new jobs.");
    for (const auto state : states)
      add_sample(by_state, {{"state", native::to_string(state)}},
                 static_cast<double>(std::count_if(all.begin(), all.end(), [&](const auto& item) {
                   return item.second.state == state;
                 })));
    std::vector<std::pair<double, std::string>> silences;
    for (const auto& [cluster, contact] : all)
      if (contact.state != contact_state::gone)
        silences.emplace_back(
            std::chrono::duration<double>(clock_.boot() - contact.heard_at).count(), cluster);
    std::sort(silences.rbegin(), silences.rend());
    if (silences.size() > clusters_max) silences.resize(clusters_max);
    auto silence = health::gauge_family(
        "argosy_cluster_silence_seconds",
        "Time since the agent of a cluster was last heard, of the 200 clusters with the longest.");
    for (const auto& [seconds, cluster] : silences)
      add_sample(silence, {{"cluster", cluster}}, std::max(seconds, 0.0));
    return {by_state, silence};
  }

 private:
  std::shared_ptr<const native::contact_board> contacts_;
  const clock_source& clock_;
};

}  // namespace

std::shared_ptr<const prometheus::Collectable> cluster_metrics(
    std::shared_ptr<const native::contact_board> contacts, const clock_source& clock) {
  return std::make_shared<const cluster_collector>(std::move(contacts), clock);
}

}  // namespace argosy::argosyd
