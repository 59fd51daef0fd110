// SPDX-License-Identifier: Apache-2.0
#include "messages/view/recovery.hpp"

#include <vector>

#include "messages/codec/log/log_codec.hpp"
#include "messages/view/store_codec.hpp"
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
    if (auto done = load_view(); !done) return fail(done.error());
    if (auto done = match_log(); !done) return fail(done.error());
    if (auto done = republish_tail(); !done) return fail(done.error());
    if (auto done = replay(); !done) return fail(done.error());
    attach_runs();
    return std::move(state_);
  }

 private:
  result<void> load_view();
  result<void> load_queues(store::read_txn& txn);
  result<void> load_jobs(store::read_txn& txn);
  result<void> load_clusters(store::read_txn& txn);
  result<void> match_log();
  result<void> republish_tail();
  result<void> replay();
  result<void> replay_record(const eventlog::record& record);
  void attach_runs();

  ledger::queue_core& queue(const std::string& name) {
    auto& core = state_.queues[name];
    if (!core) core = std::make_shared<ledger::queue_core>(name, config_.queue_rules);
    return *core;
  }
  ledger::cluster_core& cluster(const std::string& name) {
    auto& core = state_.clusters[name];
    if (!core) core = std::make_shared<ledger::cluster_core>(name, config_.cluster_rules);
    return *core;
  }
  /// Scans a table, stopping at the first record that does not decode.
  template <class Take>
  static result<void> each(store::read_txn& txn, store::table in, Take take) {
    result<void> outcome;
    auto scanned = store::scan(txn, in, {}, [&](const store::entry& entry) {
      outcome = take(entry);
      return outcome.has_value();
    });
    return scanned ? outcome : scanned;
  }

  store::database& database_;
  eventlog::event_log& log_;
  const state_rules& config_;
  recovered_state state_;
  eventlog::log_info log_info_;
};

result<void> recovery::load_view() {
  auto txn = database_.begin_read();
  if (!txn) return fail(txn.error());
  auto position = view::read_position(**txn);
  if (!position) return fail(position.error());
  if (*position) state_.position = **position;
  if (auto done = load_queues(**txn); !done) return done;
  if (auto done = load_jobs(**txn); !done) return done;
  if (auto done = load_clusters(**txn); !done) return done;
  auto newest = store::last(**txn, store::table::rounds);
  if (!newest) return fail(newest.error());
  if (*newest)
    if (const auto number = store::key_reader{(*newest)->key}.number()) state_.last_round = *number;
  return {};
}

result<void> recovery::load_queues(store::read_txn& txn) {
  auto loaded = each(txn, store::table::queues, [&](const store::entry& entry) -> result<void> {
    auto settings = view::decode_queue(entry.value);
    if (!settings) return fail(settings.error());
    queue(settings->name).restore(*settings);
    return {};
  });
  if (!loaded) return loaded;
  loaded = each(txn, store::table::queue_totals, [&](const store::entry& entry) -> result<void> {
    auto known = view::decode_queue_totals(entry);
    if (!known) return fail(known.error());
    queue(known->queue).restore(known->totals);
    return {};
  });
  if (!loaded) return loaded;
  return each(txn, store::table::client_ids, [&](const store::entry& entry) -> result<void> {
    auto used = view::decode_client_id(entry);
    if (!used) return fail(used.error());
    queue(used->queue).restore(*used);
    return {};
  });
}

result<void> recovery::load_jobs(store::read_txn& txn) {
  return each(txn, store::table::jobs_live, [&](const store::entry& entry) -> result<void> {
    auto job = view::decode_job(txn, entry.value, true);
    if (!job) return fail(job.error());
    queue(job->header->queue).restore(std::move(*job));
    return {};
  });
}

