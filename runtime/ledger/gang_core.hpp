// SPDX-License-Identifier: Apache-2.0
// The gang_core keeps the members of one gang. They are collected until the gang is complete, then
// started and ended together. A gang's members are counted here and nowhere else. A GANG owns it;
// it is not thread-safe. Everything that the core knows follows from the live jobs of the queue, so
// that it needs no record of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/ulid.hpp"
#include "runtime/model/job.hpp"

namespace argosy::ledger {

/// A live member as a QUEUE finds it at recovery.
struct gang_member {
  ulid job;
  bool placed = false;  ///< It has a live run.
  bool ran = false;     ///< It has had a run.
};

/// What one decision of the QUEUE changed in a gang. A GANG hears of it once it is durable.
struct gang_changed {
  std::shared_ptr<const model::gang_info> gang;
  std::vector<ulid> joined;
  std::vector<ulid> started;   ///< The members that now have a live run.
  std::vector<ulid> requeued;  ///< The members whose runs came back, so that they wait again.
  std::vector<ulid> ended;
  bool last = false;  ///< No member is left; the GANG ends.
  /// Nobody waits for further members any more: the gang goes on with those that it has.
  bool settled = false;
};

/// How a gang stands, as the GANG tells it to its QUEUE.
struct gang_report {
  std::string gang;
  /// The sizes that hold now: after the first run, members that have ended are not missed.
  std::shared_ptr<const model::gang_info> sizes;
  /// Whether all members are there and wait, so that a round may place them.
  bool open = false;
  /// The live members for which the report holds, by id. A QUEUE that has other members by now
  /// ignores the report, since the next one is under way.
  std::vector<ulid> members;
};

/// The sizes that hold for a gang with `live` members. A gang waits for all declared members until
/// it is `settled`, by its first run or since it has waited long enough; afterwards those that are
/// not there are not missed.
[[nodiscard]] model::gang_info gang_sizes(const model::gang_info& declared, std::size_t live,
                                          bool settled);

/// Whether `placed` of the `waiting` members may start and the rest be rejected. `sizes` is what
/// gang_sizes() gave.
[[nodiscard]] bool gang_may_start(const model::gang_info& sizes, std::size_t waiting,
                                  std::size_t placed) noexcept;

/// A gang that has not run and waits for members that are not there: they were never submitted, or
/// have ended.
struct gang_wait {
  std::size_t live = 0;
  std::uint32_t cardinality = 0;
  std::uint32_t minimum = 0;
  /// It still waits so long; negative: for ever. The wait begins anew with each member that comes,
  /// when the gang is released, and when the server that keeps it starts.
  std::int64_t left_ns = -1;
};

/// Says what is there, what is missing and what comes of it, in a sentence without a full stop.
[[nodiscard]] std::string to_string(const gang_wait& wait);

class gang_core {
 public:
  explicit gang_core(std::shared_ptr<const model::gang_info> declared);

  /// A live member found at recovery.
  void restore(const gang_member& member);
  /// Repeats and unknown jobs change nothing.
  void change(const gang_changed& what);

  /// What the QUEUE has to be told. Nothing while it knows the sizes and, if the gang is open, the
  /// members.
  [[nodiscard]] std::optional<gang_report> take_report();

  /// Whether all members are there, or no others are waited for.
  [[nodiscard]] bool complete() const noexcept;
  [[nodiscard]] std::size_t live_count() const noexcept { return members_.size(); }
  [[nodiscard]] std::size_t placed_count() const noexcept { return placed_; }
  /// The number of members that still have to come before the gang can start.
  [[nodiscard]] std::size_t missing() const noexcept;

 private:
  void start(const ulid& job);
  void requeue(const ulid& job);
  void end(const ulid& job);

  std::shared_ptr<const model::gang_info> declared_;
  std::map<ulid, bool> members_;  ///< The live members, and whether each is placed.
  std::size_t placed_ = 0;
  bool settled_ = false;  ///< It has run, or does not wait for further members.

  // What the QUEUE was told last; at first it assumes a closed gang of the declared sizes.
  std::shared_ptr<const model::gang_info> told_sizes_;
  bool told_open_ = false;
};

}  // namespace argosy::ledger
