// SPDX-License-Identifier: Apache-2.0
#include "messages/view/check/log_check.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "messages/codec/log/log_codec.hpp"
#include "messages/view/check/chain.hpp"
#include "messages/view/recovery/log_reading.hpp"
#include "messages/view/recovery/roll_over.hpp"
#include "messages/view/store_codec.hpp"
#include "runtime/store/key.hpp"

namespace argosy::view {

namespace {

using store::table;

constexpr const char* ask_recover =
    "Restore the log from a backup of the NATS server, if there is one; 'argosyd recover' says "
    "what the next start does, and with --accept-loss begins a new generation from the store.";
constexpr const char* no_rebuild =
    "The store cannot be made anew from this log: keep backups of it ('argosyd backup DIR').";

std::string text_of_gap(model::log_position first, model::log_position last) {
  if (first == last) return unreadable_record(first);
  return "the log counts the records " + to_string(first) + " to " + to_string(last) +
         " but does not give them: its files are damaged";
}

class log_check {
 public:
  log_check(eventlog::event_log& log, store::read_txn& txn, const view_position& end,
            const codec::log_key* key, check_report& report)
      : log_(log), txn_(txn), end_(end), report_(report), walk_(key, false) {}

  result<void> run() {
    const auto all = log_.generations();
    if (!all) return fail(all.error());
    for (const auto generation : *all)
      if (auto done = check(generation); !done) return done;
    if (!end_.position.is_zero() && !joint_) {
      const auto ends = walk_.end() ? walk_.end()->position : model::log_position{};
      add(end_.generation, to_string(end_.position),
          ends < end_.position
              ? "the log ends at record " + to_string(ends) + ", before the store does"
              : "the batch with which the store ends is not on the chain",
          ask_recover);
    }
    if (all->empty()) report_.note("There is no log.");
    if (of_lost_key_ > 0)
      report_.note(counted(of_lost_key_, "batch", "batches") +
                   " of older generations have the MAC of a key that was lost.");
    if (specs_ > 0)
      report_.note(counted(specs_, "job's specification was", "jobs' specifications were") +
                   " compared with the log.");
    return {};
  }

 private:
  void add(model::log_generation generation, std::string key, std::string fault, const char* fix) {
    report_.add(
        {"log of generation " + to_string(generation), std::move(key), std::move(fault), fix});
  }

  result<void> check(model::log_generation generation) {
    log_.choose(generation, {});
    auto info = log_.info();
    if (!info) return fail(info.error());
    if (is_emptied(*info, {})) {
      ++emptied_;
      report_.note("Generation " + to_string(generation) +
                   " of the log was emptied after a roll-over.");
      return {};
    }
    // Any batch may say where its generation begins: whether it is right shows with the chain.
    const auto any = [](const eventlog::record&, const model::log_batch&) { return true; };
    auto begins = find_beginning(log_, *info, any);
    // A record that cannot be read is reported when the log is read.
    if (!begins && begins.error().code == ec::corrupt) begins = std::optional<later_beginning>{};
    if (!begins) return fail(begins.error());
    const auto base = *begins ? (*begins)->begun.position : model::log_position{};
    log_.choose(generation, base);
    if (!base.is_zero()) info = log_.info();
    if (!info) return fail(info.error());
    if (info->first_position != base + 1)
      add(generation, to_string(info->first_position),
          "the log begins at record " + to_string(info->first_position) + "; older ones are gone",
          no_rebuild);
    const bool first = !walk_.end();
    if (first && emptied_ > 0)
      report_.note("The log begins with generation " + to_string(generation) +
                   ". A lost store is made anew from a snapshot or a backup and what follows it.");
    else if (first && generation > model::log_generation{1})
      report_.note("The log begins with generation " + to_string(generation) +
                   ". Older ones are gone, so that a lost store could not be made anew from it.");
    if (!first && *begins && (*begins)->previous_hash != walk_.end()->hash) {
      report_.note("Generation " + to_string(generation) +
                   " of the log does not begin where the one before it ends: an operator has given "
                   "up what is between, and a lost store could not be made anew from this log.");
      walk_.begin_anew();
    }
    const auto batches = walk_.batches();
    const auto foreign = walk_.foreign();
    const auto authentic = walk_.authentic();
    if (auto read = read_all(generation, *info); !read) return read;
    report_.note("Generation " + to_string(generation) + " of the log has the records " +
                 to_string(info->first_position) + " to " + to_string(info->last_position) + ": " +
                 counted(walk_.batches() - batches, "batch", "batches") + " of the chain, " +
                 std::to_string(walk_.authentic() - authentic) + " of them with our MAC, and " +
                 counted(walk_.foreign() - foreign, "foreign record", "foreign records") + ".");
    return {};
  }

