// SPDX-License-Identifier: Apache-2.0
// A frame_line is where requests wait for the gateway that serves them. Callers take turns, so that
// whoever sends many requests, or large ones, waits for himself; and few questions of one caller
// are under way at a time, since the answer to a small one may have megabytes. Nobody is refused
// here: the BUS bounds how much of a caller waits.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "actors/interfaces/bus.hpp"
#include "runtime/border/fair_queue_core.hpp"
#include "runtime/border/shares.hpp"
#include "runtime/trace/context.hpp"

namespace argosy::actors {

class frame_line {
 public:
  /// `wake` is called on any thread when a question that waited may be served: serve_some() is due.
  explicit frame_line(std::function<void()> wake);

  /// Takes a request into the line. Returns whether serve_some() has become due: it is to be called
  /// once for each time that this is told.
  bool add(const std::string& caller, native::frame_ptr frame, bool is_question);

  /// Serves some of those whose turn it is, for about as long as one large request takes. Returns
  /// whether it is due again.
  bool serve_some(const std::function<void(const native::frame_ptr&)>& serve);

 private:
  struct waiting {
    std::string caller;
    native::frame_ptr frame;
    bool is_question = false;
    trace::context cause;
    bool was_held = false;
  };
  /// What the deleters of frames share with the line, which may be gone before them.
  struct release {
    std::function<void()> wake;
    std::atomic<bool> is_due{false};
    std::atomic<bool> has_held{false};  ///< Questions wait until one that is under way has ended.
    std::atomic<bool> freed{false};
  };

  /// Questions of callers who have as many under way as they may; none is empty.
  using held_questions = std::map<std::string, std::deque<waiting>>;

  void hold(waiting question);
  held_questions::iterator try_again(held_questions::iterator caller);
  void try_held_again();
  [[nodiscard]] native::frame_ptr counted(native::frame_ptr frame, border::shares::place place);

  border::fair_queue_core<waiting> line_;
  held_questions held_;
  std::shared_ptr<border::shares> under_way_;
  std::shared_ptr<release> release_;
};

/// Makes a function by which a line wakes its gateway, which may have ended.
[[nodiscard]] std::function<void()> wake_up(const gateway_actor::base* gateway);

}  // namespace argosy::actors
