// SPDX-License-Identifier: Apache-2.0
// A cluster_parting ends a CLUSTER of whose cluster nothing is known any more. First ROOT gives its
// handle to nobody any more, then the COORDINATOR drops it. Whatever was sent before stands in
// front of their answers in the mailbox, so that no order is lost. The CLUSTER owns the object and
// uses it on its thread.
#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "actors/interfaces/root.hpp"
#include "actors/interfaces/rounds/coordinator.hpp"
#include "actors/interfaces/state/cluster.hpp"
#include "runtime/base/clock.hpp"

namespace argosy::actors {

class cluster_parting {
 public:
  struct neighbours {
    root_actor root;
    coordinator_actor coordinator;
    std::chrono::milliseconds request_timeout;
  };

  /// `is_over` says whether the CLUSTER has nothing left to do.
  cluster_parting(cluster_actor::base* self, std::string cluster, neighbours of,
                  std::chrono::milliseconds after, std::function<bool()> is_over)
      : self_(self),
        cluster_(std::move(cluster)),
        of_(std::move(of)),
        after_(after),
        is_over_(std::move(is_over)) {}

  /// Has to be called every now and then. Ends the CLUSTER when it has been over for long enough.
  void look(boot_time now);
  /// The CLUSTER ends soon and must take no hello any more.
  [[nodiscard]] bool begun() const noexcept { return at_ != step::none; }

 private:
  enum class step : std::uint8_t { none, tell_root, tell_coordinator, end };

  void go_on();
  template <class Handle>
  void tell(const Handle& whom, step next);

  cluster_actor::base* self_;
  std::string cluster_;
  neighbours of_;
  std::chrono::milliseconds after_;
  std::function<bool()> is_over_;
  std::optional<boot_time> over_since_;
  step at_ = step::none;
  bool asked_ = false;  ///< The answer to the present step is awaited.
};

}  // namespace argosy::actors
