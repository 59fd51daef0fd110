// SPDX-License-Identifier: Apache-2.0
#include "runtime/trace/caf/traced_element.hpp"

#include <utility>

#include "runtime/trace/caf/message_name.hpp"

namespace argosy::trace {

traced_element::traced_element(caf::mailbox_element_ptr inner, const context& ctx, name_id from,
                               name_id message)
    : caf::mailbox_element(std::move(inner->sender), inner->mid, std::move(inner->stages)),
      cause(ctx),
      kind{from, 0, message},
      inner_(std::move(inner)) {}

traced_element::~traced_element() {
  if (counted && !handled) note_dropped(kind);
}

caf::type_erased_tuple& traced_element::content() {
  return inner_->content();
}

const caf::type_erased_tuple& traced_element::content() const {
  return std::as_const(*inner_).content();
}

caf::message traced_element::move_content_to_message() {
  return inner_->move_content_to_message();
}

caf::message traced_element::copy_content_to_message() const {
  return inner_->copy_content_to_message();
}

caf::mailbox_element_ptr wrap(caf::mailbox_element_ptr element, name_id to) {
  if (element == nullptr) return element;
  auto* traced = traced_element::from(*element);
  if (traced == nullptr) {
    const auto message = message_name(*element);
    traced = new traced_element(std::move(element), current(), detail::here.actor, message);
    element.reset(traced);
  }
  traced->kind.to = to;
  traced->enqueued_nanos = now_nanos();
  if (!traced->counted) note_sent(traced->kind);
  traced->counted = true;
  return element;
}

caf::mailbox_element_ptr wrap_delayed(caf::mailbox_element_ptr element, const context& cause) {
  const auto message = message_name(*element);
  return caf::mailbox_element_ptr{
      new traced_element(std::move(element), cause, detail::here.actor, message)};
}

handler_scope::handler_scope(traced_element& element, std::uint64_t instance, actor_gauges& gauges,
                             detail::thread_context& last) noexcept
    : element_(element),
      previous_(detail::here),
      last_(last),
      instance_(instance),
      depth_(gauges.depth.load(std::memory_order_relaxed)),
      gauges_(gauges),
      begun_nanos_(now_nanos()) {
  gauges.begun(element.kind.message, element.enqueued_nanos, begun_nanos_);
  detail::here.actor = element.kind.to;
  detail::here.ctx = element.cause.valid() ? child(element.cause) : context{};
}

void handler_scope::finish(bool skipped) noexcept {
  outcome_ = skipped ? outcome::skipped : outcome::returned;
}

handler_scope::~handler_scope() {
  if (outcome_ == outcome::skipped) {
    gauges_.put_back();
    detail::here = previous_;
    return;
  }
  last_ = std::exchange(detail::here, previous_);
  element_.handled = true;
  const auto ended = now_nanos();
  gauges_.ended(begun_nanos_ - element_.enqueued_nanos, ended - begun_nanos_);
  note_handled({element_.kind, last_.ctx, element_.cause.span, instance_, element_.enqueued_nanos,
                begun_nanos_, ended, depth_, outcome_ == outcome::threw});
}

}  // namespace argosy::trace
