// SPDX-License-Identifier: Apache-2.0
// Delayed messages. CAF delivers them from its clock's thread, where no context is set; these
// helpers put it into the message. There is no cancelling: a timer's message carries a generation.
#pragma once

#include <caf/actor_cast.hpp>
#include <caf/actor_clock.hpp>
#include <caf/check_typed_input.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/no_stages.hpp>
#include <caf/response_type.hpp>
#include <chrono>
#include <utility>

#include "runtime/trace/caf/traced_element.hpp"

namespace argosy::trace {

namespace detail {

template <class Self, class Dest, class... Ts>
void schedule(Self* self, const Dest& dest, caf::actor_clock::duration_type delay,
              const context& cause, Ts&&... xs) {
  static_assert(sizeof...(Ts) > 0, "no message to send");
  using arguments = caf::detail::type_list<caf::detail::strip_and_convert_t<Ts>...>;
  static_assert(caf::response_type_unbox<caf::signatures_of_t<Dest>, arguments>::valid,
                "receiver does not accept given message");
  if (!dest) return;
  auto element = caf::make_mailbox_element(self->ctrl(), caf::make_message_id(), caf::no_stages,
                                           std::forward<Ts>(xs)...);
  if (enabled()) element = wrap_delayed(std::move(element), cause);
  auto& clock = self->clock();
  clock.schedule_message(clock.now() + delay, caf::actor_cast<caf::strong_actor_ptr>(dest),
                         std::move(element));
}

}  // namespace detail

/// Sends after `delay`, as an effect of what the actor does now: for retries, time-outs and other
/// one-shot timers.
template <class Self, class Dest, class Rep, class Period, class... Ts>
void delayed_send(Self* self, const Dest& dest, std::chrono::duration<Rep, Period> delay,
                  Ts&&... xs) {
  detail::schedule(self, dest, std::chrono::duration_cast<caf::actor_clock::duration_type>(delay),
                   current(), std::forward<Ts>(xs)...);
}

/// Sends after `delay` without a cause: for periodic timers, whose chain would otherwise belong for
/// ever to the trace in which it was first armed.
template <class Self, class Dest, class Rep, class Period, class... Ts>
void tick_send(Self* self, const Dest& dest, std::chrono::duration<Rep, Period> delay, Ts&&... xs) {
  detail::schedule(self, dest, std::chrono::duration_cast<caf::actor_clock::duration_type>(delay),
                   context{}, std::forward<Ts>(xs)...);
}

}  // namespace argosy::trace
