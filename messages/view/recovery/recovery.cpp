// SPDX-License-Identifier: Apache-2.0
#include "messages/view/recovery/recovery.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "messages/view/job_set_counts.hpp"
#include "messages/view/recovery/log_state.hpp"
#include "messages/view/recovery/new_generation.hpp"
#include "messages/view/recovery/replay.hpp"
#include "messages/view/recovery/roll_over.hpp"
#include "messages/view/recovery/standing.hpp"
#include "runtime/base/planted.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::view {

namespace {

const logging::logger logger{"recovery"};

/// A follower looks at the log again after so many records, so that its process may do other things
/// meanwhile.
constexpr std::uint64_t followed_at_once = 1'000;
constexpr model::log_position to_the_end{std::numeric_limits<std::uint64_t>::max()};

}  // namespace

result<void> recovery::load(const std::function<bool()>& give_up) {
  if (std::exchange(is_loaded_, true)) return {};
  if (auto counted = prepare_counts(database_); !counted) return counted;
  if (auto done = load_view(database_, config_, key_, state_, give_up); !done) return done;
  auto copy = read_copy_mark(database_);
  if (!copy) return fail(copy.error());
  copy_ = *copy;
  return {};
}

/// The last batch of the chain; foreign records may stand behind it.
view_position recovery::last_of_chain() const {
  auto out = state_.position;
  if (!replay_.last_batch().is_zero()) out.position = replay_.last_batch();
  return out;
}

result<bool> recovery::follow(model::log_generation generation, model::log_position committed,
                              const std::function<bool()>& give_up) {
  if (auto done = load(give_up); !done) return fail(done.error());
  const auto& at = state_.position;
  const auto is_done = [&] {
    return at.generation > generation || (at.generation == generation && at.position >= committed);
  };
  const auto bounded = [&](model::log_generation of, model::log_position begin) {
    const auto next = begin + followed_at_once;
    return of == generation ? std::min(next, committed) : next;
  };
  if (is_done()) return true;
  log_.choose(at.generation, at.generation_base);
  const auto found = look_at_log(database_, log_, last_of_chain(), key_);
  if (!found) return fail(found.error());
  const bool goes_on = found->match == log_match::continues;
  // A store that has all of a generation does not miss it if it is lost or emptied.
  std::optional<later_beginning> later;
  if (at.generation < generation) {
    auto next = find_later(log_, at, key_);
    if (!next) return fail(next.error());
    later = std::move(*next);
  }
  if (goes_on) {
    log_info_ = found->info;
    // What stands behind the beginning of a later generation was given up.
    auto end = log_info_.last_position;
    if (later && later->ours && later->problem.empty() && later->begun.position >= at.position)
      end = std::min(end, later->begun.position);
    const auto until = std::min(end, bounded(at.generation, at.position));
    if (auto done = replay_.run(until); !done) return fail(done.error());
    if (at.position < end) return is_done();
  }
  if (relation(later, last_of_chain()) != later_log::continues) {
    if (goes_on) return is_done();
    const auto ends = "the log ends at record " + to_string(found->info.last_position) +
                      " and lacks what this store has behind it";
    return fail(ec::conflict, found->why.empty() ? ends : found->why);
  }
  const auto& begun = later->begun;
  if (auto done = turn_to(begun, bounded(begun.generation, begun.position)); !done)
    return fail(done.error());
  return is_done();
}

result<void> recovery::follow_tail(const log_ahead::part& committed) {
  if (auto done = load(); !done) return done;
  log_info_.created_ns = committed.stream_created_ns;
  const auto records = read_tail(database_, state_.position.position, committed.until);
  if (!records) return fail(records.error());
  return replay_.apply_chain(*records);
}

void recovery::forget_changes() {
  for (const auto& [name, core] : state_.queues) {
    static_cast<void>(core->take_dirty());
    core->prune_client_ids(state_.newest_ns);
  }
}

result<recovered_state> recovery::finish(const claim_gate& gate, model::epoch granted) {
  gate_ = gate;
  granted_ = granted;
  if (auto done = load(); !done) return fail(done.error());
  if (auto done = run_generations(); !done) return fail(done.error());
  if (auto may = ask_gate(claim_step::claim); !may) return fail(may.error());
  if (auto ok = log_.apply_limits(); !ok) return fail(ok.error());
  if (copy_)
    if (auto joined = erase_copy_mark(database_); !joined) return fail(joined.error());
  auto carried = load_carried(database_);
  if (!carried) return fail(carried.error());
  state_.carried = std::move(*carried);
  attach_runs(state_, config_);
  forget_departed(state_);
  logger.info("recovered", logging::kv("position", state_.position.position.value),
              logging::kv("generation", state_.position.generation.value),
              logging::kv("epoch", state_.position.epoch.value),
              logging::kv("live_jobs", state_.live_jobs),
              logging::kv("replayed", state_.replayed_batches),
              logging::kv("republished", state_.republished_batches),
              logging::kv("foreign", state_.foreign_records));
  return std::move(state_);
}

