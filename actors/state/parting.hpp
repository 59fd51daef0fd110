// SPDX-License-Identifier: Apache-2.0
// A parting ends an owner of state, a QUEUE or CLUSTER, when nothing is left of what it owns. First
// those who hold its handle drop it, one after the other. What each sent before stands in front of
// its answer in the mailbox, so that nothing is lost. The owner has the object and uses it on its
// thread.
#pragma once

#include <caf/actor_cast.hpp>
#include <caf/error.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "actors/interfaces/atoms.hpp"
#include "runtime/base/clock.hpp"

namespace argosy::actors {

class parting {
 public:
  /// Asks a neighbour to drop the owner's handle, and says whether it did.
  using farewell = std::function<void(std::function<void(bool)> done)>;
  struct rules {
    /// Whether the owner has nothing left to do.
    std::function<bool()> is_over;
    /// For how long it must have been so.
    std::chrono::milliseconds after{};
  };

  /// `end` ends the owner when all neighbours have dropped its handle, in this order.
  parting(rules with, std::vector<farewell> neighbours, std::function<void()> end)
      : with_(std::move(with)), neighbours_(std::move(neighbours)), end_(std::move(end)) {}

  /// Has to be called every now and then.
  void look(boot_time now);
  /// Somebody still speaks to the owner: it stays for as long again.
  void postpone() { over_since_.reset(); }
  /// The owner ends soon and must take nothing new.
  [[nodiscard]] bool begun() const noexcept { return begun_; }

 private:
  void go_on();

  rules with_;
  std::vector<farewell> neighbours_;
  std::function<void()> end_;
  std::optional<boot_time> over_since_;
  bool begun_ = false;
  bool asked_ = false;       ///< The next neighbour has not answered yet.
  std::size_t dropped_ = 0;  ///< How many neighbours have dropped the handle.
};

/// The farewell of the owner `self`, whose handle is of type `Handle`, to ROOT or the COORDINATOR.
template <class Handle, class Self, class Neighbour, class Name>
parting::farewell say_goodbye(Self* self, Neighbour to, std::chrono::milliseconds timeout,
                              Name name) {
  return [=](const std::function<void(bool)>& done) {
    self->request(to, timeout, atom::goodbye_v, name, caf::actor_cast<Handle>(self))
        .then([done](atom::ok) { done(true); }, [done](const caf::error&) { done(false); });
  };
}

}  // namespace argosy::actors
