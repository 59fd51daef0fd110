// SPDX-License-Identifier: Apache-2.0
// The messages to the JOURNAL and the STORE, and their answers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/ledger/change.hpp"
#include "runtime/model/event.hpp"
#include "runtime/model/identifiers.hpp"

namespace argosy::native {

/// The events of one decision, which are committed together, and what they changed.
struct append_request {
  std::vector<model::event> events;
  ledger::change_list changes;
  std::size_t bytes = 0;  ///< About how many bytes the events take in the log; 0: not measured yet.
};
using append_ptr = std::shared_ptr<const append_request>;

/// Says that the events are committed: they stand in the log and on this machine's disk.
struct append_ack {
  model::log_position position{};  ///< The log record that holds the events.
};

/// How an append ended that its owner had applied before.
struct append_outcome {
  std::uint64_t number = 0;  ///< The owner's own number of the append.
  /// The position. On an error the process must not go on; what became of the append is not known.
  result<model::log_position> position{};
};

/// A plane that follows the log says with which record its store ends.
struct plane_word {
  model::plane plane;
  model::record_name end;
  model::epoch bound{};  ///< It confirms nothing of a lower epoch.
};

/// What the JOURNAL does about other planes of the control plane.
struct plane_rules {
  model::plane own{};  ///< Without an id there are no others.
  bool names = false;  ///< It names those that it finds, so that they decide together.
  /// An operator has given up the other planes. The next claim names this one alone.
  bool alone = false;
};

/// A raw batch for the tail table, before it is known whether the log takes it.
struct tail_write {
  model::log_position position{};  ///< The position that the log will give it.
  std::string message_id;
  std::int64_t time_ns = 0;
  std::shared_ptr<const std::string> batch;
};
using tail_ptr = std::shared_ptr<const tail_write>;

/// A committed batch, to be folded into the view in one transaction.
struct committed_batch {
  model::log_position position{};
  model::log_generation generation{1};
  model::epoch epoch{};
  std::uint64_t number = 0;
  std::uint64_t hash = 0;
  std::int64_t stream_created_ns = 0;
  model::log_position generation_base{};  ///< The last position before the generation.
  std::uint64_t key_print = 0;            ///< The print of the key of its MAC; 0: it has none.
  bool seals = false;                     ///< It ends its generation of the log in order.
  /// False: it is applied because its plane is about to lead, and may be set aside yet.
  bool is_committed = true;
  std::vector<append_ptr> entries;
};
using committed_ptr = std::shared_ptr<const committed_batch>;

/// The name of the queue and the job set id.
using job_set_key = std::pair<std::string, std::string>;

}  // namespace argosy::native
