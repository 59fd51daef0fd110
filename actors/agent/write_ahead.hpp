// SPDX-License-Identifier: Apache-2.0
// write_ahead keeps the steps of an executor_core in order: before a step's actions are carried
// out, what it writes is on disk, and so is what all earlier steps wrote. The EXECUTOR owns it and
// uses it on its thread.
#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <chrono>
#include <functional>
#include <utility>
#include <vector>

#include "actors/interfaces/executor.hpp"
#include "runtime/base/error.hpp"

namespace argosy::actors {

class write_ahead {
 public:
  /// The functions of the EXECUTOR that a write_ahead calls.
  struct owner {
    std::function<void(const ledger::executor_effect&)> act;
    std::function<void()>
        settled;  ///< Nothing can be done before the disk answers or a step comes.
    std::function<void(const error&)> failed;  ///< The store could not be written.
  };

  write_ahead(local_executor_actor::base* self, executor_store_actor store,
              std::chrono::milliseconds store_timeout, owner to)
      : self_(self), store_(std::move(store)), store_timeout_(store_timeout), to_(std::move(to)) {}

  /// Every step goes through here in order, also one that writes nothing.
  void take(ledger::executor_step step);
  /// Takes the step, and answers the request that is being handled when it has happened.
  [[nodiscard]] caf::result<atom::ok> answer_after(ledger::executor_step step);

  /// Whether the disk has not answered yet.
  [[nodiscard]] bool writing() const { return writing_; }

 private:
  /// Steps that are written in one transaction, and what is due when that is durable.
  struct work {
    std::vector<ledger::executor_write> writes;
    std::vector<ledger::executor_effect> actions;
    std::vector<caf::typed_response_promise<atom::ok>> answers;
  };

  void flush();
  void carry_out(work done);

  local_executor_actor::base* self_;
  executor_store_actor store_;
  std::chrono::milliseconds store_timeout_;
  owner to_;
  work waiting_;
  bool writing_ = false;
};

}  // namespace argosy::actors
