// SPDX-License-Identifier: Apache-2.0
// Spans for work that is not a message: a command, a request over the bus, a run of a process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/trace/context.hpp"
#include "runtime/trace/finished_span.hpp"

namespace argosy::trace {

/// An operation that may begin in one handler and end in another. Recorded when it finishes, or,
/// as failed, when it is destroyed unfinished. Movable; not tied to a thread.
class [[nodiscard]] operation {
 public:
  /// A child of `parent`, or the start of a new trace if that is invalid. `actor` is the component
  /// that does it.
  operation(std::string name, std::string actor, const context& parent = current());
  ~operation();
  operation(operation&& other) noexcept;
  operation& operator=(operation&& other) noexcept;
  operation(const operation&) = delete;
  operation& operator=(const operation&) = delete;

  /// What the operation causes belongs to this context.
  [[nodiscard]] const context& ctx() const noexcept { return ctx_; }
  void attribute(std::string key, std::string value);
  /// Calls after the first do nothing.
  void finish(bool failed = false);

 private:
  context ctx_;
  span_id parent_ = 0;
  std::string name_;
  std::string actor_;
  std::int64_t begun_nanos_ = 0;
  std::vector<trace::attribute> attributes_;
  bool open_ = false;
};

/// An operation that is the thread's current context from construction to destruction.
class [[nodiscard]] span {
 public:
  span(std::string name, std::string actor, const context& parent = current());
  /// Finishes it well, unless fail() was called or an exception is passing.
  ~span();
  span(const span&) = delete;
  span& operator=(const span&) = delete;

  [[nodiscard]] const context& ctx() const noexcept { return work_.ctx(); }
  void attribute(std::string key, std::string value);
  void fail() noexcept { failed_ = true; }

 private:
  operation work_;
  scope scope_;
  int exceptions_;
  bool failed_ = false;
};

}  // namespace argosy::trace
