// SPDX-License-Identifier: Apache-2.0
// The members of one gang: collected until complete, then started and ended together. Owned by a
// GANG; not thread-safe. Everything it knows follows from the live jobs of its queue, so it needs
// no record of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "runtime/base/ulid.hpp"
#include "runtime/model/job.hpp"

namespace argosy::ledger {

/// What the GANG has to do after a change.
enum class gang_signal : std::uint8_t {
  none,
  ready,  ///< Tell the QUEUE: all members are there and wait.
  done,   ///< The last member has ended: retire.
};

/// The sizes that hold for a gang with `live` members. Before its first run a gang waits for all
/// declared members; afterwards those that have ended are not missed.
[[nodiscard]] model::gang_info gang_sizes(const model::gang_info& declared, std::size_t live,
                                          bool ran);

/// Whether `placed` of the `waiting` members may start and the rest be rejected. `sizes` is what
/// gang_sizes() gave.
[[nodiscard]] bool gang_may_start(const model::gang_info& sizes, std::size_t waiting,
                                  std::size_t placed) noexcept;

class gang_core {
 public:
  explicit gang_core(model::gang_info info) : info_(std::move(info)) {}

  // Repeats and unknown jobs change nothing and give `none`.
  gang_signal member(const ulid& job);
  /// The job has a live run.
  gang_signal started(const ulid& job);
  /// The run came back; the job waits again.
  gang_signal requeued(const ulid& job);
  gang_signal ended(const ulid& job);

  /// A live member found at recovery. Call signal() once when all are in.
  void restore(const ulid& job, bool placed, bool ran);
  /// What the present state asks for.
  [[nodiscard]] gang_signal signal() const;

  [[nodiscard]] const model::gang_info& info() const noexcept { return info_; }
  /// All members are there, or it ran before.
  [[nodiscard]] bool complete() const noexcept;
  [[nodiscard]] std::size_t live_count() const noexcept { return members_.size(); }
  [[nodiscard]] std::size_t placed_count() const noexcept { return placed_; }
  /// Members still to come before it can start.
  [[nodiscard]] std::size_t missing() const noexcept;

 private:
  model::gang_info info_;
  std::map<ulid, bool> members_;  ///< Whether it is placed.
  std::size_t placed_ = 0;
  bool ran_ = false;
};

}  // namespace argosy::ledger
