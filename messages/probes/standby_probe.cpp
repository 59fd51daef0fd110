// SPDX-License-Identifier: Apache-2.0
#include "messages/probes/standby_probe.hpp"

#include <algorithm>
#include <utility>

namespace argosy::probes {

void standby_probe::heard(standby one) {
  const auto now = clock_.boot();
  const std::lock_guard lock{mutex_};
  std::erase_if(known_,
                [&](const auto& known) { return now - known.second.heard_at > silence_max; });
  if (known_.size() >= standbys_max && !known_.contains(one.plane.id)) return;
  auto& known = known_[one.plane.id];
  known = {std::move(one), now};
}

void standby_probe::left(const std::string& plane) {
  const std::lock_guard lock{mutex_};
  known_.erase(plane);
}

std::vector<standby> standby_probe::all() const {
  const auto now = clock_.boot();
  std::vector<standby> out;
  const std::lock_guard lock{mutex_};
  for (const auto& [plane, one] : known_)
    if (now - one.heard_at <= silence_max) out.push_back(one.last);
  return out;
}

void standby_probe::collect(metrics::family_list& out) const {
  const auto waiting = all();
  const auto able =
      std::ranges::count_if(waiting, [](const auto& one) { return one.problem.empty(); });
  out.push_back(
      {"argosy_standbys",
       "Control plane processes that wait for the lead, by whether they could take over "
       "now.",
       metrics::family_kind::gauge,
       {{{{"state", "able"}}, static_cast<double>(able)},
        {{{"state", "unable"}}, static_cast<double>(waiting.size()) - static_cast<double>(able)}}});
  auto applied = metrics::gauge_family(
      "argosy_standby_applied_position",
      "The last record of the log that the store of a waiting control plane process has.");
  for (const auto& one : waiting)
    if (one.applied)
      applied.samples.push_back(
          {{{"standby", one.holder}}, static_cast<double>(one.applied->value)});
  out.push_back(std::move(applied));
}

}  // namespace argosy::probes
