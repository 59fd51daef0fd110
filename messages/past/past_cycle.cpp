// SPDX-License-Identifier: Apache-2.0
#include "messages/past/past_cycle.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "messages/past/begin_state.hpp"
#include "messages/past/chain_reader.hpp"
#include "messages/past/past_state.hpp"

namespace argosy::past {

namespace {

/// Batches so near before a cycle's position are held back until it is known which of them the
/// cycle lacked: a QUEUE may have told of them only later.
constexpr std::uint64_t held_back = 2'000;
/// The records of later cycles say which events this one lacked. After so many of them, or so many
/// further batches, no more are expected to be told.
constexpr std::ptrdiff_t later_cycles = 3;
constexpr std::uint64_t later_batches = 20'000;

/// An event that is held back until a cycle has seen it.
struct held_event {
  model::log_position position{};
  model::event event;
};

/// Decides the rounds one after the other, as they hand on to each other.
void decide(past_state& state, const std::vector<model::round_decided>& records, past_cycle& out) {
  for (const auto& record : records) {
    past_round round;
    round.record = record;
    round.config = out.history->config_of(record.pool);
    round.params.pool = record.pool;
    round.params.seed = record.seed;
    round.params.round_time_ns = record.began_ns;
    round.params.draw_limit = record.draw_limit;
    state.hand_on(record.before);
    state.carried().open(*round.config, round.params);
    round.plan = scheduling::schedule(out.fold->snapshot(), *round.config, round.params);
    out.history->decided(record.pool, round.plan, out.fold->snapshot(), record.number,
                         record.began_ns);
    state.hand_on(record.carried);
    out.rounds.push_back(std::move(round));
  }
}

failure lost(const model::round_decided& wanted, const std::string& why) {
  return fail(ec::not_found,
              "round " + std::to_string(wanted.number) + " cannot be decided again: " + why);
}

/// Reads the log once, and decides the wanted cycles again in their order.
class cycle_walk {
 public:
  cycle_walk(const past_source& from, past_state& state, model::log_position first,
             model::log_position last, const cycle_visitor& visit)
      : from_(from), state_(state), first_(first), last_(last), visit_(visit) {}

  /// Returns whether more has to be read.
  bool take(model::log_position position, model::log_batch& batch) {
    if (is_over()) return false;
    if (++taken_ % live_looked_at_every == 0 && gives_up()) return false;
    if (position + held_back <= first_) {
      for (auto& event : batch.events)
        if (past_state::make_lean(event)) apply(event);
      return true;
    }
    for (auto& event : batch.events) {
      // Thousands of them are held back.
      if (!past_state::make_lean(event)) continue;
      if (const auto* round = std::get_if<model::round_decided>(&event.payload))
        records_[round->snapshot_position].push_back(*round);
      held_.push_back({position, std::move(event)});
    }
    while (const auto next = next_cycle()) {
      const auto later = std::distance(records_.upper_bound(*next), records_.end());
      if (later < later_cycles && position < *next + later_batches) return true;
      if (!decide_next(*next)) return false;
    }
    return decided_ < last_ && position < last_ + later_batches &&
           records_.upper_bound(last_) == records_.end();
  }

  /// Decides what is left when the log has ended.
  void finish() {
    while (const auto next = next_cycle())
      if (is_over() || !decide_next(*next)) return;
  }

  [[nodiscard]] walk_end ended() const { return end_; }
  /// Why a cycle could not be decided again; nothing if none failed.
  [[nodiscard]] const std::optional<error>& wrong() const { return wrong_; }

 private:
  bool is_over() {
    if (end_ == walk_end::done && from_.out_of_time && from_.out_of_time())
      end_ = walk_end::out_of_time;
    return over_ || end_ != walk_end::done;
  }

  /// Whether more jobs are live than may be, which ends the walk.
  bool gives_up() {
    if (!holds_too_many(from_, state_.state())) return false;
    wrong_ = too_many(from_).value();
    return over_ = true;
  }

  /// The position of the first wanted cycle that was not decided yet.
  [[nodiscard]] std::optional<model::log_position> next_cycle() const {
    const auto found = records_.lower_bound(std::max(first_, decided_ + 1));
    if (found == records_.end() || found->first > last_) return {};
    return found->first;
  }

  void apply(const model::event& event) {
    const auto* round = std::get_if<model::round_decided>(&event.payload);
    if (round == nullptr) {
      state_.apply(event);
      return;
    }
    state_.hand_on(round->before);
    state_.hand_on(round->carried);
    handed_on_ = std::max(handed_on_, round->number);
  }

