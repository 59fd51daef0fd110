// SPDX-License-Identifier: Apache-2.0
// This file declares the state of a control plane that follows from events alone, with the log and
// the store that it writes of them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "messages/batches/batch_core.hpp"
#include "messages/view/recovery/recovered_state.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/eventlog/in_memory.hpp"
#include "runtime/store/in_memory.hpp"

namespace argosy::fuzz {

class world {
 public:
  /// A claim of the lead is the first record.
  world();

  /// Applies the events, and writes them as one batch into log, tail and view.
  void add(const std::vector<model::event>& events);

  /// Requires that the store is sound, that a start from it gives the same state, and that a start
  /// from the log alone gives the same state and the same store.
  void expect_that_nothing_is_lost();

  [[nodiscard]] store::memory_database& database() { return database_; }
  [[nodiscard]] static const codec::log_key& key();

 private:
  /// The end of the log before its first record.
  [[nodiscard]] view::view_position empty();
  /// What the queue writes together with the event that was applied last.
  [[nodiscard]] std::optional<model::event> follows(const model::event& event) const;
  void write(native::append_ptr request);

  manual_clock clock_;
  eventlog::memory_log log_{clock_, {.never_wait = true}};
  store::memory_database database_;
  batches::batch_core writer_;
  view::recovered_state state_;
};

/// All records but those of the tail, as a message: of each table, by its number, its records as
/// messages of key and value.
[[nodiscard]] std::string dump(store::database& from);
/// Puts the records of such a message into the database; those that cannot be are left out.
void restore(std::string_view dumped, store::database& to);

/// The events of a story in which each kind of event happens.
[[nodiscard]] std::vector<std::vector<model::event>> some_story();

}  // namespace argosy::fuzz
