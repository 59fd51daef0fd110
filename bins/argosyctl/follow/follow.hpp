// SPDX-License-Identifier: Apache-2.0
// Follows jobs through the events of their job sets until a condition holds. wait, watch, cancel
// --wait and submit --wait use it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "bins/argosyctl/follow/job_tracker.hpp"
#include "bins/argosyctl/verbs/session.hpp"
#include "messages/proto/api/event.pb.h"

namespace argosy::ctl {

/// The name of a queue and a job set id.
using job_set_name = std::pair<std::string, std::string>;

struct follow_options {
  std::set<job_set_name> job_sets{};
  bool all_jobs = false;  ///< True: follow every job of the sets, not only those that are expected.
  /// Only events behind this id; empty: all events that are kept.
  std::string from{};
  /// True: `done` is asked before all events of the past were read, too.
  bool early = false;
  std::optional<std::chrono::steady_clock::time_point> deadline{};
  /// Called for every event of a job that is followed; `changed` is null when its state stayed.
  std::function<void(const api::EventStreamMessage&, const event_text&, const tracked_job* changed)>
      on_event{};
  /// This is asked after every event, and several times a second.
  std::function<bool()> done{};
  /// Called several times a second; `away` while the server cannot be reached.
  std::function<void(bool away)> meanwhile = [](bool) {};
};

enum class follow_end : std::uint8_t { done, timed_out, interrupted };

/// Follows any number of job sets: up to 256 streams are kept open; if there are more, they are
/// read in turns.
[[nodiscard]] result<follow_end> follow_jobs(session& s, client& server, job_tracker& jobs,
                                             const follow_options& options);

/// An event id behind which all events are newer than this call. All older events are in what the
/// server lists from now on.
[[nodiscard]] result<std::string> present_position(client& server);

}  // namespace argosy::ctl
