// SPDX-License-Identifier: Apache-2.0
// The mixin under every actor. It sees each message enter the mailbox (on the sender's thread) and
// leave it (on the actor's), and so learns cause, waiting and processing time without touching
// message types. Behaviour functions take a traced_pointer as their first argument.
#pragma once

#include <atomic>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <utility>

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
    type_ = actor_started(*this, this->name());
    Base::launch(unit, lazy, hide);
  }

  /// Runs on the sender's thread: touches only its argument and atomics.
  void enqueue(caf::mailbox_element_ptr element, caf::execution_unit* unit) override {
    if (enabled()) {
      depth_.fetch_add(1, std::memory_order_relaxed);
      element = wrap(std::move(element), type_);
    }
    Base::enqueue(std::move(element), unit);
  }

  caf::invoke_message_result consume(caf::mailbox_element& element) override {
    auto* const message = traced_element::from(element);
    if (message == nullptr || !message->counted) return Base::consume(element);
    handler_scope handling{*message, this->id(), depth_.load(std::memory_order_relaxed), last_};
    const auto result = Base::consume(element);
    const bool skipped = result == caf::invoke_message_result::skipped;
    if (!skipped) depth_.fetch_sub(1, std::memory_order_relaxed);
    handling.finish(skipped);
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
  std::atomic<std::uint64_t> depth_{0};
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
