// SPDX-License-Identifier: Apache-2.0
// This file checks the tail, the copy of the newest records of the log.
#include <optional>
#include <string>

#include "messages/codec/log/log_codec.hpp"
#include "messages/view/check/chain.hpp"
#include "messages/view/check/store_check.hpp"
#include "runtime/store/key.hpp"
#include "runtime/store/scan.hpp"

namespace argosy::view {

namespace {

using store::table;

class tail_walk {
 public:
  tail_walk(const view_position& end, const codec::log_key* key, check_report& report)
      : end_(end),
        report_(report),
        walk_(key, end.key_print != 0),
        known_key_(key != nullptr && key->print() == end.key_print) {}

  void take(const store::entry& entry) {
    const auto record = decode_tail(entry);
    if (!record) {
      report_.add(table::tail, entry.key, record.error().detail);
      return;
    }
    const auto name = "the tail's record " + to_string(record->position);
    if (before_ && record->position != *before_ + 1)
      report_.add(table::tail, entry.key,
                  name + " follows record " + to_string(*before_) + ", with a gap between");
    before_ = record->position;
    if (record->position == end_.position) {
      stands_ = true;
      if (codec::batch_hash(record->data) != end_.hash)
        report_.add(table::tail, entry.key,
                    name + " is not the one with which the view ends: its hash is another");
    }
    if (const auto why = walk_.take(*record))
      report_.add(table::tail, entry.key, name + " " + *why);
  }

  void tell() const {
    auto text =
        "The tail has " + counted(walk_.batches(), "batch of the chain", "batches of the chain");
    if (known_key_) text += ", " + std::to_string(walk_.authentic()) + " of them with our MAC";
    text += ", and " + counted(walk_.foreign(), "foreign record", "foreign records");
    if (!end_.position.is_zero() && stands_) text += "; the view's last batch is there";
    report_.note(text + ".");
  }

 private:
  const view_position& end_;
  check_report& report_;
  chain_walk walk_;
  bool known_key_;
  std::optional<model::log_position> before_;
  bool stands_ = false;
};

}  // namespace

result<void> check_tail(store::read_txn& txn, const view_position& end, const codec::log_key* key,
                        check_report& report) {
  tail_walk walk{end, key, report};
  auto read = store::each(txn, table::tail, [&](const store::entry& entry) -> result<void> {
    walk.take(entry);
    return {};
  });
  walk.tell();
  return read;
}

}  // namespace argosy::view