/// Goes through the generations of the log until the store has all that they have.
result<void> recovery::run_generations() {
  auto& at = state_.position;
  if (!granted_.is_zero()) {
    // No other store ends farther, so that all of this one counts, whatever the log has in its
    // place.
    log_info_.created_ns = at.stream_created_ns;
    replay_.apply_uncommitted();
    if (auto done = apply_tail(); !done) return done;
  }
  log_.choose(at.generation, at.generation_base);
  if (at.key_print != 0 && at.key_print != key_.print())
    return refuse("this store's log has another key than that in " + key_.place(), {});
  for (bool at_end = false;; at_end = true) {
    const auto later = find_later(log_, at, key_);
    if (!later) return fail(later.error());
    auto found = look_at_log(database_, log_, last_of_chain(), key_);
    if (!found) return fail(found.error());
    if (!found->note.empty()) logger.error("the log is damaged", logging::kv("place", found->note));
    log_info_ = found->info;
    const auto how = relation(*later, at);
    switch (decide(at.position.is_zero(), found->match, how, at_end, copy_.has_value())) {
      case log_plan::refuse:
        return refuse(why_refused(*found, at, *later, copy_), *later);
      case log_plan::begin_anew:
        if (auto may = ask_gate(claim_step::change_log); !may) return may;
        if (auto done = apply_tail(); !done) return done;
        return begin_generation(found->why);
      case log_plan::follow:
        if (auto done = turn_to((*later)->begun, to_the_end); !done)
          return give_up_rest(done.error());
        continue;
      case log_plan::create:
        if (auto may = ask_gate(claim_step::change_log); !may) return may;
        if (auto made = log_.create(); !made) return made;
        continue;
      case log_plan::repair:
        if (!gives_nothing_back()) break;
        return begin_generation("the log ends before this store does");
      case log_plan::go_on:
        break;
    }
    if (auto done = bring_up(*found); !done) return give_up_rest(done.error());
    if (how != later_log::none) continue;
    if (replay_.trusted() > 0)
      return begin_generation("the batches of the log have the MAC of a lost key");
    const auto sealed = ends_with_seal(log_, log_info_, at);
    if (!sealed) return fail(sealed.error());
    return *sealed ? begin_generation({}) : take_rest_of_tail();
  }
}

/// Where planes decide together, a log that lost its end may have had a later claim there. It is
/// not given back what it lacks.
bool recovery::gives_nothing_back() const {
  return !granted_.is_zero() && state_.position.planes.size() > 1;
}

/// What can be applied of the log is applied, and the rest cannot.
result<void> recovery::give_up_rest(const error& why) {
  if (why.code != ec::corrupt && why.code != ec::conflict) return fail(why);
  if (config_.accept_loss || !granted_.is_zero()) return begin_generation(why.detail);
  if (why.code == ec::conflict) return fail(why);
  return fail(why.code,
              why.detail + "; 'argosyd recover' shows what is known and what can be done");
}

/// The tail may have records behind a gap, which could not be given back to the log.
result<void> recovery::take_rest_of_tail() {
  const auto before = state_.replayed_batches;
  if (auto done = apply_tail(); !done) return done;
  if (state_.replayed_batches == before) return {};
  return begin_generation("the tail has batches that do not fit behind the log");
}

result<void> recovery::refuse(const std::string& why, const std::optional<later_beginning>& later) {
  if (!config_.accept_loss && granted_.is_zero())
    return fail(ec::corrupt, why + "; 'argosyd recover' shows what is known and what can be done");
  if (auto done = apply_tail(); !done) return done;
  if (later)
    log_.choose(later->begun.generation, later->ours              ? later->begun.position
                                         : later->problem.empty() ? model::log_position{}
                                                                  : state_.position.position);
  const auto info = log_.info();
  if (info) log_info_ = *info;
  if (!info && info.error().code != ec::not_found) return fail(info.error());
  return begin_generation(why);
}

/// Makes the log and the store agree on what both have.
result<void> recovery::bring_up(const log_state& found) {
  if (!found.missing.empty()) {
    if (auto may = ask_gate(claim_step::change_log); !may) return may;
    // A log that is full must get its new room before what it lacks is written.
    if (auto ok = log_.apply_limits(); !ok) return ok;
  }
  state_.position.stream_created_ns = log_info_.created_ns;
  // Batches that are on this disk and not in the log: either the log lost its end, or the process
  // died between the two writes. It is right to append them again in both cases.
  for (const auto& record : found.missing) {
    if (is_planted(planted_fault::keeps_tail_to_itself)) break;
    if (record.position != log_info_.last_position + 1) break;
    auto appended = log_.append(log_info_.last_position, record.msg_id, record.data);
    if (!appended) return fail(appended.error());
    ++log_info_.last_position;
    ++state_.republished_batches;
  }
  return replay_.run(log_info_.last_position);
}

