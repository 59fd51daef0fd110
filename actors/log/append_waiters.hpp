// SPDX-License-Identifier: Apache-2.0
// The append_waiters keep those who wait for appends of the JOURNAL, and tell each of them how its
// append ended. The JOURNAL owns them and uses them on its thread.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <caf/typed_response_promise.hpp>
#include <utility>
#include <vector>

#include "actors/caf_error.hpp"
#include "actors/interfaces/log/journal.hpp"
#include "messages/batches/batch_core.hpp"

namespace argosy::actors {

using append_promise = caf::typed_response_promise<native::append_ack>;

/// One that waits for an append is a requester, which has a promise, or an owner of state that has
/// applied the events. The other member is empty.
struct append_waiter {
  append_promise promise;
  append_owner_actor owner;
  std::uint64_t number = 0;  ///< The number under which the owner knows the append.
};

/// Tells one of them the position of its record, or the error.
template <class Self>
void tell(Self* self, append_waiter& who, const result<model::log_position>& outcome) {
  if (who.owner)
    self->send(who.owner, atom::append_v, native::append_outcome{who.number, outcome});
  else if (outcome)
    who.promise.deliver(native::append_ack{*outcome});
  else
    who.promise.deliver(to_caf(outcome.error()));
}

class append_waiters {
 public:
  void add(batches::ticket number, append_waiter who) { open_.emplace(number, std::move(who)); }

  template <class Self>
  void tell_all(Self* self, const std::vector<batches::ticket>& tickets,
                const result<model::log_position>& outcome) {
    for (const auto number : tickets)
      if (auto found = open_.extract(number)) tell(self, found.mapped(), outcome);
  }

  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(open_.size()); }

 private:
  absl::flat_hash_map<batches::ticket, append_waiter> open_;
};

}  // namespace argosy::actors
