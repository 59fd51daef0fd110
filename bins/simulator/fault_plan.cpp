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
      return {cut_link,        silence_link, deafen_link, mute_link,
              repeat_requests, delay_link,   lose_frames, kill_agent};
    case profile::power:
      return {kill_plane, kill_agent,   aim_at_plane, aim_at_agent,
              lose_tail,  spoil_record, reboot_agent, lose_disk};
    case profile::clock:
      return {pause, step_clock, kill_plane, kill_shim, kill_agent};
    case profile::overload:
      return {slow_disk, pause,      cut_link,      aim_at_plane,
              fail_disk, delay_link, refuse_append, repeat_requests};
    case profile::roll_over:
      return {restart_plane, kill_agent, cut_link, write_foreign, refuse_append};
    case profile::everything: {
      std::vector<fault_kind> all;
      for (std::size_t i = 0; i < fault_names.size(); ++i)
        all.push_back(static_cast<fault_kind>(i));
      return all;
    }
  }
  return {};
}

constexpr std::array store_troubles{trouble::disk_full, trouble::map_full, trouble::unreadable};
constexpr std::array log_troubles{trouble::log_full, trouble::log_leaderless,
                                  trouble::answers_lost};
constexpr std::array record_troubles{trouble::record_damaged, trouble::record_missing};
constexpr std::array points_of_planes{
    crash_point::append_begins, crash_point::append_stored, crash_point::commit_begins,
    crash_point::commit_stored, crash_point::asked,         crash_point::log_asked,
    crash_point::log_answered,  crash_point::write_begins,  crash_point::frame_leaves,
    crash_point::frame_left,    crash_point::frame_arrives};
/// Agents have a store, and neither a log nor users.
constexpr std::array points_of_agents{crash_point::commit_begins, crash_point::commit_stored,
                                      crash_point::write_begins,  crash_point::frame_leaves,
                                      crash_point::frame_left,    crash_point::frame_arrives};

template <class Values>
auto one_of(const Values& values, dice& chances) {
  return values[chances.below(values.size())];
}

template <class Points>
void aim(fault& out, const Points& points, dice& chances) {
  out.point = one_of(points, chances);
  out.passes = chances.one_in(2) ? 0 : chances.below(20);
  out.amount = chances.one_in(3) ? 0 : chances.below(6'000);
}

fault draw(fault_kind kind, std::chrono::nanoseconds at, dice& chances) {
  fault out;
  out.at = at;
  out.kind = kind;
  out.which = chances.below(1'000);
  out.span = 100ms + chances.around(3s);
  switch (kind) {
    case aim_at_plane:
      aim(out, points_of_planes, chances);
      break;
    case aim_at_agent:
      aim(out, points_of_agents, chances);
      break;
    case lose_tail:
      out.amount = 1 + chances.below(20);
      break;
    case fail_disk:
      out.what = one_of(store_troubles, chances);
      break;
    case refuse_append:
      out.what = one_of(log_troubles, chances);
      // An election of the stream's leader takes so long.
      out.span = 4s + chances.below(std::chrono::nanoseconds{5s});
      break;
    case write_foreign:
      out.amount = chances.below(20);
      break;
    case spoil_record:
      out.what = one_of(record_troubles, chances);
      out.amount = chances.below(20);
      break;
    case repeat_requests:
    case lose_frames:
    case delay_link:
      out.span = chances.around(30s);
      out.amount = 1 + chances.below(500);
      break;
    case cut_link:
    case silence_link:
    case deafen_link:
    case mute_link:
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
         " ms, amount " + std::to_string(one.amount);
  if (one.kind == aim_at_plane || one.kind == aim_at_agent)
    out.append(", ").append(crash_point_names[static_cast<std::size_t>(one.point)]) +=
        " after " + std::to_string(one.passes);
  if (one.kind == fail_disk || one.kind == refuse_append || one.kind == spoil_record)
    out.append(", ").append(trouble_names[static_cast<std::size_t>(one.what)]);
  return out;
}

}  // namespace argosy::sim