result<void> recovery::load_clusters(store::read_txn& txn) {
  auto loaded = each(txn, store::table::clusters, [&](const store::entry& entry) -> result<void> {
    auto known = view::decode_cluster(entry.value);
    if (!known) return fail(known.error());
    cluster(known->cluster.name).restore(known->cluster, known->present);
    return {};
  });
  if (!loaded) return loaded;
  return each(txn, store::table::nodes, [&](const store::entry& entry) -> result<void> {
    auto known = view::decode_node(entry);
    if (!known) return fail(known.error());
    cluster(known->cluster).restore(known->node);
    return {};
  });
}

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
  std::vector<view::tail_record> missing;
  auto read = each(**txn, store::table::tail, [&](const store::entry& entry) -> result<void> {
    auto record = view::decode_tail(entry);
    if (!record) return fail(record.error());
    if (record->position > log_info_.last_position) missing.push_back(std::move(*record));
    return {};
  });
  if (!read) return read;
  const auto reach = missing.empty() ? 0 : missing.back().position;
  if (state_.position.position > log_info_.last_position &&
      (missing.empty() || missing.front().position != log_info_.last_position + 1 ||
       reach < state_.position.position))
    return fail(ec::corrupt, "the log ends at record " + std::to_string(log_info_.last_position) +
                                 " but this store has applied record " +
                                 std::to_string(state_.position.position) +
                                 ", and the tail does not reach back far enough to repair the log");
  for (const auto& record : missing) {
    if (record.position != log_info_.last_position + 1) break;
    auto appended = log_.append(log_info_.last_position, record.message_id, record.batch);
    if (!appended) return fail(appended.error());
    ++log_info_.last_position;
    ++state_.republished_batches;
  }
  return {};
}

result<void> recovery::replay() {
  constexpr std::size_t records_max = 1'000;
  constexpr std::size_t bytes_max = 64 * 1024 * 1024;
  while (state_.position.position < log_info_.last_position) {
    auto records =
        log_.read(state_.position.position + 1, records_max, bytes_max, std::chrono::seconds{10});
    if (!records) return fail(records.error());
    if (records->empty())
      return fail(ec::unavailable,
                  "the log does not give record " + std::to_string(state_.position.position + 1));
    for (const auto& record : *records)
      if (auto done = replay_record(record); !done) return done;
  }
  return {};
}

result<void> recovery::replay_record(const eventlog::record& record) {
  auto batch = codec::decode_batch(record.data);
  if (!batch) return fail(batch.error());
  auto& at = state_.position;
  if (at.position > 0 && batch->previous_hash != at.hash && batch->epoch >= at.epoch)
    return fail(ec::corrupt, "the log's record " + std::to_string(record.position) +
                                 " does not continue the one before it");
  auto entry = std::make_shared<native::append_request>();
  // A batch of a deposed leader changes nothing, but it belongs to the chain.
  if (batch->epoch >= at.epoch) {
    for (auto& event : batch->events) {
      ledger::change_list changes;
      if (!event.queue.empty())
        changes = queue(event.queue).apply(event);
      else if (const auto* joined = std::get_if<model::cluster_joined>(&event.payload))
        changes = cluster(joined->cluster.name).apply(event);
      else if (const auto* left = std::get_if<model::cluster_left>(&event.payload))
        changes = cluster(left->cluster).apply(event);
      else if (const auto* nodes = std::get_if<model::nodes_changed>(&event.payload))
        changes = cluster(nodes->cluster).apply(event);
      else
        changes = ledger::control_changes(event);
      if (const auto* round = std::get_if<model::round_decided>(&event.payload))
        state_.last_round = std::max(state_.last_round, round->number);
      std::move(changes.begin(), changes.end(), std::back_inserter(entry->changes));
    }
  }
  native::committed_batch committed;
  committed.position = record.position;
  committed.generation = batch->generation;
  committed.epoch = std::max(batch->epoch, at.epoch);
  committed.number = batch->number;
  committed.hash = codec::batch_hash(record.data);
  committed.stream_created_ns = log_info_.created_ns;
  committed.entries.push_back(std::move(entry));
  auto txn = database_.begin_write();
  if (!txn) return fail(txn.error());
  // The tail may hold a batch of this process for this place, which another leader's batch
  // overtook.
  if (auto kept =
          view::write_tail(**txn, {record.position, record.msg_id, record.time_ns, record.data});
      !kept)
    return kept;
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
      cluster(run->cluster).restore(std::move(desired));
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
                logging::kv("republished", state->republished_batches));
  return state;
}

}  // namespace argosy::view
