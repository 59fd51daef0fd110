// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/takeover/takeover_model.hpp"

#include <algorithm>

#include "tests/unit/takeover/takeover_sets.hpp"

namespace argosy::takeover {
namespace {

constexpr plane_set first_planes = 0b111;
constexpr int operators_jump = 1000;

}  // namespace

model::model(const rules& rules, const setting& setting)
    : rules_(rules), setting_(setting), book_(first_planes) {
  const auto elected = book_.add(0, 1, 0, record_kind::elected);
  world_.faults = setting.faults;
  world_.acknowledged = elected;
  world_.committers.push({1, 0});
  for (int p = 0; p < 3; ++p) {
    auto& it = world_.planes[p];
    it.state = plane_state::running;
    it.machine = static_cast<std::uint8_t>(p);
    it.end = it.known_committed = it.applied = elected;
    it.bound = 1;
    it.bound_to = 0;
  }
  if (setting.another_beside_c) {
    world_.planes[3].state = plane_state::running;
    world_.planes[3].machine = 2;
  }
  auto& log = world_.log;
  log.count = setting.servers;
  for (int i = 0; i < log.count; ++i) {
    log.servers[i].entries[0] = {elected, 0, false, 1, 0};
    log.servers[i].length = 1;
  }
  log.length = 1;
  auto& leader = world_.planes[0];
  leader.role = plane_role::leading;
  leader.epoch = 1;
  leader.serves = true;
  leader.generation = 1;
  leader.expected_length = 1;
}

bool model::further(record_id one, record_id other) const {
  const auto& a = book_[one];
  const auto& b = book_[other];
  if (a.epoch != b.epoch && rules_.epoch_comes_before_position) return a.epoch > b.epoch;
  return a.position > b.position;
}

bool model::lost(int p) const {
  const auto state = world_.planes[p].state;
  return state == plane_state::gone ||
         (state == plane_state::renamed && setting_.renamed_counts_as_lost);
}

bool model::has_room() const {
  const auto& all = world_.log.servers;
  return std::all_of(all.begin(), all.end(),
                     [](const auto& it) { return it.length <= longest_log - 10; });
}

int model::next_id() const {
  for (int p = 3; p < most_planes; ++p) {
    if (world_.planes[p].state == plane_state::absent) return p;
  }
  return -1;
}

plane_set model::all_named(const plane& it) const {
  plane_set out = 0;
  for_each_set_in_force(it, [&](plane_set named) { out |= named; });
  return out;
}

// ---- planes -------------------------------------------------------------------------------------

void model::start(int p) {
  auto& it = world_.planes[p];
  it.state = plane_state::running;
  if (!rules_.binding_is_durable) it.bound = 0;
}

void model::join(int machine) {
  auto& it = world_.planes[next_id()];
  it = plane{};
  it.state = plane_state::running;
  it.machine = static_cast<std::uint8_t>(machine);
}

void model::read(int p) {
  auto& it = world_.planes[p];
  const bool behind = book_[chain_.begin].position > book_[it.end].position;
  it.end = behind ? chain_.begin : book_.after(it.end, chain_.end);
}

void model::set_aside(int p) {
  auto& it = world_.planes[p];
  const auto left = book_.fork(it.end, chain_.end);
  if (book_[it.known_committed].position > book_[left].position) {
    world_.violation = "S1: a plane sets aside what it knows to be committed";
    return;
  }
  if (it.role != plane_role::asking || rules_.setting_aside_voids_answers) stand_down(p, false);
  it.end = left;
}

void model::learn_of_commit(int p, record_id committed) {
  auto& it = world_.planes[p];
  const auto known = book_.fork(it.end, committed);
  if (book_[known].position <= book_[it.known_committed].position) return;
  it.known_committed = known;
  if (book_.has(known, it.applied)) it.applied = known;
  check_agreement();
}

void model::hear_of_commit(int p, int leader) {
  const auto committed = world_.planes[leader].known_committed;
  const auto end = world_.planes[p].end;
  learn_of_commit(
      p, rules_.heartbeat_names_the_record ? committed : book_.at(end, book_[committed].position));
}

void model::fetch_store(int p, int leader) {
  const auto& from = world_.planes[leader];
  const int q = rules_.replaced_view_stays_the_same_plane ? p : next_id();
  if (q < 0) return;
  const auto former = world_.planes[p];
  if (q != p) stand_down(p, false);
  if (q != p) world_.planes[p].state = plane_state::renamed;
  auto& it = world_.planes[q];
  it = plane{};
  it.state = plane_state::running;
  it.machine = former.machine;
  it.end = from.end;
  it.known_committed = it.applied = from.known_committed;
  if (q != p) return;
  it.bound = former.bound;
  it.bound_to = former.bound_to;
}

void model::stand_down(int p, bool publish_may_land) {
  auto& it = world_.planes[p];
  if (it.publishing && publish_may_land) world_.late.push(it.message);
  plane left;
  left.state = it.state;
  left.machine = it.machine;
  left.end = it.end;
  left.known_committed = it.known_committed;
  left.applied = it.applied;
  left.bound = it.bound;
  left.bound_to = it.bound_to;
  left.former = it.former;
  left.highest_heard = it.highest_heard;
  it = left;
}

// ---- claims -------------------------------------------------------------------------------------

void model::become_candidate(int p) {
  auto& it = world_.planes[p];
  it.epoch = 1 + std::max({book_[it.end].epoch, chain_.epoch, it.bound, it.highest_heard});
  it.bound = it.epoch;
  it.bound_to = p;
  it.role = plane_role::asking;
  it.answered = 0;
  it.another_is_further = false;
}

void model::answer(int p, int asker) {
  auto& it = world_.planes[p];
  auto& by = world_.planes[asker];
  if (refuses(p, asker)) {
    by.highest_heard = it.bound;
    return;
  }
  const bool leads = it.role == plane_role::leading || it.role == plane_role::claiming;
  const bool lower = it.bound < by.epoch;
  if (lower && (!leads || rules_.binding_ends_leading)) stand_down(p, true);
  it.bound = by.epoch;
  it.bound_to = asker;
  world_.messages.push({true, static_cast<std::uint8_t>(p), static_cast<std::uint8_t>(asker),
                        by.epoch, it.end, it.known_committed});
}

void model::deliver(int index) {
  const auto what = world_.messages.members[index];
  world_.messages.erase(index);
  auto& it = world_.planes[what.to];
  if (it.state != plane_state::running) return;
  if (!what.answer) {
    const bool same = rules_.confirmation_names_the_record
                          ? it.in_flight == what.record
                          : book_[it.in_flight].position == book_[what.record].position;
    if (it.role == plane_role::leading && it.in_flight != 0 && same)
      it.confirmed |= only(what.from);
    return;
  }
  if (it.role != plane_role::asking) return;
  if (it.epoch != what.epoch && rules_.answer_names_the_epoch) return;
  if (rules_.answer_tells_what_is_committed) learn_of_commit(what.to, what.committed);
  if (!contains(all_named(it), what.from)) return;
  if (further(what.record, it.end) && rules_.furthest_store_claims) {
    it.another_is_further = true;
    return;
  }
  it.answered |= only(what.from);
}

void model::claim(int p) {
  auto& it = world_.planes[p];
  if (!rules_.log_that_ends_elsewhere_gets_a_new_generation) it.end = chain_.end;
  if (book_.has(it.end, it.applied)) it.applied = it.end;
  if (!rules_.applied_is_not_known_to_be_committed) it.known_committed = it.end;
  log_entry entry;
  entry.writer = static_cast<std::uint8_t>(p);
  entry.epoch = it.epoch;
  if (it.end == chain_.end) {
    it.role = plane_role::leading;
    it.in_flight = book_.add(it.end, it.epoch, p, record_kind::elected);
    it.generation = world_.log.generation();
    it.expected_length = world_.log.length;
    publish_in_flight(p);
    return;
  }
  it.role = plane_role::claiming;
  entry.mark = true;
  entry.record = it.end;
  if (!rules_.mark_has_the_epoch_of_the_claim) entry.epoch = book_[it.end].epoch;
  it.generation = world_.log.generation() + 1;
  it.expected_length = 0;
  it.publishing = true;
  it.message = {entry, it.generation, 0};
}

void model::recover(int p) {
  const int q = rules_.recovered_plane_has_a_new_id && !was_recovered(p) ? next_id() : p;
  stand_down(p, true);
  auto& it = world_.planes[q];
  if (q != p) {
    it = world_.planes[p];
    it.former = p;
    world_.planes[p].state = plane_state::renamed;
  }
  it.epoch = operators_jump + std::max({it.bound, chain_.epoch, book_[it.end].epoch});
  it.bound = it.epoch;
  it.bound_to = q;
  it.recovering = true;
  world_.recovered = q;
  it.applied = it.end;
  it.role = plane_role::claiming;
  log_entry entry{it.end, static_cast<std::uint8_t>(q), true, it.epoch, 0};
  it.generation = world_.log.generation() + 1;
  it.expected_length = 0;
  it.publishing = true;
  it.message = {entry, it.generation, 0};
  // The operator accepts that what this plane lacks is lost.
  world_.acknowledged = book_.fork(world_.acknowledged, it.end);
  for (auto& other : world_.planes) {
    other.known_committed = book_.fork(other.known_committed, it.end);
  }
}

// ---- leading ------------------------------------------------------------------------------------

void model::publish_in_flight(int p) {
  auto& it = world_.planes[p];
  const log_entry entry{it.in_flight, static_cast<std::uint8_t>(p), false, it.epoch, 0};
  it.publishing = true;
  it.message = {entry, it.generation, it.expected_length};
}

void model::put_in_log(const publish& what, int helper) {
  if (what.entry.mark) {
    world_.log.begin_generation(what.generation, what.entry, helper);
  } else {
    world_.log.append(what.entry, helper);
  }
}

void model::land(int p, int helper) {
  auto& it = world_.planes[p];
  put_in_log(it.message, helper);
  it.publishing = false;
  it.expected_length = world_.log.length;
  if (!it.message.entry.mark) {
    it.landed = true;
    return;
  }
  it.role = plane_role::leading;
  const auto named =
      it.recovering && rules_.recovered_plane_names_only_itself ? only(p) : book_[it.end].named;
  it.in_flight = book_.add(it.end, it.epoch, p, record_kind::elected, named);
  publish_in_flight(p);
}

void model::commit(int p) {
  auto& it = world_.planes[p];
  const auto what = it.in_flight;
  if (book_.has(what, world_.acknowledged)) {
    world_.acknowledged = what;
  } else if (!book_.has(world_.acknowledged, what)) {
    world_.violation = "S1: a leader goes on without what was acknowledged";
  }
  for (std::size_t i = 0; i < world_.committers.count; ++i) {
    const auto& other = world_.committers.members[i];
    if (other.first == it.epoch && other.second != p) {
      world_.violation = "S2: two leaders commit at one epoch";
    }
  }
  const bool first = book_[what].kind == record_kind::elected;
  if (first) world_.committers.push({it.epoch, p});
  if (!book_.has(what, it.applied))
    world_.violation = "S2: a leader's view has what its log has not";
  if (book_[what].kind == record_kind::command && calm_ && what >= calm_since_) {
    serves_again_ = true;
  }
  it.serves = true;
  it.recovering = false;
  it.known_committed = it.applied = what;
  it.in_flight = 0;
  it.landed = it.synced = false;
  it.confirmed = 0;
  check_agreement();
}

void model::check_agreement() {
  for (int p = 0; p < most_planes && world_.violation == nullptr; ++p) {
    const auto& it = world_.planes[p];
    if (it.state != plane_state::running && it.state != plane_state::stopped) continue;
    if (!book_.has(world_.acknowledged, it.known_committed) &&
        !book_.has(it.known_committed, world_.acknowledged)) {
      world_.violation = "S2: a plane takes for committed what is not";
    }
  }
}

void model::change_planes(int p, int newcomer) {
  auto& it = world_.planes[p];
  plane_set named = book_[it.end].named | only(newcomer);
  for (int other = 0; other < most_planes; ++other) {
    const bool same_machine = world_.planes[other].machine == world_.planes[newcomer].machine;
    if (other != newcomer && same_machine) named &= static_cast<plane_set>(~only(other));
  }
  it.in_flight = book_.add(it.end, it.epoch, p, record_kind::planes, named);
  if (!rules_.change_is_synced_before_it_is_published) publish_in_flight(p);
}

// ---- faults -------------------------------------------------------------------------------------

void model::lose_disk(int p) {
  stand_down(p, true);
  auto& it = world_.planes[p];
  const auto machine = it.machine;
  it = plane{};
  it.machine = machine;
  it.state = rules_.emptied_store_is_another_plane ? plane_state::gone : plane_state::stopped;
}

void model::cut_power(int left) {
  for (int p = 0; p < most_planes; ++p) {
    if (!running(p)) continue;
    stand_down(p, true);
    world_.planes[p].state = plane_state::stopped;
  }
  for (int i = 0; i < world_.log.count; ++i) world_.log.restart(i, left);
}

void model::calm(int favourite) {
  calm_ = true;
  favourite_ = favourite;
  calm_since_ = static_cast<record_id>(book_.size());
  world_.late.count = 0;
  for (int p = 0; p < most_planes; ++p) {
    if (world_.planes[p].state == plane_state::stopped) start(p);
  }
}

// ---- steps --------------------------------------------------------------------------------------

void model::take(const step& what, std::string* said) {
  if (said != nullptr) *said = text(what);
  if (what.kind <= step_kind::changes_planes || what.kind == step_kind::operator_recovers ||
      what.kind == step_kind::stands_down) {
    take_plane_step(what);
  } else {
    take_log_step(what);
  }
  if (is_fault(what.kind)) --world_.faults;
}

void model::take_plane_step(const step& what) {
  const int p = what.who;
  auto& it = world_.planes[p];
  switch (what.kind) {
    case step_kind::plane_starts:
      return start(p);
    case step_kind::plane_ends:
      stand_down(p, false);
      it.state = plane_state::stopped;
      return;
    case step_kind::plane_joins:
      return join(what.number);
    case step_kind::reads:
      return read(p);
    case step_kind::sets_aside:
      return set_aside(p);
    case step_kind::hears_of_commit:
      return hear_of_commit(p, what.other);
    case step_kind::fetches_store:
      return fetch_store(p, what.other);
    case step_kind::becomes_candidate:
      return become_candidate(p);
    case step_kind::answers:
      return answer(p, what.other);
    case step_kind::message_arrives:
      return deliver(what.number);
    case step_kind::gives_up:
      return stand_down(p, false);
    case step_kind::claims:
      return claim(p);
    case step_kind::lands:
      return land(p, what.number);
    case step_kind::lands_on_one_server:
      put_in_log(it.message, replicated_log::nobody);
      return stand_down(p, false);
    case step_kind::lands_in_old_generation:
      it.publishing = false;
      it.landed = true;
      return;
    case step_kind::is_refused:
      return stand_down(p, false);
    case step_kind::syncs:
      it.end = it.in_flight;
      it.synced = true;
      if (!it.publishing && !it.landed) publish_in_flight(p);
      return;
    case step_kind::confirms:
      world_.messages.push({false, what.who, what.other, world_.planes[what.other].epoch,
                            world_.planes[what.other].in_flight, 0});
      return;
    case step_kind::commits:
      return commit(p);
    case step_kind::takes_command:
      if (!calm_) ++world_.commands;
      it.in_flight = book_.add(it.end, it.epoch, p, record_kind::command);
      return publish_in_flight(p);
    case step_kind::changes_planes:
      return change_planes(p, what.other);
    case step_kind::stands_down:
      return stand_down(p, true);
    case step_kind::operator_recovers:
      return recover(p);
    default:
      return;
  }
}

void model::take_log_step(const step& what) {
  auto& log = world_.log;
  switch (what.kind) {
    case step_kind::lands_late: {
      const auto late = world_.late.members[what.other];
      world_.late.erase(what.other);
      return put_in_log(late, what.number);
    }
    case step_kind::server_starts:
      log.servers[what.number].up = true;
      return;
    case step_kind::server_catches_up:
      return log.copy(log.leader, what.number);
    case step_kind::log_settles:
      log.copy(log.leader, what.number);
      log.length = log.servers[log.leader].length;
      return;
    case step_kind::server_is_elected:
    case step_kind::server_is_elected_without_need:
      return log.elect(what.number, what.other);
    case step_kind::copy_is_kept:
      world_.old_copy = log;
      world_.has_old_copy = true;
      return;
    case step_kind::copy_is_restored:
      log = world_.old_copy;
      return;
    case step_kind::is_killed:
      stand_down(what.who, true);
      world_.planes[what.who].state = plane_state::stopped;
      return;
    case step_kind::disk_is_lost:
      if (what.number == 1) log.restart(world_.planes[what.who].machine, 0);
      return lose_disk(what.who);
    case step_kind::log_is_set_back:
      return log.restart(what.other, what.number);
    case step_kind::power_is_cut:
      return cut_power(what.number);
    default:
      return;
  }
}

}  // namespace argosy::takeover
