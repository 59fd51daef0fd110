// SPDX-License-Identifier: Apache-2.0
// What may happen in a state of the model.
#include <algorithm>
#include <bit>

#include "tests/unit/takeover/takeover_model.hpp"
#include "tests/unit/takeover/takeover_sets.hpp"

namespace argosy::takeover {
namespace {

/// Whether two of the named planes have it, or the only one.
bool is_second_store(int have, int named) {
  return count_of(have & named) >= std::min(2, count_of(named));
}

}  // namespace

void model::add(step_kind kind, int who, int other, int number) {
  steps_.push_back({kind, static_cast<std::uint8_t>(who), static_cast<std::uint8_t>(other),
                    static_cast<std::uint8_t>(number)});
}

const std::vector<step>& model::steps() {
  steps_.clear();
  available_ = world_.log.available();
  chain_ = available_ ? world_.log.read(book_, rules_.reader_skips_lower_epochs) : log_chain{};
  for (int p = 0; p < most_planes; ++p) {
    const auto& it = world_.planes[p];
    if (it.state == plane_state::stopped) add(step_kind::plane_starts, p);
    if (it.state != plane_state::running) continue;
    follower_steps(p);
    candidate_steps(p);
    publishing_steps(p);
    leader_steps(p);
    confirming_steps(p);
    if (may_recover(p)) add(step_kind::operator_recovers, p);
  }
  for (int machine = 0; machine < 3; ++machine) {
    if (may_join(machine)) add(step_kind::plane_joins, 0, 0, machine);
  }
  message_steps();
  log_steps();
  if (!calm_ && world_.faults > 0) fault_steps();
  return steps_;
}

void model::follower_steps(int p) {
  const auto& it = world_.planes[p];
  const bool follows = it.role == plane_role::following || it.role == plane_role::asking;
  if (follows && may_read(p)) add(step_kind::reads, p);
  const bool fits = view_fits(p) || !rules_.view_that_does_not_fit_is_replaced;
  if (follows && must_set_aside(p) && fits) add(step_kind::sets_aside, p);
  for (int leader = 0; leader < most_planes; ++leader) {
    const auto& other = world_.planes[leader];
    if (leader == p || !running(leader) || other.role != plane_role::leading) continue;
    const bool news = book_[it.known_committed].position < book_[other.known_committed].position &&
                      book_[it.known_committed].position < book_[it.end].position;
    if (other.serves && it.bound <= other.epoch && news) {
      add(step_kind::hears_of_commit, p, leader);
    }
    if (may_fetch_from(p, leader)) add(step_kind::fetches_store, p, leader);
  }
}

bool model::may_read(int p) const {
  const auto& it = world_.planes[p];
  if (!available_ || it.end == chain_.end || !book_.has(chain_.end, it.end)) return false;
  if (book_[chain_.begin].position <= book_[it.end].position) return true;
  // The generation begins further on, so that another plane must have what comes before.
  for (int other = 0; other < most_planes; ++other) {
    if (running(other) && book_.has(world_.planes[other].end, chain_.begin)) return true;
  }
  return false;
}

bool model::must_set_aside(int p) const {
  const auto& it = world_.planes[p];
  return available_ && it.end != chain_.end && !book_.has(chain_.end, it.end) &&
         chain_.epoch > book_[it.end].epoch;
}

bool model::view_fits(int p) const {
  const auto& it = world_.planes[p];
  return !must_set_aside(p) ||
         book_[it.applied].position <= book_[book_.fork(it.end, chain_.end)].position;
}

bool model::has_read_all(int p) const {
  const auto& it = world_.planes[p];
  if (!available_) return false;
  if (must_set_aside(p)) return !view_fits(p) && rules_.store_that_does_not_fit_may_claim;
  if (it.end == chain_.end || !book_.has(chain_.end, it.end)) return true;
  return rules_.generation_that_nobody_can_read_is_passed && !may_read(p);
}

bool model::may_fetch_from(int p, int leader) const {
  const auto& it = world_.planes[p];
  const auto& other = world_.planes[leader];
  if (view_fits(p) || !further(other.end, it.end)) return false;
  const bool waits = other.landed && other.synced && rules_.fetches_from_a_leader_that_waits;
  return other.serves || waits;
}

void model::candidate_steps(int p) {
  const auto& it = world_.planes[p];
  const bool named = rules_.who_is_replaced_may_claim_until_it_counts
                         ? contains(all_named(it), p)
                         : contains(book_[it.end].named, p);
  if (calm_ && p != favourite_) return;
  if (it.role == plane_role::following && named && has_read_all(p)) {
    add(step_kind::becomes_candidate, p);
  }
  if (it.role != plane_role::asking) return;
  const bool overtaken = it.bound != it.epoch || it.highest_heard >= it.epoch ||
                         (available_ && chain_.epoch >= it.epoch);
  if (it.another_is_further || overtaken) add(step_kind::gives_up, p);
  for (int other = 0; other < most_planes; ++other) {
    if (other != p && may_answer(other, p)) add(step_kind::answers, other, p);
  }
  if (may_claim(p)) add(step_kind::claims, p);
}

bool model::may_answer(int p, int asker) const {
  const auto& it = world_.planes[p];
  const auto& by = world_.planes[asker];
  if (!running(p) || by.bound != by.epoch || !contains(all_named(by), p)) return false;
  if (contains(by.answered, p)) return false;
  if (refuses(p, asker)) return by.highest_heard < it.bound;
  if (pending({true, static_cast<std::uint8_t>(p), static_cast<std::uint8_t>(asker), by.epoch,
               it.end, it.known_committed})) {
    return false;
  }
  return true;
}

bool model::refuses(int p, int asker) const {
  const auto& it = world_.planes[p];
  const auto epoch = world_.planes[asker].epoch;
  if (it.bound != epoch) return it.bound > epoch;
  return it.bound_to != asker && rules_.binding_goes_to_one_asker;
}

bool model::answered_enough(int p) const {
  const auto& it = world_.planes[p];
  if (!rules_.claim_asks_others) return true;
  const plane_set have = it.answered | only(p);
  bool out = true;
  for_each_set_in_force(it, [&](plane_set named) {
    const int size = std::popcount(named);
    int need = size >= 3 && rules_.one_plane_may_be_missing ? size - 1 : size;
    if (size == 2 && !rules_.of_two_planes_both_answer) need = 1;
    out = out && count_of(have & named) >= need;
  });
  return out;
}

bool model::may_claim(int p) const {
  const auto& it = world_.planes[p];
  return !it.another_is_further && has_read_all(p) && it.bound == it.epoch && it.bound_to == p &&
         chain_.epoch < it.epoch && answered_enough(p);
}

void model::publishing_steps(int p) {
  const auto& it = world_.planes[p];
  if (!it.publishing || !available_) return;
  if (would_land(it.message)) {
    for (int helper : world_.log.helpers()) add(step_kind::lands, p, 0, helper);
    if (world_.log.count > 1 && !calm_) add(step_kind::lands_on_one_server, p);
  } else if (is_refused(it.message)) {
    add(step_kind::is_refused, p);
    const bool older = it.message.generation < world_.log.generation();
    if (older && !it.message.entry.mark && !calm_) add(step_kind::lands_in_old_generation, p);
  }
}

bool model::would_land(const publish& what) const {
  const auto& log = world_.log;
  if (!available_ || log.servers[log.leader].length != log.length) return false;
  if (what.entry.mark) return log.generation() + 1 == what.generation;
  if (log.generation() != what.generation || log.full()) return false;
  return log.length == what.expected_length || !rules_.claim_waits_for_its_place_in_the_log;
}

bool model::is_refused(const publish& what) const {
  const auto& log = world_.log;
  if (log.servers[log.leader].length != log.length) return false;
  if (what.entry.mark) return log.generation() + 1 != what.generation;
  return log.generation() != what.generation || log.length != what.expected_length;
}

void model::leader_steps(int p) {
  const auto& it = world_.planes[p];
  if (it.role != plane_role::leading) return;
  const auto& log = world_.log;
  const bool changed = available_ && !it.publishing &&
                       (log.generation() != it.generation || log.length != it.expected_length);
  const bool skipped = it.landed && available_ && !book_.has(chain_.end, it.in_flight);
  if (changed || (skipped && rules_.leader_reads_what_it_published) ||
      (hears_of_higher_epoch(p) && rules_.leader_that_hears_of_a_higher_epoch_ends)) {
    add(step_kind::stands_down, p);
  }
  if (it.in_flight != 0 && !it.synced) {
    const bool elected = book_[it.in_flight].kind == record_kind::elected;
    if (!elected || it.landed) add(step_kind::syncs, p);
  }
  if (may_commit(p)) add(step_kind::commits, p);
  if (!it.serves || it.in_flight != 0) return;
  if (!calm_) add(step_kind::plane_ends, p);
  if (calm_ || world_.commands < setting_.commands) add(step_kind::takes_command, p);
  for (int other = 0; other < most_planes; ++other) {
    if (may_change_planes(p, other)) add(step_kind::changes_planes, p, other);
  }
}

/// A plane that is bound higher says so when it is asked to confirm.
bool model::hears_of_higher_epoch(int p) const {
  const auto named = all_named(world_.planes[p]);
  for (int other = 0; other < most_planes; ++other) {
    if (!contains(named, other) || !running(other)) continue;
    if (world_.planes[other].bound > world_.planes[p].epoch) return true;
  }
  return false;
}

bool model::confirmed_enough(int p) const {
  const auto& it = world_.planes[p];
  if (!rules_.commit_needs_a_second_store) return true;
  const auto& record = book_[it.in_flight];
  const plane_set have = it.confirmed | only(p);
  if (record.kind == record_kind::planes) {
    const plane_set former = book_[record.before].named;
    const plane_set stay = record.named & former;
    if (rules_.all_who_stay_confirm_a_change) return (have & stay) == stay;
    return is_second_store(have, record.named) &&
           (is_second_store(have, former) || !rules_.old_planes_confirm_a_change);
  }
  bool out = true;
  for_each_set_in_force(it, [&](plane_set named) {
    const plane_set counted = rules_.only_named_planes_confirm ? have & named : have;
    out = out && is_second_store(counted, named);
  });
  return out;
}

bool model::may_commit(int p) const {
  const auto& it = world_.planes[p];
  if (it.in_flight == 0 || !it.landed || !it.synced) return false;
  if (it.bound > it.epoch && rules_.binding_ends_leading) return false;
  return confirmed_enough(p);
}

bool model::may_change_planes(int p, int newcomer) const {
  const auto& it = world_.planes[p];
  const auto& other = world_.planes[newcomer];
  if (newcomer == p || !running(newcomer) || contains(book_[it.end].named, newcomer)) return false;
  if (other.machine == it.machine || next_id() < 0) return false;
  // Who was replaced while it lived does not come back.
  for (int later = newcomer + 1; later < most_planes; ++later) {
    const auto state = world_.planes[later].state;
    if (state != plane_state::absent && world_.planes[later].machine == other.machine) return false;
  }
  return !rules_.new_plane_reads_before_it_is_admitted || book_.has(other.end, it.known_committed);
}

void model::confirming_steps(int p) {
  const auto& it = world_.planes[p];
  for (int leader = 0; leader < most_planes; ++leader) {
    const auto& other = world_.planes[leader];
    if (leader == p || !running(leader) || other.role != plane_role::leading) continue;
    if (other.in_flight == 0 || contains(other.confirmed, p)) continue;
    const bool has = rules_.confirmation_names_the_record
                         ? book_.has(it.end, other.in_flight)
                         : book_[it.end].position >= book_[other.in_flight].position;
    if (!has || (it.bound > other.epoch && rules_.bound_plane_confirms_nothing_lower)) continue;
    if (pending({false, static_cast<std::uint8_t>(p), static_cast<std::uint8_t>(leader),
                 other.epoch, other.in_flight, 0})) {
      continue;
    }
    add(step_kind::confirms, p, leader);
  }
}

bool model::pending(const message& what) const {
  const auto& all = world_.messages;
  return std::any_of(all.members.begin(), all.members.begin() + all.count, [&](const auto& it) {
    return it.answer == what.answer && it.from == what.from && it.to == what.to &&
           it.epoch == what.epoch && it.record == what.record;
  });
}

void model::message_steps() {
  for (std::size_t i = 0; i < world_.messages.count; ++i) {
    add(step_kind::message_arrives, 0, 0, static_cast<int>(i));
  }
  for (std::size_t i = 0; i < world_.late.count; ++i) {
    if (!available_ || !would_land(world_.late.members[i])) continue;
    for (int helper : world_.log.helpers()) {
      add(step_kind::lands_late, 0, static_cast<int>(i), helper);
    }
  }
}

bool model::may_join(int machine) const {
  if (next_id() < 0) return false;
  bool was_lost = false;
  for (const auto& it : world_.planes) {
    if (it.state == plane_state::absent || it.machine != machine) continue;
    if (it.state == plane_state::gone) was_lost = true;
    if (it.state == plane_state::running || it.state == plane_state::stopped) return false;
  }
  return was_lost;
}

bool model::is_stuck(int p) const {
  bool out = false;
  for_each_set_in_force(world_.planes[p],
                        [&](plane_set named) { out = out || lacks_too_many(named); });
  return out;
}

bool model::was_recovered(int p) const {
  const auto& it = world_.planes[p];
  return it.former >= 0 && contains(all_named(it), it.former);
}

bool model::may_recover(int p) const {
  const auto& it = world_.planes[p];
  if (!setting_.operator_decides || it.recovering || !available_) return false;
  // One command on one plane: a second plane that is told to go on alone would do so.
  const int former = world_.recovered;
  if (former >= 0 && former != p && (running(former) || is_stopped(former))) return false;
  if (next_id() < 0 && !was_recovered(p)) return false;
  // Nobody who lives can go on without it: a plane may not know yet that it is not needed.
  for (int other = 0; other < most_planes; ++other) {
    if (running(other) || is_stopped(other)) {
      if (contains(all_named(world_.planes[other]), other) && !is_stuck(other)) return false;
    }
  }
  if (!is_stuck(p)) return false;
  for (int other = 0; other < most_planes; ++other) {
    const auto& its = world_.planes[other];
    const bool lives = running(other) || is_stopped(other);
    const bool named = contains(all_named(it), other);
    if (other != p && lives && named && !was_recovered(p) && further(its.end, it.end)) return false;
  }
  return contains(all_named(it), p) || was_recovered(p);
}

void model::log_steps() {
  const auto& log = world_.log;
  for (int i = 0; i < log.count; ++i) {
    if (!log.servers[i].up) add(step_kind::server_starts, 0, 0, i);
  }
  if (log.count == 1) {
    if (setting_.old_copy_of_the_log && !world_.has_old_copy && !calm_) {
      add(step_kind::copy_is_kept);
    }
    return;
  }
  const bool settled = available_ && log.servers[log.leader].length == log.length;
  for (int i = 0; i < log.count && available_; ++i) {
    if (i == log.leader || !log.servers[i].up) continue;
    if (settled && log.same(i, log.leader)) continue;
    add(settled ? step_kind::server_catches_up : step_kind::log_settles, 0, 0, i);
  }
  const bool leaderless = log.leader == replicated_log::nobody || !log.servers[log.leader].up;
  const bool fault = !leaderless;
  if (fault && (calm_ || world_.faults == 0 || !setting_.elections_without_need)) return;
  for (int candidate = 0; candidate < log.count; ++candidate) {
    for (int voter = 0; voter < log.count; ++voter) {
      if (candidate == log.leader || !log.may_elect(candidate, voter)) continue;
      add(fault ? step_kind::server_is_elected_without_need : step_kind::server_is_elected, 0,
          voter, candidate);
    }
  }
}

void model::fault_steps() {
  for (int p = 0; p < most_planes; ++p) {
    if (setting_.kills && running(p)) add(step_kind::is_killed, p);
    if (setting_.lost_disks && may_lose_disk(p)) {
      add(step_kind::disk_is_lost, p, 0, 0);
      if (world_.log.count > 1) add(step_kind::disk_is_lost, p, 0, 1);
    }
  }
  log_fault_steps();
}

void model::log_fault_steps() {
  const auto& log = world_.log;
  if (setting_.power_cuts) {
    const int length = log.leader == replicated_log::nobody ? 0 : log.length;
    for (int left = 0; left <= length; ++left) add(step_kind::power_is_cut, 0, 0, left);
  }
  for (int server = 0; server < log.count && setting_.log_set_back; ++server) {
    const auto& it = log.servers[server];
    const int most = log.count == 1 ? it.length - 1 : it.length;
    for (int left = 0; left <= most && it.up; ++left) {
      add(step_kind::log_is_set_back, 0, server, left);
    }
  }
  if (world_.has_old_copy && log.count == 1) add(step_kind::copy_is_restored);
}

bool model::may_lose_disk(int p) const {
  const auto state = world_.planes[p].state;
  if (state != plane_state::running && state != plane_state::stopped) return false;
  // The only store that is left, which the operator chose.
  if (setting_.operator_decides && was_recovered(p)) return false;
  return !any_set([&](plane_set named) {
    if (!contains(named, p)) return false;
    int gone = 1;
    for (int i = 0; i < most_planes; ++i) gone += contains(named, i) && lost(i) ? 1 : 0;
    const int size = count_of(named);
    const int allowed = setting_.operator_decides ? size - 1 : (size >= 3 ? 1 : 0);
    return gone > allowed;
  });
}

bool model::lacks_too_many(plane_set named) const {
  int gone = 0;
  for (int i = 0; i < most_planes; ++i) gone += contains(named, i) && lost(i) ? 1 : 0;
  return gone > (count_of(named) >= 3 ? 1 : 0);
}

bool model::needs_a_person() const {
  return any_set([&](plane_set named) { return lacks_too_many(named); });
}

}  // namespace argosy::takeover
