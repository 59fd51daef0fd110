// SPDX-License-Identifier: Apache-2.0
// Asks an actor and notes whether it agrees.
#pragma once

#include <gtest/gtest.h>

#include <caf/scoped_actor.hpp>
#include <chrono>
#include <optional>
#include <utility>

#include "actors/caf_error.hpp"
#include "actors/interfaces/atoms.hpp"
#include "tests/support/actor_fixture.hpp"

namespace argosy::tests {

class asking_fixture : public actor_fixture {
 protected:
  /// Sends a request that must be answered with ok before time passes. Returns the error if it is
  /// refused.
  template <class Handle, class... Args>
  std::optional<error> refusal_of(const Handle& of, Args&&... request) {
    std::optional<error> out;
    bool answered = false;
    caf::scoped_actor asker{system};
    asker->send(of, std::forward<Args>(request)...);
    settle();
    asker->receive([&](atom::ok) { answered = true; },
                   [&](const caf::error& err) {
                     answered = true;
                     out = actors::from_caf(err);
                   },
                   caf::after(std::chrono::seconds{0}) >> [] {});
    EXPECT_TRUE(answered);
    return out;
  }
};

}  // namespace argosy::tests
