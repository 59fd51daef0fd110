// SPDX-License-Identifier: Apache-2.0
#include "messages/probes/cluster_probe.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace argosy::probes {

namespace {

/// Each cluster is a time series of its own, and anybody may say hello as another cluster.
constexpr std::size_t clusters_max = 200;

}  // namespace

void cluster_probe::collect(metrics::family_list& out) const {
  using ledger::contact_state;
  constexpr std::array states{"connected", "away", "silent", "expected", "gone"};
  const auto all = contacts_->all();
  metrics::family by_state{
      "argosy_clusters",
      "Clusters by contact with their agent. Those that are silent or away take no new jobs.",
      metrics::family_kind::gauge,
      {}};
  for (const std::string_view state : states)
    by_state.samples.push_back(
        {{{"state", std::string{state}}},
         static_cast<double>(std::ranges::count_if(
             all, [&](const auto& item) { return native::state_of(item.second) == state; }))});
  metrics::family silent{
      "argosy_cluster_silent",
      "1 for each cluster that is not heard and takes no new jobs; of many, 200.",
      metrics::family_kind::gauge,
      {}};
  metrics::family away{
      "argosy_cluster_away",
      "1 for each cluster whose agent does not reach what runs its jobs, and takes none; of many, "
      "200.",
      metrics::family_kind::gauge,
      {}};
  for (const auto& [cluster, contact] : all) {
    if (contact.state == contact_state::silent && silent.samples.size() < clusters_max)
      silent.samples.push_back({{{"cluster", cluster}}, 1});
    if (native::is_away(contact) && away.samples.size() < clusters_max)
      away.samples.push_back({{{"cluster", cluster}}, 1});
  }
  std::vector<std::pair<double, std::string>> silences;
  for (const auto& [cluster, contact] : all)
    if (contact.state != contact_state::gone)
      silences.emplace_back(std::chrono::duration<double>(clock_.boot() - contact.heard_at).count(),
                            cluster);
  std::sort(silences.rbegin(), silences.rend());
  if (silences.size() > clusters_max) silences.resize(clusters_max);
  metrics::family silence{
      "argosy_cluster_silence_seconds",
      "Time since the agent of a cluster was last heard, of the 200 clusters with the longest.",
      metrics::family_kind::gauge,
      {}};
  for (const auto& [seconds, cluster] : silences)
    silence.samples.push_back({{{"cluster", cluster}}, std::max(seconds, 0.0)});
  metrics::family closed{
      "argosy_cluster_closed_namespaces",
      "Namespaces of which a cluster takes no jobs for now, since it refused some; of many, 200.",
      metrics::family_kind::gauge,
      {}};
  for (const auto& [cluster, contact] : all) {
    std::map<std::string, double> by_kind;
    for (const auto& each : contact.closures) ++by_kind[each.kind];
    for (const auto& [kind, count] : by_kind)
      if (closed.samples.size() < clusters_max)
        closed.samples.push_back(
            {{{"pool", contact.pool}, {"cluster", cluster}, {"kind", kind}}, count});
  }
  out.push_back(std::move(closed));
  out.push_back(std::move(by_state));
  out.push_back(std::move(silence));
  out.push_back(std::move(silent));
  out.push_back(std::move(away));
}

}  // namespace argosy::probes
