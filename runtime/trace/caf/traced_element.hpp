// SPDX-License-Identifier: Apache-2.0
// A mailbox element that carries its cause: it wraps the element that CAF made for a message,
// from the moment of sending (or, for a delayed message, of scheduling) until it is handled.
#pragma once

#include <caf/mailbox_element.hpp>
#include <cstdint>
#include <typeinfo>

#include "runtime/trace/caf/actor_gauges.hpp"
#include "runtime/trace/recorder.hpp"

namespace argosy::trace {

class traced_element final : public caf::mailbox_element {
 public:
  /// Takes the inner element's sender, id and forwarding stages over.
  traced_element(caf::mailbox_element_ptr inner, const context& cause, name_id from,
                 name_id message);
  ~traced_element() override;

  caf::type_erased_tuple& content() override;
  const caf::type_erased_tuple& content() const override;
  caf::message move_content_to_message() override;
  caf::message copy_content_to_message() const override;

  /// The element as ours, or null if it was sent untraced.
  [[nodiscard]] static traced_element* from(caf::mailbox_element& element) noexcept {
    return &typeid(element) == &typeid(traced_element) ? static_cast<traced_element*>(&element)
                                                       : nullptr;
  }

  context cause;
  edge kind;
  std::int64_t enqueued_nanos = 0;
  /// Whether the element entered a mailbox and was counted as sent.
  bool counted = false;
  bool handled = false;

 private:
  caf::mailbox_element_ptr inner_;
};

/// Wraps an element for a mailbox of the given actor type and counts it as sent. The cause is the
/// thread's current context, unless the element is a delayed one that brought its own.
[[nodiscard]] caf::mailbox_element_ptr wrap(caf::mailbox_element_ptr element, name_id to);

/// When a wrapped element was sent, as now_nanos(); 0 for no element.
[[nodiscard]] inline std::int64_t sent_at(const caf::mailbox_element_ptr& element) noexcept {
  return element == nullptr ? 0 : static_cast<traced_element&>(*element).enqueued_nanos;
}

/// Wraps an element that will be sent later, with an explicit cause.
[[nodiscard]] caf::mailbox_element_ptr wrap_delayed(caf::mailbox_element_ptr element,
                                                    const context& cause);

/// Sets what the thread acts as and for.
class acting_scope {
 public:
  explicit acting_scope(const detail::thread_context& acting) noexcept : previous_(detail::here) {
    detail::here = acting;
  }
  ~acting_scope() { detail::here = previous_; }
  acting_scope(const acting_scope&) = delete;
  acting_scope& operator=(const acting_scope&) = delete;

 private:
  detail::thread_context previous_;
};

/// For the duration of one handler: makes its span the thread's current context, then records it.
class handler_scope {
 public:
  /// Shows the message in `gauges` while it is handled, and leaves the handler's context in `last`
  /// when it ends.
  handler_scope(traced_element& element, std::uint64_t instance, actor_gauges& gauges,
                detail::thread_context& last) noexcept;
  /// Records the message as failed unless finish() was called.
  ~handler_scope();
  handler_scope(const handler_scope&) = delete;
  handler_scope& operator=(const handler_scope&) = delete;

  /// A message that was skipped stays in the mailbox and is recorded when it is handled at last.
  void finish(bool skipped) noexcept;

 private:
  enum class outcome : std::uint8_t { threw, returned, skipped };

  traced_element& element_;
  detail::thread_context previous_;
  detail::thread_context& last_;
  std::uint64_t instance_;
  std::uint64_t depth_;
  actor_gauges& gauges_;
  std::int64_t begun_nanos_;
  outcome outcome_ = outcome::threw;
};

}  // namespace argosy::trace
