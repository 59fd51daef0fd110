// SPDX-License-Identifier: Apache-2.0
// A log_watch keeps for the JOURNAL how the log stands: it tells the log's load, and operators when
// the log fills, is full, takes nothing, or has room again.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>

#include "runtime/base/clock.hpp"
#include "runtime/eventlog/event_log.hpp"
#include "runtime/eventlog/log_load.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::actors {

class log_watch {
 public:
  /// The clock must outlive the object.
  log_watch(std::shared_ptr<eventlog::event_log> log, std::shared_ptr<eventlog::log_load> load,
            const clock_source& clock)
      : log_(std::move(log)), load_(std::move(load)), clock_(&clock) {}

  /// The log took a batch of this size.
  void took(std::size_t bytes);
  /// The log did not take a batch, which is tried again.
  void refused(const error& why);
  /// The log takes no record of this size, which may change.
  void refused_as_too_long(std::size_t bytes);
  /// The log goes on in another generation, about which look() has to ask.
  void turned() { next_look_ = {}; }
  /// Tells how full the log is, and asks the log itself if that was not done for a while.
  void look();

 private:
  void set_full(bool full);
  void complain(const error& why);

  static inline const logging::logger logger{"journal"};
  std::shared_ptr<eventlog::event_log> log_;
  std::shared_ptr<eventlog::log_load> load_;
  const clock_source* clock_;
  boot_time next_look_{};       ///< When the log is asked again.
  boot_time next_complaint_{};  ///< When a refusal is told again.
  eventlog::fill_watch room_;
};

}  // namespace argosy::actors
