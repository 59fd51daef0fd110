// SPDX-License-Identifier: Apache-2.0
// A CLUSTER applies what its cluster_core decided and appends it to the log through its
// cluster_append. The CLUSTER owns it and uses it on its thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "actors/interfaces/state/cluster.hpp"
#include "actors/log/open_appends.hpp"
#include "messages/native/journal.hpp"
#include "runtime/ledger/cluster/cluster_core.hpp"
#include "runtime/ledger/cluster/recent_events.hpp"

namespace argosy::actors {

class cluster_append {
 public:
  /// Hears whether the events and all earlier ones are durable.
  using continuation = std::function<void(const result<void>&)>;

  /// After `part_bytes_max` bytes a change goes on in another record of the log. `recent` is what
  /// is known so far, and hears of each event.
  cluster_append(cluster_actor::base* self, std::shared_ptr<ledger::cluster_core> core,
                 open_appends<std::vector<continuation>> in_flight, std::size_t part_bytes_max,
                 ledger::recent_events recent)
      : self_(self),
        core_(std::move(core)),
        in_flight_(std::move(in_flight)),
        part_bytes_max_(part_bytes_max),
        recent_(std::move(recent)) {}

  /// Applies and appends the events.
  void append(std::vector<model::event> events, continuation done = {});
  /// Takes the JOURNAL's answer to an append.
  void appended(const native::append_outcome& outcome);
  /// Whether everything is durable.
  [[nodiscard]] bool empty() const { return in_flight_.empty(); }
  /// What happened lately. It is told here what does not stand in the log.
  [[nodiscard]] ledger::recent_events& recent() noexcept { return recent_; }

 private:
  cluster_actor::base* self_;
  std::shared_ptr<ledger::cluster_core> core_;
  open_appends<std::vector<continuation>> in_flight_;
  std::size_t part_bytes_max_;
  ledger::recent_events recent_;
};

}  // namespace argosy::actors
