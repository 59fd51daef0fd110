// SPDX-License-Identifier: Apache-2.0
#include "runtime/trace/span.hpp"

#include <exception>
#include <utility>

#include "runtime/trace/recorder.hpp"

namespace argosy::trace {

operation::operation(std::string name, std::string actor, const context& parent)
    : ctx_(child(parent)),
      parent_(parent.valid() ? parent.span : 0),
      name_(std::move(name)),
      actor_(std::move(actor)),
      begun_nanos_(now_nanos()),
      open_(true) {}

operation::~operation() {
  finish(true);
}

operation::operation(operation&& other) noexcept
    : ctx_(other.ctx_),
      parent_(other.parent_),
      name_(std::move(other.name_)),
      actor_(std::move(other.actor_)),
      begun_nanos_(other.begun_nanos_),
      attributes_(std::move(other.attributes_)),
      open_(std::exchange(other.open_, false)) {}

operation& operation::operator=(operation&& other) noexcept {
  if (this == &other) return *this;
  finish(true);
  ctx_ = other.ctx_;
  parent_ = other.parent_;
  name_ = std::move(other.name_);
  actor_ = std::move(other.actor_);
  begun_nanos_ = other.begun_nanos_;
  attributes_ = std::move(other.attributes_);
  open_ = std::exchange(other.open_, false);
  return *this;
}

void operation::attribute(std::string key, std::string value) {
  attributes_.push_back({std::move(key), std::move(value)});
}

void operation::finish(bool failed) {
  if (!std::exchange(open_, false) || !ctx_.sampled || !enabled()) return;
  const auto ended_nanos = now_nanos();
  finished_span done;
  done.trace = ctx_.trace;
  done.span = ctx_.span;
  done.parent = parent_;
  done.name = std::move(name_);
  done.actor = std::move(actor_);
  done.start_nanos = to_wall_nanos(begun_nanos_);
  done.duration_nanos = ended_nanos - begun_nanos_;
  done.failed = failed;
  done.attributes = std::move(attributes_);
  add_span(std::move(done));
}

span::span(std::string name, std::string actor, const context& parent)
    : work_(std::move(name), std::move(actor), parent),
      scope_(work_.ctx()),
      exceptions_(std::uncaught_exceptions()) {}

span::~span() {
  work_.finish(failed_ || std::uncaught_exceptions() > exceptions_);
}

void span::attribute(std::string key, std::string value) {
  work_.attribute(std::move(key), std::move(value));
}

}  // namespace argosy::trace
