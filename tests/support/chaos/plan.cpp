// SPDX-License-Identifier: Apache-2.0
#include "tests/support/chaos/plan.hpp"

namespace argosy::chaos {

using std::chrono::milliseconds;

/// This is splitmix64.
std::uint64_t seeded::next() {
  auto mixed = state_ += 0x9e3779b97f4a7c15u;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
  return mixed ^ (mixed >> 31);
}

std::vector<fault> make_plan(std::uint64_t seed, const plan_rules& rules) {
  seeded numbers{seed};
  const auto up_to = [&](milliseconds most) {
    return milliseconds{
        static_cast<std::int64_t>(numbers.below(static_cast<std::uint64_t>(most.count()) + 1))};
  };
  std::vector<fault> out;
  for (auto at = up_to(2 * rules.mean_gap); at < rules.length; at += up_to(2 * rules.mean_gap)) {
    fault one;
    one.at = at;
    one.what = static_cast<target>(numbers.below(target_names.size()));
    // Kills are twice as many as stops, which last longer.
    one.how = numbers.below(3) == 0 ? act::stop : act::kill;
    one.which = numbers.below(1u << 20);
    one.away =
        one.how == act::stop ? milliseconds{50} + up_to(rules.stop_max) : up_to(rules.down_max);
    out.push_back(one);
  }
  return out;
}

std::string to_text(const fault& one) {
  return std::to_string(one.at.count()) +
         " ms: " + std::string{act_names.at(static_cast<std::size_t>(one.how))} + " " +
         std::string{target_names.at(static_cast<std::size_t>(one.what))} + ", away for " +
         std::to_string(one.away.count()) + " ms";
}

}  // namespace argosy::chaos
