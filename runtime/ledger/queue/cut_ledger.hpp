// SPDX-License-Identifier: Apache-2.0
// The cut_ledger is what a QUEUE has yet to tell the COORDINATOR. It keeps the newest committed
// state of each changed job until a cut hands it out. A cut that did not arrive is handed out again
// with the next one. A QUEUE owns it; it is not thread-safe.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <optional>

#include "runtime/base/ulid.hpp"
#include "runtime/ledger/queue/queue_core.hpp"

namespace argosy::ledger {

class cut_ledger {
 public:
  /// Takes the changes of a batch that was committed at the log position `at`.
  void publish(const queue_delta& delta, model::log_position at) { publish(delta, at, true); }
  /// Takes what a GANG's report changed, which is no event. `at` is the position of the last
  /// commit.
  void publish_report(const queue_delta& delta, model::log_position at) {
    publish(delta, at, false);
  }

  /// Whether the COORDINATOR has to be told that there is something to cut. It is told once for
  /// each cut.
  [[nodiscard]] bool take_notice() noexcept;

  /// The jobs that changed since the last cut that arrived, in their state at the log position
  /// `at`. When a job changed both before and after `at`, only its later state is known, and
  /// holding that back could hide a lease; then the cut has all changes up to the last commit. The
  /// changes are kept until arrived() is called.
  [[nodiscard]] std::shared_ptr<const job_changes> cut(model::log_position at);

  /// Which changes the last cut has.
  [[nodiscard]] const cut_range& last_range() const noexcept { return range_; }

  /// The last cut has arrived.
  void arrived() noexcept { last_.reset(); }
  /// Whether the COORDINATOR has everything, and was not told to ask for more.
  [[nodiscard]] bool all_arrived() const noexcept {
    return waiting_.empty() && !last_ && !news_ && !told_;
  }

 private:
  struct waiting_job {
    model::log_position since{};     ///< The position of the first change; 0: a lost cut had it.
    model::log_position position{};  ///< The position of the last change.
    model::log_position event{};    ///< The position of the first event; 0: it changed without any.
    std::optional<job_upsert> set;  ///< The newest state; nothing when the job was removed.
  };

  void take_back_last();
  void publish(const queue_delta& delta, model::log_position at, bool by_event);
  waiting_job& put(const ulid& job, model::log_position at, std::optional<job_upsert> set);

  absl::flat_hash_map<ulid, waiting_job> waiting_;
  std::shared_ptr<const job_changes> last_;  ///< The last cut, until it is known to have arrived.
  cut_range range_;                          ///< That of the last cut.
  model::log_position lost_since_{};      ///< That of a cut that was taken back; 0: there is none.
  model::log_position settings_since_{};  ///< When the settings changed first; 0: they have not.
  model::log_position published_{};       ///< The position of the last commit.
  bool news_ = false;                     ///< Something changed since the last cut.
  bool told_ = false;                     ///< The COORDINATOR was told so.
};

}  // namespace argosy::ledger
