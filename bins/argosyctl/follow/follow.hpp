// SPDX-License-Identifier: Apache-2.0
// Following jobs through the events of their job sets until something holds: what wait, watch,
// cancel --wait and submit --wait stand on.
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

/// (queue, job set)
using job_set_name = std::pair<std::string, std::string>;

struct follow_options {
  std::set<job_set_name> job_sets{};
  bool all_jobs = false;  ///< Follow every job of the sets, not only those expected.
  /// Only events behind this one; empty: all that are kept.
  std::string from{};
  /// Ask `done` before everything that happened until now was read, too.
  bool early = false;
  std::optional<std::chrono::steady_clock::time_point> deadline{};
  /// For every event of a job that is followed; `changed` is null when its state stayed.
  std::function<void(const api::EventStreamMessage&, const event_text&, const tracked_job* changed)>
      on_event{};
  /// Asked after every event, and several times a second.
  std::function<bool()> done{};
  /// Called several times a second; `away` while the server cannot be reached.
  std::function<void(bool away)> meanwhile = [](bool) {};
};

enum class follow_end : std::uint8_t { done, timed_out, interrupted };

/// Any number of job sets: the streams of up to 256 are kept open, more are read in turns.
[[nodiscard]] result<follow_end> follow_jobs(session& s, client& server, job_tracker& jobs,
                                             const follow_options& options);

/// An event id behind which everything is newer than this call, and everything older is in what the
/// server lists from now on.
[[nodiscard]] result<std::string> present_position(client& server);

}  // namespace argosy::ctl
