// SPDX-License-Identifier: Apache-2.0
#include "actors/rounds/unfit_watch.hpp"

#include <chrono>
#include <memory>
#include <utility>

#include "runtime/trace/caf/delayed_send.hpp"

namespace argosy::actors {

/// A later look finds again what does not become durable, or what the QUEUE does not take.
void unfit_watch::look() {
  const auto now_ns = to_nanos(with_.clock->wall());
  for (auto& [queue, found] : jobs_.look(*with_.fold, *with_.configs, now_ns, with_.clock->boot()))
    if (const auto* handle = with_.sources->find_queue(queue))
      with_.self->send(
          *handle, atom::hold_v,
          native::unfit_ptr{std::make_shared<const ledger::unfit_findings>(std::move(found))});
  if (armed_ || !jobs_.has_candidates()) return;
  armed_ = true;
  trace::tick_send(with_.self, caf::actor_cast<coordinator_actor>(with_.self),
                   std::chrono::ceil<std::chrono::milliseconds>(jobs_.period()), atom::tick_v,
                   atom::hold_v);
}

}  // namespace argosy::actors
