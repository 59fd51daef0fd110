// SPDX-License-Identifier: Apache-2.0
// What the agent has seen of one pod over time, from which it follows whether the pod is in trouble
// and what the user has to be told. Pure. Times are CLOCK_BOOTTIME.
#pragma once

#include <optional>
#include <string>

#include "runtime/backends/kubernetes/trouble/pod_trouble.hpp"

namespace argosy::backends {

class pod_watch {
 public:
  /// Takes what the pod is now. `waited` is how long it had waited when it was seen first.
  void see(const pod_view& pod, boot_time waited, boot_time now);
  /// The state of its node has changed; null: nothing is wrong with it.
  void see_node(const node_state* node, boot_time now);
  /// Returns whether that is news.
  bool add(pod_event event) { return events_.add(std::move(event)); }
  /// The agent ends the pod.
  void end(boot_time grace, boot_time now);

  /// The agent does not end it after all.
  void go_on(boot_time now);
  /// Nothing is heard of the pod any more, and was not since then: its waits stop.
  void pause(boot_time since);
  /// It is heard of again, and the waits go on from where they were.
  void resume(boot_time now);
  [[nodiscard]] bool is_paused() const noexcept { return paused_.has_value(); }

  /// Says what has to be done about the pod, and when it has to be looked at again.
  [[nodiscard]] pod_trouble check(const pod_view& pod, const node_state* node,
                                  const own_objects& own, const trouble_rules& rules,
                                  boot_time now);
  [[nodiscard]] boot_time due() const noexcept { return due_; }
  void rest() noexcept { due_ = boot_time::max(); }

  /// What the user is told when he learns of this trouble, or of none (an empty kind); nothing if
  /// he knows.
  [[nodiscard]] std::optional<std::string> tell(const std::string& kind, const std::string& text);

  [[nodiscard]] const pod_events& events() const noexcept { return events_; }

 private:
  pod_events events_;
  trouble_facts facts_;
  model::run_phase phase_ = model::run_phase::accepted;
  pod_wait wait_ = pod_wait::nothing;
  bool init_open_ = false;
  bool bad_node_ = false;
  std::string told_;                 ///< The kind of the trouble that the user was told of last.
  std::optional<boot_time> paused_;  ///< Since when nothing was heard of the pod.
  boot_time due_ = boot_time::max();
};

/// "at 21:03:05 UTC: the text", without what would divide a note in two.
[[nodiscard]] std::string note_text(const std::string& text, std::int64_t wall_ns);

}  // namespace argosy::backends