  result<void> read_all(model::log_generation generation, const eventlog::log_info& info) {
    for (auto next = info.first_position; next <= info.last_position;) {
      const auto piece = read_on(log_, next, info.last_position);
      if (!piece) return fail(piece.error());
      if (piece->records.empty())
        add(generation, to_string(next), text_of_gap(next, piece->next - 1), ask_recover);
      next = piece->next;
      for (const auto& record : piece->records)
        if (auto taken = take(generation, record); !taken) return taken;
    }
    return {};
  }

  result<void> take(model::log_generation generation, const eventlog::record& record) {
    const auto place = to_string(record.position);
    const auto why = walk_.take(record);
    if (why && walk_.found() == standing::other_key && generation < end_.generation)
      ++of_lost_key_;
    else if (why)
      add(generation, place, "record " + place + " " + *why, ask_recover);
    if (generation == end_.generation && record.position == end_.position &&
        codec::batch_hash(record.data) == end_.hash)
      joint_ = true;
    if (auto compared = compare_tail(generation, record); !compared) return compared;
    const auto* batch = walk_.batch();
    if (batch == nullptr) return {};
    for (const auto& event : batch->events)
      if (const auto* job = std::get_if<model::job_submitted>(&event.payload))
        if (auto compared = compare_spec(*job->header); !compared) return compared;
    return {};
  }

  /// Compares the record with the tail's at its position. If an operator gave up the end of a
  /// generation, another batch may stand there, so that only one with the same message id counts.
  result<void> compare_tail(model::log_generation generation, const eventlog::record& record) {
    if (generation != end_.generation) return {};
    const auto key = store::number_key(record.position.value);
    const auto known = txn_.get(table::tail, key);
    if (!known) return fail(known.error());
    if (!*known) return {};
    const auto ours = decode_tail({key, **known});
    if (ours && ours->msg_id == record.msg_id && ours->data != record.data)
      add(generation, to_string(record.position),
          "the store's tail has the record with other bytes", ask_recover);
    return {};
  }

  result<void> compare_spec(const model::job_header& header) {
    const auto stored = txn_.get(table::specs, job_key(header.id));
    if (!stored) return fail(stored.error());
    if (!*stored || !header.spec) return {};
    ++specs_;
    if (**stored != *header.spec)
      report_.add(table::specs, to_string(header.id),
                  "the specification differs from that in the log");
    return {};
  }

  eventlog::event_log& log_;
  store::read_txn& txn_;
  const view_position& end_;
  check_report& report_;
  chain_walk walk_;
  bool joint_ = false;
  std::uint64_t of_lost_key_ = 0;
  std::uint64_t emptied_ = 0;  ///< How many generations were given up for snapshots.
  std::uint64_t specs_ = 0;
};

}  // namespace

result<void> check_log(eventlog::event_log& log, store::read_txn& txn, const view_position& end,
                       const codec::log_key* key, check_report& report) {
  auto done = log_check{log, txn, end, key, report}.run();
  log.choose(end.generation, end.generation_base);
  return done;
}

}  // namespace argosy::view