/// The log goes on in a later generation, which began where this store ends. Applies what is there
/// up to `until`.
result<void> recovery::turn_to(const model::generation_begun& later, model::log_position until) {
  log_.choose(later.generation, later.position);
  const auto info = log_.info();
  if (!info) return fail(info.error());
  log_info_ = *info;
  // Foreign records may have moved the end of the older log to either side of this place.
  state_.position.position = later.position;
  if (auto done = replay_.run(std::min(until, log_info_.last_position)); !done) return done;
  if (state_.position.generation == later.generation) return {};
  return fail(ec::corrupt, "generation " + to_string(later.generation) +
                               " of the log does not continue this store");
}

/// A batch goes into log and tail before the view applies it. If the process was killed in between
/// and the log is lost, only the tail has the batch. Its callers were not answered and may repeat
/// it; with its log it would count, and so it counts without the log as well. A batch of ours that
/// does not continue what was applied rests on one that nobody has any more.
result<void> recovery::apply_tail() {
  const auto records = read_tail(database_, state_.position.position);
  if (!records) return fail(records.error());
  for (const auto& record : *records) {
    auto judged = judge(record.data, state_.position, &key_);
    const bool lost = judged.as == standing::broken && judged.authentic;
    const auto place = "the tail's record " + to_string(record.position) + " " + judged.why;
    if (lost && !config_.accept_loss && granted_.is_zero())
      return fail(ec::corrupt,
                  place + "; 'argosyd recover' shows what is known and what can be done");
    if (lost) logger.error("a batch of the tail is given up", logging::kv("why", place));
    if (judged.as != standing::next) continue;
    if (auto done = replay_.apply(record, std::move(judged)); !done) return done;
  }
  return {};
}

/// The store is the durable copy of the state, so that a log can begin where it ends. Without a
/// reason, the process before ended while its log rolled over, and this one finishes it.
result<void> recovery::begin_generation(const std::string& why) {
  auto& at = state_.position;
  if (auto may = ask_gate(why.empty() ? claim_step::turn : claim_step::change_log); !may)
    return may;
  if (auto emptied = forget_tail(database_, at.position); !emptied) return emptied;
  auto first = write_beginning(log_, key_, state_, log_info_, granted_);
  if (!first) return fail(first.error());
  auto info = log_.info();
  if (!info) return fail(info.error());
  log_info_ = *info;
  at.key_print = key_.print();
  at.position = first->position - 1;
  if (auto done = replay_.take(std::move(*first)); !done) return done;
  state_.begun_generation = at.generation;
  const auto generation = logging::kv("generation", at.generation.value);
  const auto position = logging::kv("position", at.position.value);
  if (why.empty())
    logger.info("the log has rolled over", generation, position);
  else
    logger.error("the log goes on in a new generation, which begins with what this store has",
                 logging::kv("why", why), generation, position);
  return {};
}

result<recovered_state> recover(store::database& database, eventlog::event_log& log,
                                const state_rules& config, const codec::log_key& key,
                                const claim_gate& gate) {
  return recovery{database, log, config, key}.finish(gate);
}

result<recovery_outlook> look_ahead(store::database& database, eventlog::event_log& log,
                                    const codec::log_key& key) {
  auto txn = database.begin_read();
  if (!txn) return fail(txn.error());
  const auto position = read_position(**txn);
  if (!position) return fail(position.error());
  const auto copy = read_copy_mark(**txn);
  if (!copy) return fail(copy.error());
  txn->reset();
  const auto at = position->value_or(view_position{});
  log.choose(at.generation, at.generation_base);
  const auto later = find_later(log, at, key);
  if (!later) return fail(later.error());
  const auto found = look_at_log(database, log, at, key);
  if (!found) return fail(found.error());
  recovery_outlook out;
  out.generation = at.generation;
  out.changes_log = !found->missing.empty();
  switch (
      decide(at.position.is_zero(), found->match, relation(*later, at), false, copy->has_value())) {
    case log_plan::refuse:
      out.refusal = why_refused(*found, at, *later, *copy);
      out.is_too_old =
          (found->match == log_match::absent || is_emptied(found->info, at.generation_base)) &&
          *later && (*later)->ours && (*later)->problem.empty() &&
          (*later)->begun.position > at.position;
      if (out.is_too_old) out.begun = (*later)->begun.position;
      break;
    case log_plan::create:
    case log_plan::begin_anew:
      out.changes_log = true;
      break;
    case log_plan::follow:
      out.generation = (*later)->begun.generation;
      break;
    case log_plan::go_on:
    case log_plan::repair:
      out.end = found->info.last_position;
      break;
  }
  return out;
}

}  // namespace argosy::view
