// SPDX-License-Identifier: Apache-2.0
#include "bins/simulator/mischief.hpp"

#include <algorithm>
#include <chrono>

#include "messages/view/progress.hpp"
#include "runtime/ledger/plane_quorum.hpp"

namespace argosy::sim {

namespace {

/// How much later than it was sent an answer may arrive, where links are late and machines stand
/// still.
constexpr std::chrono::minutes answers_late_max{3};

/// Nobody could say until when the runs of a machine that stood still went on.
void crash_awake(agent_machine& one, virtual_time::duration away) {
  if (!one.is_paused()) one.crash(away);
}

/// One that was down while another led does not know of that one. Operators must not start it alone
/// when the log has lost its end.
bool know_same_leader(const std::vector<control_plane*>& all) {
  return std::ranges::all_of(
      all, [&](const auto* one) { return one->known_epoch() == all.front()->known_epoch(); });
}

/// Three planes survive the loss of one, and of another when the first has been replaced: all
/// stores name those that are there.
bool are_whole(const std::vector<control_plane*>& all) {
  if (all.size() < ledger::planes_wanted) return false;
  return std::ranges::all_of(all, [&](auto* one) {
    const auto txn = one->database().begin_read();
    const auto at = view::read_position(**txn);
    return at && *at && (*at)->planes.size() == all.size() && (*at)->planes_before.empty() &&
           std::ranges::all_of(all, [&](auto* other) {
             return ledger::has_plane((*at)->planes, other->plane_id());
           });
  });
}

}  // namespace

void mischief::arrange(const fault& what) {
  around_.time.at(what.at, [this, what] { happen(what); });
}

template <class State>
void mischief::set_link(std::uint64_t which, const State& to) {
  const auto place = which % (of_.machines.size() + of_.ends.size());
  if (place < of_.machines.size()) return of_.machines[place]->port().set(to);
  of_.ends[place - of_.machines.size()]->set_link(to);
}

control_plane& mischief::any_plane(std::uint64_t which) const {
  auto& one = *of_.planes[which % of_.planes.size()];
  if (which % 4 == 0) return one;
  const auto leader = std::ranges::find_if(of_.planes, [](const auto* at) { return at->leads(); });
  return leader == of_.planes.end() ? one : **leader;
}

void mischief::aim(machine& at, const fault& what) {
  at.health().aims.add(what.point, what.passes, [this, &at, what] {
    // Without a delay not even the rest of its handler happens.
    if (what.amount == 0) at.doom();
    around_.time.after(std::chrono::microseconds{what.amount}, [&at, what] {
      if (what.amount == 0 || !at.is_paused()) at.crash(what.span);
    });
  });
}

void mischief::happen(const fault& what) {
  around_.trace.add(around_.time.now(), "FAULT", to_text(what));
  ++counts_[what.kind];
  if (what.kind != fault_kind::step_clock) over_ = std::max(over_, around_.time.now() + what.span);
  switch (what.kind) {
    case fault_kind::kill_plane:
      return any_plane(what.which).crash(what.span);
    case fault_kind::kill_agent:
      return crash_awake(any_agent(what.which), what.span);
    case fault_kind::aim_at_plane:
      return aim(any_plane(what.which), what);
    case fault_kind::aim_at_agent:
      return aim(any_agent(what.which), what);
    case fault_kind::reboot_agent:
      return any_agent(what.which).reboot(what.span);
    case fault_kind::kill_shim:
      return any_agent(what.which).kill_shim(what.which);
    case fault_kind::restart_plane:
      return any_plane(what.which).restart();
    case fault_kind::pause:
      return any_machine(what.which).pause(what.span);
    case fault_kind::step_clock:
      return any_machine(what.which).clock().step_wall(what.span);
    case fault_kind::cut_link:
    case fault_kind::silence_link:
    case fault_kind::deafen_link:
    case fault_kind::mute_link:
    case fault_kind::repeat_requests:
    case fault_kind::delay_link:
    case fault_kind::lose_frames:
      return harm_link(what);
    case fault_kind::slow_disk:
    case fault_kind::fail_disk:
      return harm_disk(what);
    case fault_kind::lose_disk:
    case fault_kind::lose_tail:
    case fault_kind::refuse_append:
    case fault_kind::write_foreign:
    case fault_kind::spoil_record:
      return harm_log(what);
  }
}

void mischief::harm_link(const fault& what) {
  using enum fault_kind;
  if (what.kind == repeat_requests || what.kind == delay_link || what.kind == lose_frames) {
    link_faults bad;
    bad.repeats = what.kind == repeat_requests;
    bad.loses = what.kind == lose_frames;
    if (what.kind == delay_link) bad.late = std::chrono::milliseconds{what.amount};
    set_link(what.which, bad);
    return around_.time.after(what.span, [this, what] { set_link(what.which, link_faults{}); });
  }
  if (what.kind == cut_link) {
    set_link(what.which, link_state::cut);
  } else {
    set_link(what.which, what.kind == deafen_link ? link_state::deaf
                         : what.kind == mute_link ? link_state::mute
                                                  : link_state::half_open);
    around_.time.after(what.span / 2, [this, what] { set_link(what.which, link_state::cut); });
  }
  around_.time.after(what.span, [this, what] { set_link(what.which, link_state::up); });
}

void mischief::harm_disk(const fault& what) {
  auto& one = any_machine(what.which);
  if (what.kind == fault_kind::fail_disk) return ail(one, what);
  one.health().slowness = static_cast<double>(what.amount);
  around_.time.after(what.span, [&one] { one.health().slowness = 1; });
}

void mischief::ail(machine& one, const fault& what) {
  excused_until_ = std::max(excused_until_, around_.time.now() + what.span + answers_late_max);
  one.health().set(what.what, true);
  around_.time.after(what.span, [&one, what] { one.health().set(what.what, false); });
}

void mischief::harm_log(const fault& what) {
  auto& plane = any_plane(what.which);
  switch (what.kind) {
    case fault_kind::lose_tail:
      if (!plane.is_together() && !know_same_leader(of_.planes)) return;
      plane.crash(what.span);
      return plane.lose_log_tail(what.amount);
    case fault_kind::lose_disk:
      if (are_whole(of_.planes)) plane.lose_disk(what.span);
      return;
    case fault_kind::write_foreign:
      return plane.write_foreign(what.amount);
    case fault_kind::spoil_record:
      // It starts again while the record is bad.
      plane.health().bad_record = plane.newest_but(what.amount);
      plane.crash(what.span / 2);
      [[fallthrough]];
    default:
      return ail(plane, what);
  }
}

}  // namespace argosy::sim