  /// Applies what the cycle at this position saw, and keeps the rest for the next one.
  void catch_up(model::log_position position, std::uint64_t first_number) {
    for (const auto& [of, rounds] : records_) {
      if (of > position) break;
      for (const auto& round : rounds)
        for (const auto& cut : round.cuts) {
          auto& until = told_[cut.queue];
          until = std::max(until, cut.position);
        }
    }
    std::map<std::string, model::log_position> late;
    for (auto of = records_.upper_bound(position); of != records_.end(); ++of)
      for (const auto& round : of->second)
        for (const auto& cut : round.cuts)
          if (!cut.since.is_zero() && cut.since <= position) late.emplace(cut.queue, cut.since - 1);
    const auto seen_until = [&](const model::queue_name& queue) {
      if (queue.empty()) return position;
      if (const auto early = told_.find(queue); early != told_.end() && early->second > position)
        return early->second;
      const auto found = late.find(queue);
      return found == late.end() ? position : found->second;
    };
    std::erase_if(held_, [&](const held_event& held) {
      const auto& payload = held.event.payload;
      bool seen = false;
      // The text of settings may stand behind the first rounds that they decided, and the record of
      // an earlier round behind the position of the cycle: neither waits for the other.
      if (const auto* round = std::get_if<model::round_decided>(&payload)) {
        seen = round->number < first_number;
        // A cycle that was decided again has handed on what its rounds did.
        if (round->number <= handed_on_) return seen;
      } else {
        seen = std::holds_alternative<model::settings_changed>(payload) ||
               held.position <= seen_until(held.event.queue);
      }
      if (seen) apply(held.event);
      return seen;
    });
  }

  /// Returns whether the walk goes on.
  bool decide_next(model::log_position position) {
    if (is_over()) return false;
    const auto rounds = records_.at(position);
    catch_up(position, rounds.front().number);
    if (gives_up()) return false;
    decided_ = position;
    records_.erase(records_.begin(), records_.upper_bound(position));
    past_cycle cycle;
    if (auto made = prepare(rounds.front(), cycle); !made) {
      wrong_ = std::move(made.error());
      over_ = true;
      return false;
    }
    decide(state_, rounds, cycle);
    handed_on_ = std::max(handed_on_, rounds.back().number);
    over_ = !visit_(cycle, state_.state());
    return !over_;
  }

  result<void> prepare(const model::round_decided& first, past_cycle& out) {
    if (!settings_ || settings_->version != first.config_version) {
      const auto text = state_.settings_text(first.config_version);
      if (text.empty())
        return fail(ec::not_found, "the log does not have the text of its settings");
      auto read = from_.read_settings(text);
      if (!read) return fail(ec::not_found, read.error().detail);
      settings_ = std::move(*read);
      settings_->version = first.config_version;
    }
    out.fold = std::make_unique<rounds::delta_fold>(settings_->common, settings_->pools);
    out.history = std::make_unique<rounds::round_history>(settings_->common, settings_->pools);
    static_cast<void>(state_.fold_into(*out.fold));
    return {};
  }

  const past_source& from_;
  past_state& state_;
  model::log_position first_;
  model::log_position last_;
  const cycle_visitor& visit_;
  /// The records of rounds by the position of their cycle, from the first one that is wanted on.
  std::map<model::log_position, std::vector<model::round_decided>> records_;
  std::deque<held_event> held_;
  std::map<std::string, model::log_position> told_;  ///< Up to where each queue had told earlier.
  std::size_t taken_ = 0;                            ///< Batches.
  model::log_position decided_{};  ///< The position of the last cycle that was decided.
  std::uint64_t handed_on_ = 0;    ///< The number of the last round that has handed on.
  std::optional<native::round_settings> settings_;  ///< The settings of the cycle before.
  std::optional<error> wrong_;
  walk_end end_ = walk_end::done;
  bool over_ = false;
};

}  // namespace

result<walk_end> each_cycle(const past_source& from, model::log_position first,
                            model::log_position last, const cycle_visitor& visit) {
  if (is_stopped(from)) return fail(ec::cancelled, "this process ends");
  auto state = begin_state(from);
  if (!state && state.error().code == ec::cancelled && !is_stopped(from))
    return walk_end::out_of_time;
  if (!state) return fail(std::move(state.error()));
  const auto begin = state->state().position;
  if (begin.position > first) return fail(ec::not_found, "no copy of the store is old enough");
  cycle_walk walk{from, *state, first, last, visit};
  auto read = each_batch(*from.log, begin, *from.key,
                         [&](model::log_position position, model::log_batch& batch) {
                           return !is_stopped(from) && walk.take(position, batch);
                         });
  if (is_stopped(from)) return fail(ec::cancelled, "this process ends");
  if (!read) return fail(std::move(read.error()));
  walk.finish();
  if (walk.wrong()) return fail(*walk.wrong());
  return walk.ended();
}

result<past_cycle> rebuild_cycle(const past_source& from, const model::round_decided& wanted) {
  std::optional<past_cycle> out;
  const auto at = wanted.snapshot_position;
  auto walked = each_cycle(from, at, at, [&](past_cycle& cycle, view::recovered_state& state) {
    out = std::move(cycle);
    out->state = std::move(state);
    return false;
  });
  if (!walked && walked.error().code == ec::not_found) return lost(wanted, walked.error().detail);
  if (!walked) return fail(std::move(walked.error()));
  if (*walked == walk_end::out_of_time)
    return fail(ec::timeout, "round " + std::to_string(wanted.number) +
                                 " was not decided again in time; ask with more time");
  if (!out) return lost(wanted, "the log does not have its record");
  return std::move(*out);
}

}  // namespace argosy::past
