// SPDX-License-Identifier: Apache-2.0
// This file declares how recovery applies the records of a log to a state and to its view.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "messages/native/journal.hpp"
#include "messages/view/recovery/recovered_state.hpp"
#include "messages/view/recovery/standing.hpp"
#include "messages/view/recovery/strangers.hpp"
#include "runtime/eventlog/event_log.hpp"

namespace argosy::view {

class replay {
 public:
  /// Everything must outlive the object. `info` is what the chosen log says about itself.
  replay(store::database& database, eventlog::event_log& log, const state_rules& config,
         const codec::log_key& key, const eventlog::log_info& info, recovered_state& state)
      : database_(database),
        log_(log),
        config_(config),
        key_(key),
        info_(info),
        state_(state),
        strangers_(database) {}

  /// Applies what the chosen log has behind the state's position, up to `until`, which the log has.
  /// A record that the log does not give is taken from the tail, or is stepped over if the chain
  /// goes on behind it. Fails with ec::corrupt or ec::conflict behind the last batch that can be
  /// applied, and with the errors of the seams.
  result<void> run(model::log_position until);
  /// Applies the record if it is the next batch of the chain, or decides what it is otherwise.
  result<void> take(eventlog::record record);
  /// Applies those of the records that continue the chain, durably.
  result<void> apply_chain(const std::vector<eventlog::record>& records);
  /// Applies a batch that was judged to be the next one, durably.
  result<void> apply(const eventlog::record& record, judgement judged);

  /// What is applied from now on may be set aside yet.
  void apply_uncommitted() { is_committed_ = false; }

  /// How many batches of another key were applied.
  [[nodiscard]] std::size_t trusted() const { return trusted_; }
  /// The position of the last batch that was applied; 0: none was.
  [[nodiscard]] model::log_position last_batch() const { return last_batch_; }

 private:
  result<void> miss(model::log_position position);
  result<void> take_all(std::vector<eventlog::record> records, model::log_position until);
  result<void> consider(eventlog::record record);
  result<void> add(const eventlog::record& record, judgement judged);
  [[nodiscard]] native::committed_batch apply_to_state(const eventlog::record& record,
                                                       judgement judged);
  result<void> write(const eventlog::record& record, const native::committed_batch& committed);
  result<void> commit();

  store::database& database_;
  eventlog::event_log& log_;
  const state_rules& config_;
  const codec::log_key& key_;
  const eventlog::log_info& info_;
  recovered_state& state_;
  strangers strangers_;
  std::unique_ptr<store::write_txn> open_;  ///< It has the batches that were applied last.
  std::size_t open_bytes_ = 0;              ///< The bytes of their records.
  bool is_committed_ = true;
  std::size_t trusted_ = 0;
  model::log_position last_batch_{};
};

}  // namespace argosy::view
