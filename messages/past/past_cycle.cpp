// SPDX-License-Identifier: Apache-2.0
#include "messages/past/past_cycle.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "messages/past/chain_reader.hpp"
#include "messages/past/past_state.hpp"

namespace argosy::past {

namespace {

/// Batches so near before the snapshot's position are held back until it is known which of them the
/// cycle lacked: a QUEUE may have told of them only later.
constexpr std::uint64_t held_back = 2'000;
/// The records of later cycles say which events this one lacked. After so many of them, or so many
/// further batches, no more are expected to be told.
constexpr std::size_t later_cycles = 3;
constexpr std::uint64_t later_batches = 20'000;

struct positioned_batch {
  std::uint64_t position = 0;
  model::log_batch batch;
};

/// Reads what there is to know of one cycle.
class cycle_reader {
 public:
  cycle_reader(past_state& state, const model::round_decided& wanted)
      : state_(state), wanted_(wanted) {}

  /// Returns whether more has to be read.
  bool take(std::uint64_t position, model::log_batch& batch) {
    const auto at = wanted_.snapshot_position;
    if (position + held_back <= at) {
      for (const auto& event : batch.events) apply(event);
      return true;
    }
    for (const auto& event : batch.events)
      if (const auto* round = std::get_if<model::round_decided>(&event.payload)) note(*round);
    held_.push_back({position, std::move(batch)});
    return later_.size() < later_cycles && position < at + later_batches;
  }

  /// The records of the rounds of the cycle.
  [[nodiscard]] const std::vector<model::round_decided>& rounds() const { return rounds_; }

  /// Applies what was held back, as far as the cycle saw it.
  void finish() {
    for (const auto& [position, batch] : held_)
      for (const auto& event : batch.events) {
        // The text of settings may stand behind the first rounds that they decided, and the record
        // of an earlier round behind the position of the cycle: neither waits for the other.
        const bool of_rounds = std::holds_alternative<model::settings_changed>(event.payload) ||
                               std::holds_alternative<model::round_decided>(event.payload);
        if (of_rounds || position <= seen_until(event.queue)) apply(event);
      }
  }

 private:
  void apply(const model::event& event) {
    if (const auto* round = std::get_if<model::round_decided>(&event.payload)) {
      // The cycle itself finds what its own rounds handed on.
      if (round->number >= first_number()) return;
      state_.hand_on(round->before);
      state_.hand_on(round->carried);
      return;
    }
    state_.apply(event);
  }

  [[nodiscard]] std::uint64_t first_number() const {
    return rounds_.empty() ? wanted_.number : rounds_.front().number;
  }

  void note(const model::round_decided& round) {
    if (round.snapshot_position == wanted_.snapshot_position) rounds_.push_back(round);
    if (round.snapshot_position <= wanted_.snapshot_position) {
      for (const auto& cut : round.cuts) told(cut);
      return;
    }
    later_.insert(round.snapshot_position);
    for (const auto& cut : round.cuts)
      if (cut.since != 0 && cut.since <= wanted_.snapshot_position && !seen_.contains(cut.queue))
        seen_[cut.queue] = cut.since - 1;
  }
  void told(const model::queue_cut& cut) {
    auto& seen = seen_[cut.queue];
    seen = std::max(seen, std::max(cut.position, wanted_.snapshot_position));
  }
  [[nodiscard]] std::uint64_t seen_until(const std::string& queue) const {
    const auto found = seen_.find(queue);
    return found == seen_.end() || queue.empty() ? wanted_.snapshot_position : found->second;
  }

  past_state& state_;
  const model::round_decided& wanted_;
  std::vector<model::round_decided> rounds_;
  std::deque<positioned_batch> held_;
  std::set<std::uint64_t> later_;                ///< Positions of later cycles.
  std::map<std::string, std::uint64_t> seen_{};  ///< Up to where queues were seen, if not as usual.
};

result<past_state> begin_state(const past_source& from) {
  view::recovered_state begin;
  if (from.store != nullptr) {
    if (auto loaded = view::load_view(*from.store, from.rules, *from.key, begin); !loaded)
      return fail(std::move(loaded.error()));
    auto carried = view::load_carried(*from.store);
    if (!carried) return fail(std::move(carried.error()));
    begin.carried = std::move(*carried);
  }
  return past_state{std::move(begin), from.rules};
}

/// Decides the rounds one after the other, as they hand on to each other.
void decide(past_state& state, const std::vector<model::round_decided>& records, past_cycle& out) {
  for (const auto& record : records) {
    past_round round;
    round.record = record;
    round.config = out.history->config_of(record.pool);
    round.params.pool = record.pool;
    round.params.seed = record.seed;
    round.params.round_time_ns = record.began_ns;
    state.hand_on(record.before);
    state.carried().open(*round.config, round.params);
    round.plan = scheduling::schedule(out.fold->snapshot(), *round.config, round.params);
    out.history->decided(record.pool, round.plan, out.fold->snapshot(), record.number,
                         record.began_ns);
    state.hand_on(record.carried);
    out.rounds.push_back(std::move(round));
  }
}

bool is_stopped(const past_source& from) {
  return from.stopped != nullptr && from.stopped->load();
}

failure lost(const model::round_decided& wanted, const std::string& why) {
  return fail(ec::not_found,
              "round " + std::to_string(wanted.number) + " cannot be decided again: " + why);
}

}  // namespace

result<past_cycle> rebuild_cycle(const past_source& from, const model::round_decided& wanted) {
  if (wanted.began_ns == 0)
    return lost(wanted, "its record is from a version that did not log what that takes");
  auto state = begin_state(from);
  if (!state) return fail(std::move(state.error()));
  cycle_reader reader{*state, wanted};
  const auto begin = state->state().position;
  if (begin.position > wanted.snapshot_position)
    return lost(wanted, "no copy of the store is old enough");
  auto read =
      each_batch(*from.log, begin, *from.key, [&](std::uint64_t position, model::log_batch& batch) {
        return !is_stopped(from) && reader.take(position, batch);
      });
  if (is_stopped(from)) return fail(ec::cancelled, "this process ends");
  if (!read && read.error().code == ec::not_found) return lost(wanted, read.error().detail);
  if (!read) return fail(std::move(read.error()));
  if (reader.rounds().empty()) return lost(wanted, "the log does not have its record");
  reader.finish();
  const auto text = state->settings_text(wanted.config_version);
  if (text.empty()) return lost(wanted, "the log does not have the text of its settings");
  auto settings = from.read_settings(text);
  if (!settings) return lost(wanted, settings.error().detail);
  past_cycle out;
  out.fold = std::make_unique<rounds::delta_fold>(settings->common);
  out.history = std::make_unique<rounds::round_history>(settings->common, settings->pools);
  static_cast<void>(state->fold_into(*out.fold));
  decide(*state, reader.rounds(), out);
  out.state = std::move(state->state());
  return out;
}

}  // namespace argosy::past
