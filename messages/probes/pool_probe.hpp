// SPDX-License-Identifier: Apache-2.0
// The pool_probe has what the last round of each pool said: the shares of the queues, what they
// have and want, and why jobs got no place. The EXPLAINER tells it of every plan. It stands apart
// from the round_probe, whose figures are few enough to be told in the state of the COORDINATOR.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "messages/native/round_report.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/metrics/histogram.hpp"
#include "runtime/metrics/probe.hpp"
#include "runtime/scheduling/config.hpp"
#include "runtime/scheduling/plan.hpp"

namespace argosy::probes {

class pool_probe final : public metrics::probe {
 public:
  /// Names of queues are labels. Of more queues than this in a pool, only those that want the most
  /// are shown.
  static constexpr std::size_t queues_max = 1000;

  pool_probe() : probe("pool") {}

  metrics::histogram_table durations{*this, "argosy_round_duration_seconds",
                                     "Time from the start of a round to its plan, by pool.",
                                     "pool"};
  metrics::histogram_table phases{*this, "argosy_round_phase_seconds",
                                  "Time that rounds were in a phase: changes are gathered "
                                  "(cutting), the plan is computed (deciding), its parts are made "
                                  "durable (placing), or an unwanted round has not ended (stuck).",
                                  "phase"};

  /// The reasons are shown of so many queues in a pool: those with the most jobs that got no place.
  static constexpr std::size_t stopped_queues_max = 200;

  /// A round of the pool that began at `begun` gave this plan after `took`. `figures` are those of
  /// the plan.
  void decided(const std::string& pool, const scheduling::plan& plan,
               const scheduling::config& config, const native::pool_round& figures, wall_time begun,
               std::chrono::nanoseconds took);
  /// Forgets what rounds of all other pools said, since only these pools get rounds now.
  void keep_only(const std::vector<model::pool_name>& pools);

 protected:
  void collect(metrics::family_list& out) const override;

 private:
  struct last_round;
  struct amount {
    double allocated = 0;
    double demand = 0;
  };
  struct queue {
    std::string name;
    double actual = 0;
    double fair = 0;
    double adjusted = 0;
    double demand = 0;
    double uncapped = 0;
    double weight = 0;
    /// Since when the queue has less than its adjusted share; the epoch: it has not.
    wall_time starved_since{};
    std::map<std::string, amount> amounts;  ///< The amounts by resource.
  };
  /// How many jobs of a queue got no place, by reason.
  struct stopped_queue {
    std::string name;
    std::uint64_t jobs = 0;
    std::vector<std::pair<std::string, std::uint64_t>> reasons;
  };
  struct last_round {
    wall_time begun{};
    double unfairness = 0;
    std::uint64_t tried = 0;  ///< The number of jobs that had their turn or were skipped.
    std::uint64_t placed = 0;
    std::uint64_t preempted = 0;
    std::uint64_t returned = 0;  ///< The number of jobs that were evicted and came back.
    std::map<std::string, std::uint64_t> unplaced;  ///< The number of jobs by reason.
    std::vector<stopped_queue> stopped;
    std::vector<queue> queues;
  };

  /// A queue starves while it lacks more than this part of the pool of its adjusted share.
  static constexpr double starved_above = 0.01;

  /// Why jobs got no place, by pool, and by pool and queue.
  void collect_unplaced(metrics::family_list& out) const;
  [[nodiscard]] static std::vector<stopped_queue> stopped_in(const native::pool_round& figures);
  static void note_starving(const last_round& before, last_round& now);
  [[nodiscard]] static queue figures_of(const scheduling::queue_figures& from,
                                        const scheduling::plan& plan,
                                        const scheduling::config& config);

  mutable std::mutex mutex_;
  std::map<std::string, last_round> rounds_;  ///< The last rounds by pool, guarded by mutex_.
};

}  // namespace argosy::probes
