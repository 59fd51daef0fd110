// SPDX-License-Identifier: Apache-2.0
// A change of very many jobs is decided in parts, one after the other, so that what others want of
// the queue and of the log gets in between, and so that only the events of a part are held at a
// time. selection_parts says which jobs each part is about. Parts become smaller while the log is
// slow to take them, so that others wait for a part about as long on a busy machine as on an idle
// one.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

#include "runtime/ledger/queue/queue_command.hpp"

namespace argosy::ledger {

class selection_parts {
 public:
  /// `ids` are the jobs that satisfied the conditions of `which` when the change began. Later parts
  /// look at the conditions again, since jobs go on meanwhile; jobs that are new are left alone.
  selection_parts(job_selection which, std::vector<ulid> ids, std::size_t jobs_max)
      : which_(std::move(which)), ids_(std::move(ids)), jobs_max_(jobs_max) {}

  /// How long a part should take from its decision until it is durable, others included that the
  /// log takes before it.
  static constexpr std::chrono::milliseconds part_time_aim{60};
  /// Smaller parts would cost more than they let in between.
  static constexpr std::size_t smallest_share = 5;

  [[nodiscard]] bool all_taken() const noexcept { return next_ == ids_.size(); }
  [[nodiscard]] std::size_t size() const noexcept { return ids_.size(); }
  /// Takes the next part; there must be one.
  [[nodiscard]] job_selection take() {
    const auto count = std::min(jobs_, ids_.size() - next_);
    const auto from = ids_.begin() + static_cast<std::ptrdiff_t>(next_);
    auto part = which_;
    part.ids.assign(from, from + static_cast<std::ptrdiff_t>(count));
    next_ += count;
    return part;
  }
  /// A part took so long to become durable. The parts that are taken from now on are at least a
  /// fifth of `jobs_max`, and at most that.
  void took(std::chrono::nanoseconds time) {
    const auto least = std::max<std::size_t>(jobs_max_ / smallest_share, 1);
    const auto next = time > part_time_aim ? jobs_ - (jobs_ + 3) / 4 : jobs_ + jobs_ / 8 + 1;
    jobs_ = std::clamp(next, least, jobs_max_);
  }

 private:
  job_selection which_;
  std::vector<ulid> ids_;
  std::size_t jobs_max_;
  std::size_t jobs_ = jobs_max_;
  std::size_t next_ = 0;
};

}  // namespace argosy::ledger
