// SPDX-License-Identifier: Apache-2.0
#include "messages/probes/log/plane_probe.hpp"

#include <utility>

namespace argosy::probes {

std::optional<plane_warning> warning_of(const plane_facts& facts) {
  if (facts.named.size() <= 1)
    return plane_warning{
        false,
        "no other argosyd keeps what is accepted, so that it is lost with the disks of this one "
        "and of the log: start two more with journal.commit: standby"};
  std::string silent;
  for (const auto& one : facts.silent)
    silent.append(silent.empty() ? "'" : ", '").append(one.place).append("'");
  if (silent.empty()) return std::nullopt;
  const auto named = facts.named.size();
  if (2 * (named - facts.silent.size()) > named)
    return plane_warning{
        false, "of the " + std::to_string(named) + " argosyd that decide together " + silent +
                   " is not heard; if one more is lost, a person has to decide: start "
                   "it, or an empty one in its place"};
  return plane_warning{true, "of the " + std::to_string(named) + " argosyd that decide together " +
                                 silent +
                                 " are not heard, so that nothing is accepted: start one of them"};
}

void plane_probe::set(plane_facts facts) {
  const std::lock_guard lock{mutex_};
  facts_ = std::move(facts);
}

std::optional<plane_facts> plane_probe::facts() const {
  const std::lock_guard lock{mutex_};
  return facts_;
}

void plane_probe::collect(metrics::family_list& out) const {
  const auto known = facts().value_or(plane_facts{});
  const auto silent = static_cast<double>(known.silent.size());
  out.push_back({"argosy_planes",
                 "Control planes that decide together, by whether the one that leads hears them.",
                 metrics::family_kind::gauge,
                 {{{{"state", "heard"}}, static_cast<double>(known.named.size()) - silent},
                  {{{"state", "silent"}}, silent}}});
}

}  // namespace argosy::probes
