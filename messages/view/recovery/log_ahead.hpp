// SPDX-License-Identifier: Apache-2.0
// What the store of a plane has of the log beyond its view: raw batches in the tail, in their
// chain. It is not known whether they are committed. A plane reads them from the log and makes them
// durable, so that it can confirm them to whoever leads.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "messages/codec/log/batch_mac.hpp"
#include "messages/view/progress.hpp"
#include "messages/view/recovery/log_reading.hpp"
#include "messages/view/recovery/standing.hpp"
#include "runtime/base/result.hpp"
#include "runtime/eventlog/event_log.hpp"
#include "runtime/ledger/plane_quorum.hpp"
#include "runtime/model/plane.hpp"
#include "runtime/store/database.hpp"

namespace argosy::view {

class log_ahead {
 public:
  /// So many batches are ahead of the view at most, where reading is bounded.
  static constexpr std::size_t batches_max = 2'000;

  /// Everything must outlive the object.
  log_ahead(store::database& database, eventlog::event_log& log, const codec::log_key& key)
      : database_(database), log_(log), key_(key) {}

  /// Takes up what the tail has beyond the view, which ends there. Fails with the errors of the
  /// store.
  result<void> load(const view_position& applied);

  /// Reads what the log has beyond the end, waits for it up to `wait` if there is nothing, and
  /// writes it to the tail, durably. What the log has in place of the end is taken instead if it is
  /// of a higher epoch. `seek` goes over to a later generation first, if one continues. Returns
  /// whether the end is another one now. Fails with ec::unavailable if it reads no further, since
  /// the view has to take something first or a snapshot is needed, and with the errors of the
  /// seams; load() comes next then.
  result<bool> read(std::chrono::milliseconds wait, bool seek, bool bounded = true);

  /// The end of the chain.
  [[nodiscard]] const view_position& end() const { return chain_.back(); }
  /// Whether the log had nothing more when it was last read, or ended before.
  [[nodiscard]] bool is_at_end() const { return at_end_; }
  /// Whether a chain of a higher epoch went on without batches that the view has: only a snapshot
  /// of another store helps.
  [[nodiscard]] bool is_left_behind() const { return left_behind_; }
  /// The sets of planes of which each has to give a quorum: those that the view has, and those that
  /// batches beyond it name.
  [[nodiscard]] std::vector<ledger::plane_set> plane_sets() const;

  /// A part of the batches beyond the view, of one generation.
  struct part {
    model::log_position until{};
    std::int64_t stream_created_ns = 0;
  };
  /// Which of them are committed, if this record is, of that generation; nothing: none is known to
  /// be.
  [[nodiscard]] std::optional<part> committed_by(const model::record_name& record,
                                                 model::log_generation generation) const;
  /// The view ends there now.
  void applied(const view_position& at);

 private:
  result<bool> seek_later();
  result<void> go_over(const later_beginning& later);
  result<void> take_all(const std::vector<eventlog::record>& records);
  [[nodiscard]] result<std::optional<std::size_t>> place_of(const eventlog::record& record,
                                                            const judgement& judged);
  [[nodiscard]] bool has_lost_claim(std::size_t from, model::epoch epoch) const;
  result<void> cut_behind(std::size_t kept);
  /// The batches of the chain that stand before this position, the end of the view among them.
  [[nodiscard]] std::size_t count_before(model::log_position position) const;
  [[nodiscard]] const view_position* at(model::log_position position) const;

  store::database& database_;
  eventlog::event_log& log_;
  const codec::log_key& key_;
  std::deque<view_position> chain_{view_position{}};  ///< The end of the view, and those beyond it.
  model::log_position next_{1};                       ///< The next record of the log to read.
  model::log_position matched_{};  ///< The log has the batches of the chain up to here.
  bool at_end_ = false;
  bool left_behind_ = false;
};

}  // namespace argosy::view
