// SPDX-License-Identifier: Apache-2.0
#include "messages/view/recovery.hpp"

#include <algorithm>
#include <vector>

#include "messages/codec/log/log_codec.hpp"
#include "messages/view/store_codec.hpp"
#include "messages/view/strangers.hpp"
#include "messages/view/writer.hpp"
#include "runtime/ledger/leader_core.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/store/scan.hpp"

namespace argosy::view {

namespace {

const logging::logger logger{"recovery"};

class recovery {
 public:
  recovery(store::database& database, eventlog::event_log& log, const state_rules& config)
      : database_(database), log_(log), config_(config) {}

  result<recovered_state> run() {
    if (auto done = load_view(database_, config_, state_); !done) return fail(done.error());
    if (auto done = match_log(); !done) return fail(done.error());
    if (auto done = republish_tail(); !done) return fail(done.error());
    if (auto done = replay(); !done) return fail(done.error());
    auto carried = load_carried(database_);
    if (!carried) return fail(carried.error());
    state_.carried = std::move(*carried);
    attach_runs();
    return std::move(state_);
  }

 private:
  result<void> match_log();
  result<void> republish_tail();
  result<void> check_continued(const std::vector<eventlog::record>& missing);
  result<void> replay();
  result<void> replay_record(eventlog::record record);
  result<void> replay_batch(const eventlog::record& record, model::log_batch batch);
  void attach_runs();

