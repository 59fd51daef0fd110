// SPDX-License-Identifier: Apache-2.0
// The mixin under every actor. It sees each message enter the mailbox (on the sender's thread) and
// leave it (on the actor's), and so learns cause, waiting and processing time without touching
// message types. Behaviour functions take a traced_pointer as their first argument.
#pragma once

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <utility>

#include "runtime/trace/caf/actor_gauges.hpp"
#include "runtime/trace/caf/live_actors.hpp"
#include "runtime/trace/caf/traced_element.hpp"

namespace argosy::trace {

/// `Base` is a scheduled actor class, such as `x_actor::base`.
template <class Base>
class traced : public Base {
 public:
  template <class... Ts>
  explicit traced(caf::actor_config& cfg, Ts&&... xs) : Base(cfg, std::forward<Ts>(xs)...) {}

  using Base::consume;
  using Base::enqueue;

  void launch(caf::execution_unit* unit, bool lazy, bool hide) override {
    type_ = actor_started(*this, this->name(), gauges_);
    Base::launch(unit, lazy, hide);
  }

  /// Runs on the sender's thread: touches only its argument and atomics.
  void enqueue(caf::mailbox_element_ptr element, caf::execution_unit* unit) override {
    if (enabled()) {
      element = wrap(std::move(element), type_);
      gauges_.entered(sent_at(element));
    }
    Base::enqueue(std::move(element), unit);
  }

  caf::invoke_message_result consume(caf::mailbox_element& element) override {
    auto* const message = traced_element::from(element);
    if (message == nullptr || !message->counted) return Base::consume(element);
    handler_scope handling{*message, this->id(), gauges_, last_};
    const auto result = Base::consume(element);
    handling.finish(result == caf::invoke_message_result::skipped);
    return result;
  }

  /// CAF ends an actor after the handler that asked for it; what that sends is still its effect.
  bool cleanup(caf::error&& reason, caf::execution_unit* host) override {
    actor_ended(*this);
    const acting_scope ending{last_};
    return Base::cleanup(std::move(reason), host);
  }

 private:
  /// The type's name, which is written once, before the handle is known to anybody.
  name_id type_ = 0;
  actor_gauges gauges_;
  /// The context of the last handler.
  detail::thread_context last_;
};

/// The `self` of an actor with interface `Interface` and state `State`.
template <class Interface, class State>
using traced_pointer = caf::stateful_actor<State, traced<typename Interface::base>>*;

}  // namespace argosy::trace

namespace argosy {
using trace::traced_pointer;
}  // namespace argosy
