// SPDX-License-Identifier: Apache-2.0
#include "bins/simulator/fault_plan.hpp"

#include <algorithm>

#include "bins/simulator/dice.hpp"

namespace argosy::sim {

namespace {

using namespace std::chrono_literals;
using enum fault_kind;

std::vector<fault_kind> kinds_of(profile by) {
  switch (by) {
    case profile::calm:
      return {};
    case profile::network:
      return {cut_link, silence_link, kill_agent};
    case profile::power:
      return {kill_plane, kill_agent, aim_at_plane, aim_at_agent, lose_tail};
    case profile::clock:
      return {pause, step_clock, kill_plane};
    case profile::overload:
      return {slow_disk, pause, cut_link, aim_at_plane};
    case profile::roll_over:
      return {restart_plane, kill_agent, cut_link};
    case profile::everything:
      return {kill_plane,   kill_agent, aim_at_plane, aim_at_agent, lose_tail,    cut_link,
              silence_link, pause,      step_clock,   slow_disk,    restart_plane};
  }
  return {};
}

fault draw(fault_kind kind, std::chrono::nanoseconds at, dice& chances) {
  fault out{at, kind, chances.below(1'000), {}, 100ms + chances.around(3s), 0};
  out.point = static_cast<crash_point>(chances.below(crash_points));
  switch (kind) {
    case aim_at_plane:
      out.amount = chances.below(6'000);
      break;
    case aim_at_agent:
      // It has a store, and neither a log nor users.
      out.amount = chances.below(6'000);
      out.point = out.amount % 2 == 0 ? crash_point::commit_begins : crash_point::commit_stored;
      break;
    case lose_tail:
      out.amount = 1 + chances.below(20);
      break;
    case cut_link:
    case silence_link:
    case pause:
      // Some last beyond every lease.
      out.span = chances.around(chances.one_in(4) ? std::chrono::nanoseconds{2min} : 20s);
      break;
    case step_clock:
      out.span = chances.around(10min) * (chances.one_in(2) ? 1 : -1);
      break;
    case slow_disk:
      out.span = chances.around(60s);
      out.amount = 2 + chances.below(200);
      break;
    default:
      break;
  }
  return out;
}

}  // namespace

std::vector<fault> make_fault_plan(std::uint64_t seed, profile by,
                                   std::chrono::nanoseconds length) {
  dice chances{seed};
  auto kinds = kinds_of(by);
  if (kinds.empty()) return {};
  const auto one_kept = kinds[chances.below(kinds.size())];
  std::erase_if(kinds, [&](fault_kind one) { return chances.one_in(4) && one != one_kept; });
  const auto gap = std::chrono::nanoseconds{10s + chances.below(std::chrono::nanoseconds{40s})};
  std::vector<fault> out;
  for (auto at = std::chrono::nanoseconds{5s} + chances.around(gap); at < length;
       at += chances.around(gap))
    out.push_back(draw(kinds[chances.below(kinds.size())], at, chances));
  return out;
}

std::string to_text(const fault& one) {
  auto out = std::to_string(one.at / 1ms) + " ms: ";
  out += fault_names[static_cast<std::size_t>(one.kind)];
  out += ", number " + std::to_string(one.which) + ", for " + std::to_string(one.span / 1ms) +
         " ms, point " + std::to_string(static_cast<int>(one.point)) + ", amount " +
         std::to_string(one.amount);
  return out;
}

}  // namespace argosy::sim
