// SPDX-License-Identifier: Apache-2.0
#include "messages/view/recovery/strangers.hpp"

#include <utility>

#include "messages/view/recovery/log_state.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::view {

namespace {

const logging::logger stranger_logger{"recovery"};

/// How many have a line of their own; all are counted.
constexpr std::size_t told_max = 10;
constexpr std::size_t batches_max = 1'000;
constexpr std::size_t bytes_max = 64 * 1024 * 1024;

}  // namespace

result<void> strangers::add(eventlog::record record, stranger_kind kind, const std::string& why) {
  if (auto whole = check_whole(record); !whole) return whole;
  if (is_empty()) {
    first_ = record.position;
    why_ = why;
  }
  if (++added_ <= told_max)
    stranger_logger.error("stepped over a record of the log that is not of this control plane",
                          logging::kv("position", record.position.value), logging::kv("why", why));
  if (kind == stranger_kind::other_key && of_other_key_.empty())
    of_other_key_ = "the log's record " + to_string(record.position) + " " + why;
  if (kind != stranger_kind::foreign) ++other_batches_;
  bytes_ += record.data.size();
  records_.push_back(std::move(record));
  if (other_batches_ > batches_max || bytes_ > bytes_max) return settle();
  return {};
}

void strangers::miss(model::log_position position) {
  if (other_batches_ == 0) {
    first_ = position;
    why_ = "is counted and not given, since its files are damaged";
  }
  if (++missed_ <= told_max)
    stranger_logger.error("a record of the log cannot be read",
                          logging::kv("position", position.value));
  ++other_batches_;
}

/// The tail may have the record as this store wrote it.
result<void> strangers::check_whole(const eventlog::record& record) {
  const auto ours = find_in_tail(database_, record.position);
  if (!ours) return fail(ours.error());
  if (!*ours || (*ours)->msg_id != record.msg_id || (*ours)->data == record.data) return {};
  return fail(ec::corrupt, "the log's record " + to_string(record.position) +
                               " is damaged: this store wrote it with other bytes; restore the log "
                               "from a backup");
}

result<void> strangers::keep(store::write_txn& txn) {
  for (const auto& record : records_)
    if (auto kept = write_tail(txn, record); !kept) return kept;
  records_.clear();
  bytes_ = 0;
  other_batches_ = 0;
  of_other_key_.clear();
  return {};
}

result<void> strangers::settle() {
  if (!of_other_key_.empty())
    return fail(
        ec::conflict,
        of_other_key_ +
            "; put the key with which this log was written there, or see 'argosyd recover'");
  if (other_batches_ > 0)
    return fail(ec::corrupt, "the log's record " + to_string(first_) + " " + why_ +
                                 ", and no record behind it continues the chain; "
                                 "restore the log from a backup");
  if (records_.empty()) return {};
  auto txn = database_.begin_write();
  if (!txn) return fail(txn.error());
  if (auto kept = keep(**txn); !kept) return kept;
  return (*txn)->commit();
}

}  // namespace argosy::view
