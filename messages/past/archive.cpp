// SPDX-License-Identifier: Apache-2.0
#include "messages/past/archive.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "messages/past/cause_tally.hpp"
#include "messages/past/job_history.hpp"
#include "messages/past/past_explanation.hpp"
#include "messages/past/round_index.hpp"

namespace argosy::past {

namespace {

/// The rounds of a history that are to be decided again.
struct round_range {
  std::uint64_t known = 0;  ///< How many records there are since the beginning.
  bool cut = false;         ///< There are more than may be decided.
  model::round_decided first;
  model::round_decided last;
};

result<round_range> find_range(store::database& store, const history_bounds& bounds) {
  auto txn = store.begin_read();
  if (!txn) return fail(std::move(txn.error()));
  auto first = first_round_where(**txn, [&](const ledger::put_round& round) {
    return round.round.began_ns >= bounds.since_ns;
  });
  if (!first) return fail(std::move(first.error()));
  auto last = last_round_before(**txn, bounds.until_ns);
  if (!last) return fail(std::move(last.error()));
  round_range out;
  if (!*first || !*last || (*first)->round.number > (*last)->round.number) return out;
  out.last = std::move((*last)->round);
  auto known = count_rounds(**txn, (*first)->round.number, out.last.number);
  if (!known) return fail(std::move(known.error()));
  out.known = *known;
  out.cut = out.last.number - (*first)->round.number >= bounds.rounds_max;
  if (out.cut) {
    const auto from = out.last.number - bounds.rounds_max + 1;
    first = first_round_where(
        **txn, [&](const ledger::put_round& round) { return round.round.number >= from; });
    if (!first) return fail(std::move(first.error()));
  }
  out.first = std::move((*first)->round);
  return out;
}

void add_cycle(const past_cycle& cycle, v1::JobHistory& out) {
  if (out.rounds_decided() == 0) out.set_first_round(cycle.rounds.front().record.number);
  out.set_last_round(cycle.rounds.back().record.number);
  out.set_rounds_decided(out.rounds_decided() + cycle.rounds.size());
  for (const auto& round : cycle.rounds)
    if (!round.is_same()) out.set_rounds_differing(out.rounds_differing() + 1);
}

/// Says why not all rounds were decided again; empty if all were.
std::string stop_text(const round_range& range, const result<walk_end>& done,
                      const v1::JobHistory& out) {
  std::string text;
  const auto say = [&](const std::string& sentence) {
    text += (text.empty() ? "" : " ") + sentence;
  };
  if (out.rounds_decided() == 0)
    say("None of them could be decided again.");
  else if (out.first_round() > range.first.number)
    say("Rounds before " + std::to_string(out.first_round()) +
        " cannot be decided again any more.");
  else if (range.cut)
    say("Rounds before " + std::to_string(out.first_round()) +
        " were left out, since so many may be decided at a time.");
  if (!done)
    say("It ended after round " + std::to_string(out.last_round()) + ": " + done.error().detail +
        ".");
  else if (*done == walk_end::out_of_time)
    say("The time for it was over" +
        (out.rounds_decided() == 0 ? "" : " after round " + std::to_string(out.last_round())) +
        "; the last round of them is " + std::to_string(range.last.number) +
        ". Ask for fewer rounds to reach it.");
  return text;
}

/// The pools in which the job could run, or those in which it ran.
std::vector<model::pool_name> pools_of(const v1::JobExplanation& told) {
  std::vector<model::pool_name> out;
  if (told.pools().empty() && told.has_run()) out.emplace_back(told.run().pool());
  for (const auto& pool : told.pools())
    if (!pool.never()) out.emplace_back(pool.pool());
  return out;
}

/// Whether the round that tells of the job decided about it, or could have.
bool concerns_job(const v1::JobExplanation& told) {
  const auto& decision = told.past().decision();
  const auto pools = pools_of(told);
  return decision == "started" || decision == "preempted" || pools.empty() ||
         std::ranges::find(pools, told.past().pool()) != pools.end();
}

failure ends() {
  return fail(ec::cancelled, "this process ends");
}

}  // namespace

result<model::round_decided> archive::find(std::uint64_t round, std::int64_t at_ns) const {
  auto txn = seams_.store->begin_read();
  if (!txn) return fail(std::move(txn.error()));
  auto found = round != 0 ? find_round(**txn, round) : last_round_before(**txn, at_ns);
  if (!found) return fail(std::move(found.error()));
  if (!*found && round != 0)
    return fail(ec::not_found, "there was no round " + std::to_string(round) +
                                   ", or its record is not kept any more");
  if (!*found) return fail(ec::not_found, "no round before that time is known");
  return std::move((*found)->round);
}

/// The newest copy that is not too new; null if there is none, so that the log is read from its
/// beginning on.
result<std::shared_ptr<store::database>> archive::copy_before(model::log_position position) const {
  auto copies = seams_.copies();
  if (!copies) return fail(std::move(copies.error()));
  const auto newer =
      std::ranges::find_if(*copies, [&](const auto& copy) { return copy.position > position; });
  if (newer == copies->begin()) return nullptr;
  return std::prev(newer)->open();
}

result<const past_cycle*> archive::cycle_of(const model::round_decided& round,
                                            const std::function<bool()>& out_of_time) {
  const auto has = [&](const past_cycle& cycle) {
    return std::ranges::any_of(cycle.rounds,
                               [&](const auto& one) { return one.record.number == round.number; });
  };
  if (kept_ && has(*kept_)) return &*kept_;
  kept_.reset();
  auto copy = copy_before(round.snapshot_position);
  if (!copy) return fail(std::move(copy.error()));
  auto log = seams_.open_log();
  if (!log) return fail(std::move(log.error()));
  auto cycle = rebuild_cycle({copy->get(), log->get(), seams_.key.get(), seams_.rules,
                              seams_.read_settings, &stopped_, out_of_time, seams_.live_jobs_max},
                             round);
  (*log)->close();
  if (!cycle) return fail(std::move(cycle.error()));
  return &kept_.emplace(std::move(*cycle));
}

result<v1::JobExplanation> archive::explain(const ulid& job, std::uint64_t round,
                                            std::int64_t at_ns,
                                            const std::function<bool()>& out_of_time) {
  if (stopped_) return ends();
  auto record = find(round, at_ns);
  if (!record) return fail(std::move(record.error()));
  const auto told_by = [&](const model::round_decided& one) -> result<v1::JobExplanation> {
    const auto cycle = cycle_of(one, out_of_time);
    if (!cycle) return fail(cycle.error());
    return past::explain(**cycle, job, one.number);
  };
  auto out = told_by(*record);
  if (!out || round != 0 || concerns_job(*out)) return out;
  auto before = find_before(record->number, pools_of(*out), out->submitted_ns());
  if (!before) return fail(std::move(before.error()));
  if (!*before) return out;
  auto better = told_by(**before);
  // It was not live yet when that cycle began.
  return !better && better.error().code == ec::not_found ? std::move(out) : std::move(better);
}

/// The last round before this one that is of one of the pools and began at this time or later.
result<std::optional<model::round_decided>> archive::find_before(
    std::uint64_t number, const std::vector<model::pool_name>& pools, std::int64_t since_ns) const {
  // So many rounds of other pools are passed over.
  constexpr int looks_max = 10'000;
  auto txn = seams_.store->begin_read();
  if (!txn) return fail(std::move(txn.error()));
  for (int i = 0; i < looks_max && --number > 0; ++i) {
    auto found = find_round(**txn, number);
    if (!found) return fail(std::move(found.error()));
    if (!*found) continue;
    if ((*found)->round.began_ns < since_ns) break;
    if (std::ranges::find(pools, (*found)->round.pool) != pools.end())
      return std::move((*found)->round);
  }
  return std::nullopt;
}

result<walk_end> archive::walk(model::log_position first, model::log_position last,
                               const std::function<bool()>& out_of_time,
                               const cycle_visitor& visit) const {
  auto copy = copy_before(first);
  if (!copy) return fail(std::move(copy.error()));
  auto log = seams_.open_log();
  if (!log) return fail(std::move(log.error()));
  past_source from{copy->get(),  log->get(),           seams_.key.get(),
                   seams_.rules, seams_.read_settings, &stopped_};
  from.out_of_time = out_of_time;
  from.live_jobs_max = seams_.live_jobs_max;
  auto done = each_cycle(from, first, last, visit);
  (*log)->close();
  return done;
}

result<v1::JobHistory> archive::history(const ulid& job, const history_bounds& bounds) {
  if (stopped_) return ends();
  // Both may be large.
  kept_.reset();
  auto range = find_range(*seams_.store, bounds);
  if (!range) return fail(std::move(range.error()));
  v1::JobHistory out;
  out.set_rounds_since(range->known);
  if (range->known == 0) return out;
  cause_tally tally;
  const auto visit = [&](past_cycle& cycle, view::recovered_state& state) {
    add_cycle(cycle, out);
    for (const auto& entry : entries_of(cycle, state, job)) tally.add(entry);
    return true;
  };
  const auto last = range->last.snapshot_position;
  auto done = walk(range->first.snapshot_position, last, bounds.out_of_time, visit);
  if (!done && done.error().code == ec::not_found && out.rounds_decided() == 0) {
    // The log may begin behind the first of the rounds; then the oldest copy is where to begin.
    auto copies = seams_.copies();
    if (!copies) return fail(std::move(copies.error()));
    if (copies->empty() || copies->front().position > last) return fail(std::move(done.error()));
    done = walk(copies->front().position, last, bounds.out_of_time, visit);
  }
  // If the walk ends early, the caller is told what was decided until then.
  const bool ends_early =
      !done && (done.error().code == ec::not_found || done.error().code == ec::too_large);
  if (!done && (!ends_early || out.rounds_decided() == 0)) return fail(std::move(done.error()));
  tally.write(out);
  out.set_stopped(stop_text(*range, done, out));
  return out;
}

}  // namespace argosy::past
