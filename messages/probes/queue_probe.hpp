// SPDX-License-Identifier: Apache-2.0
// The queue_probe has the figures of the QUEUEs: those of all together, and those of each queue.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "runtime/ledger/queue/queue_core.hpp"
#include "runtime/metrics/board.hpp"

namespace argosy::probes {

/// The figures of one queue. Its QUEUE writes them and any thread reads them.
struct queue_figures {
  std::string queue;
  std::atomic<bool> exists{false};  ///< Queues that were deleted are not shown.
  /// The live jobs in the order of model::job_state, and those that have ended in the order of
  /// queue_probe::ends.
  std::array<std::atomic<std::uint64_t>, 4> live{};
  std::array<std::atomic<std::uint64_t>, 5> ended{};
  std::atomic<std::uint64_t> held{0};     ///< How many of the queued jobs are held.
  std::atomic<std::uint64_t> blocked{0};  ///< How many of them no pool could take.
  std::atomic<std::uint64_t> unfit{0};    ///< How many such jobs were rejected.
  std::atomic<std::uint64_t> used_cpu_ms{0};

  void set_sums(std::shared_ptr<const ledger::queue_sums> sums) {
    const std::lock_guard lock{mutex_};
    sums_ = std::move(sums);
  }
  [[nodiscard]] std::shared_ptr<const ledger::queue_sums> sums() const {
    const std::lock_guard lock{mutex_};
    return sums_;
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const ledger::queue_sums> sums_;  ///< Guarded by mutex_.
};

class queue_probe final : public metrics::probe {
 public:
  /// Names of queues are labels. Of more queues than this, only those with the most live jobs are
  /// shown one by one.
  static constexpr std::size_t queues_max = 1000;
  static constexpr std::array ends = {model::job_state::succeeded, model::job_state::failed,
                                      model::job_state::preempted, model::job_state::cancelled,
                                      model::job_state::rejected};

  queue_probe() : probe("queue") {}

  static constexpr const char* jobs_name = "argosy_queue_jobs";
  static constexpr const char* jobs_help = "Live jobs of all queues by state.";

  metrics::gauge queued{*this, jobs_name, jobs_help, {{"state", "queued"}}};
  metrics::gauge leased{*this, jobs_name, jobs_help, {{"state", "leased"}}};
  metrics::gauge pending{*this, jobs_name, jobs_help, {{"state", "pending"}}};
  metrics::gauge running{*this, jobs_name, jobs_help, {{"state", "running"}}};
  metrics::gauge held{*this, "argosy_held_jobs",
                      "Queued jobs of all queues that somebody holds back."};

  void add(const queue_figures& one);
  void remove(const queue_figures& one);

 protected:
  void collect(metrics::family_list& out) const override;

 private:
  mutable std::mutex mutex_;
  std::set<const queue_figures*> queues_;  ///< Guarded by mutex_.
};

/// This is what one QUEUE contributes to the figures of all.
class queue_share {
 public:
  queue_share(metrics::board& board, const ledger::queue_core& core);
  ~queue_share();
  queue_share(const queue_share&) = delete;
  queue_share& operator=(const queue_share&) = delete;

  void show(const ledger::queue_core& core) noexcept;
  [[nodiscard]] metrics::figure_list figures(const ledger::queue_core& core) const;

 private:
  std::shared_ptr<queue_probe> whole_;
  queue_figures own_;
  metrics::portion queued_{whole_->queued};
  metrics::portion leased_{whole_->leased};
  metrics::portion pending_{whole_->pending};
  metrics::portion running_{whole_->running};
  metrics::portion held_{whole_->held};
};

}  // namespace argosy::probes
