// SPDX-License-Identifier: Apache-2.0
#include "actors/agent/write_ahead.hpp"

#include <iterator>
#include <memory>

#include "actors/caf_error.hpp"

namespace argosy::actors {

void write_ahead::take(ledger::executor_step step) {
  std::move(step.writes.begin(), step.writes.end(), std::back_inserter(waiting_.writes));
  std::move(step.actions.begin(), step.actions.end(), std::back_inserter(waiting_.actions));
  flush();
}

caf::result<atom::ok> write_ahead::answer_after(ledger::executor_step step) {
  auto promise = self_->make_response_promise<caf::typed_response_promise<atom::ok>>();
  waiting_.answers.push_back(promise);
  take(std::move(step));
  return promise;
}

void write_ahead::flush() {
  while (!writing_ &&
         (!waiting_.writes.empty() || !waiting_.actions.empty() || !waiting_.answers.empty())) {
    auto next = std::make_shared<work>(std::exchange(waiting_, {}));
    if (next->writes.empty()) {
      carry_out(std::move(*next));
      continue;
    }
    writing_ = true;
    auto writes =
        std::make_shared<const std::vector<ledger::executor_write>>(std::move(next->writes));
    self_
        ->request(store_, store_timeout_, atom::append_v,
                  native::executor_writes_ptr{std::move(writes)})
        .then(
            [this, next](atom::ok) {
              writing_ = false;
              carry_out(std::move(*next));
              flush();
            },
            [this, next](const caf::error& err) {
              for (auto& promise : next->answers) promise.deliver(err);
              to_.failed(from_caf(err));
            });
  }
  to_.settled();
}

void write_ahead::carry_out(work done) {
  for (const auto& action : done.actions) to_.act(action);
  for (auto& promise : done.answers) promise.deliver(atom::ok_v);
}

}  // namespace argosy::actors