  store::database& database_;
  eventlog::event_log& log_;
  const state_rules& config_;
  recovered_state state_;
  eventlog::log_info log_info_;
  strangers strangers_{database_};
};

/// The log must hold the batch with which the view ends, or end before it. In the second case it
/// has lost its end, and the tail makes up for that.
result<void> recovery::match_log() {
  auto info = log_.info();
  if (!info) return fail(info.error());
  log_info_ = *info;
  const auto& at = state_.position;
  if (at.position == 0) {
    state_.position.stream_created_ns = info->created_ns;
    return {};
  }
  if (info->last_position >= at.position) {
    auto record = log_.get(at.position);
    if (!record) return fail(record.error());
    if (codec::batch_hash(record->data) != at.hash)
      return fail(ec::corrupt,
                  "the log's record " + std::to_string(at.position) +
                      " is not the one that this store has applied: the data directory and the "
                      "log stream do not belong together");
  }
  state_.position.stream_created_ns = info->created_ns;
  return {};
}

/// Appends the batches that are on this disk but not in the log: either the log lost its end, or
/// the process died between the two writes. It is right to append them again in both cases.
result<void> recovery::republish_tail() {
  auto txn = database_.begin_read();
  if (!txn) return fail(txn.error());
  std::vector<eventlog::record> missing;
  const auto read = store::each(
      **txn, store::table::tail,
      [&](const store::entry& entry) -> result<void> {
        auto record = view::decode_tail(entry);
        if (!record) return fail(record.error());
        missing.push_back(std::move(*record));
        return {};
      },
      store::number_key(log_info_.last_position + 1));
  if (!read) return read;
  const auto reach = missing.empty() ? 0 : missing.back().position;
  if (state_.position.position > log_info_.last_position &&
      (missing.empty() || missing.front().position != log_info_.last_position + 1 ||
       reach < state_.position.position))
    return fail(ec::corrupt, "the log ends at record " + std::to_string(log_info_.last_position) +
                                 " but this store has applied record " +
                                 std::to_string(state_.position.position) +
                                 ", and the tail does not reach back far enough to repair the log");
  if (auto continued = check_continued(missing); !continued) return continued;
  for (const auto& record : missing) {
    if (record.position != log_info_.last_position + 1) break;
    auto appended = log_.append(log_info_.last_position, record.msg_id, record.data);
    if (!appended) return fail(appended.error());
    ++log_info_.last_position;
    ++state_.republished_batches;
  }
  return {};
}

/// The log may be another control plane's that is shorter, and this process must not write to it.
/// Near its end it must have the batch which the first missing one continues.
result<void> recovery::check_continued(const std::vector<eventlog::record>& missing) {
  constexpr std::uint64_t looked_at_max = 1'000;
  const auto foremost = std::ranges::find_if(
      missing, [](const auto& record) { return codec::is_batch(record.data); });
  if (foremost == missing.end()) return {};
  const auto batch = codec::decode_batch(foremost->data);
  if (!batch) return fail(batch.error());
  const auto last = log_info_.last_position;
  bool any_batch = false;
  for (auto position = last; position > 0 && last - position < looked_at_max; --position) {
    const auto record = log_.get(position);
    if (!record) return fail(record.error());
    if (!codec::is_batch(record->data)) continue;
    any_batch = true;
    if (codec::batch_hash(record->data) == batch->previous_hash) return {};
  }
  if (!any_batch && batch->previous_hash == 0) return {};
  return fail(ec::corrupt, "the tail's record " + std::to_string(foremost->position) +
                               " does not continue the log, which ends at record " +
                               std::to_string(last) +
                               ": the data directory and the log stream do not belong together");
}

result<void> recovery::replay() {
  constexpr std::size_t records_max = 1'000;
  constexpr std::size_t bytes_max = 64 * 1024 * 1024;
  for (auto next = state_.position.position + 1; next <= log_info_.last_position;) {
    auto records = log_.read(next, records_max, bytes_max, std::chrono::seconds{10});
    if (!records) return fail(records.error());
    if (records->empty())
      return fail(ec::unavailable, "the log does not give record " + std::to_string(next));
    next = records->back().position + 1;
    for (auto& record : *records)
      if (auto done = replay_record(std::move(record)); !done) return done;
  }
  if (auto settled = strangers_.settle(); !settled) return settled;
  state_.foreign_records = strangers_.added();
  // What is written next stands behind them.
  state_.position.position = log_info_.last_position;
  return {};
}

result<void> recovery::replay_record(eventlog::record record) {
  auto batch = codec::decode_batch(record.data);
  if (!batch && !codec::is_batch(record.data))
    return strangers_.add(std::move(record), stranger_kind::no_batch, "is no batch");
  if (!batch)
    return fail(ec::corrupt, "the log's record " + std::to_string(record.position) +
                                 " cannot be read: " + batch.error().detail);
  const auto& at = state_.position;
  if (batch->epoch < at.epoch)
    return strangers_.add(
        std::move(record), stranger_kind::late_batch,
        "is of epoch " + std::to_string(batch->epoch) + ", which was over when it was written");
  if (batch->previous_hash != at.hash)
    return strangers_.add(std::move(record), stranger_kind::other_batch,
                          "does not continue the one before it");
  return replay_batch(record, std::move(*batch));
}

result<void> recovery::replay_batch(const eventlog::record& record, model::log_batch batch) {
  auto& at = state_.position;
  auto entry = std::make_shared<native::append_request>();
  for (auto& event : batch.events) {
    state_.newest_ns = std::max(state_.newest_ns, event.time_ns);
    ledger::change_list changes;
    if (!event.queue.empty())
      changes = state_.queue(event.queue, config_).apply(event);
    else if (const auto* joined = std::get_if<model::cluster_joined>(&event.payload))
      changes = state_.cluster(joined->cluster.name, config_).apply(event);
    else if (const auto* left = std::get_if<model::cluster_left>(&event.payload))
      changes = state_.cluster(left->cluster, config_).apply(event);
    else if (const auto* nodes = std::get_if<model::nodes_changed>(&event.payload))
      changes = state_.cluster(nodes->cluster, config_).apply(event);
    else
      changes = ledger::control_changes(event);
    state_.replayed_claims += std::holds_alternative<model::leader_elected>(event.payload);
    if (const auto* round = std::get_if<model::round_decided>(&event.payload))
      state_.last_round = std::max(state_.last_round, round->number);
    std::move(changes.begin(), changes.end(), std::back_inserter(entry->changes));
  }
  native::committed_batch committed;
  committed.position = record.position;
  committed.generation = batch.generation;
  committed.epoch = batch.epoch;
  committed.number = batch.number;
  committed.hash = codec::batch_hash(record.data);
  committed.stream_created_ns = log_info_.created_ns;
  committed.entries.push_back(std::move(entry));
  auto txn = database_.begin_write();
  if (!txn) return fail(txn.error());
  if (auto kept = strangers_.keep(**txn); !kept) return kept;
  // The tail may hold a batch of this process for this place, which another leader's batch
  // overtook.
  if (auto kept = view::write_tail(**txn, record); !kept) return kept;
  if (auto written = write_batch(**txn, committed, [](const auto&) {}); !written) return written;
  auto now = view::read_position(**txn);
  if (!now) return fail(now.error());
  if (auto done = (*txn)->commit(); !done) return done;
  at = now->value_or(view::view_position{});
  ++state_.replayed_batches;
  return {};
}

void recovery::attach_runs() {
  for (auto& [name, core] : state_.queues) {
    state_.live_jobs += core->live_count();
    core->for_each([this](const model::job_record& job) {
      const auto* run = job.live_run();
      if (run == nullptr) return;
      ledger::desired_run desired;
      desired.start = ledger::make_start(*job.header, run->number, run->node);
      desired.stopping = job.stopping;
      desired.stop_reason = job.reason;
      desired.reported = run->state != model::run_state::leased;
      state_.cluster(run->cluster, config_).restore(std::move(desired));
    });
  }
}

}  // namespace

result<recovered_state> recover(store::database& database, eventlog::event_log& log,
                                const state_rules& config) {
  auto state = recovery{database, log, config}.run();
  if (state)
    logger.info("recovered", logging::kv("position", state->position.position),
                logging::kv("epoch", state->position.epoch),
                logging::kv("live_jobs", state->live_jobs),
                logging::kv("replayed", state->replayed_batches),
                logging::kv("republished", state->republished_batches),
                logging::kv("foreign", state->foreign_records));
  return state;
}

}  // namespace argosy::view
