// SPDX-License-Identifier: Apache-2.0
// Backend `simulated`: virtual nodes, and runs that only take time. Runs do not survive the agent.
// It has one thread, which sleeps until the next run ends. With manual time it has none, so that a
// test or the simulator decides when everything happens and in which order.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "runtime/backends/backend.hpp"
#include "runtime/backends/simulated/sim_plan.hpp"

namespace argosy::backends {

/// A number of equal nodes, named "<name>-1" and so on.
struct node_template {
  std::string name = "node";
  std::uint32_t count = 1;
  model::resource_list resources;
  model::label_list labels;
  std::vector<model::taint> taints;
};

struct simulated_config {
  std::vector<node_template> nodes;
  sim_defaults runs;
  /// Whether everything happens only in advance().
  bool manual_time = false;
  /// The boot time at first, with manual time.
  boot_time start{};
  /// Unix time at boot time zero, with manual time.
  std::int64_t wall_offset_ns = 1'700'000'000'000'000'000;
};

class simulated_backend final : public backend {
 public:
  simulated_backend(simulated_config config, event_sink sink);
  ~simulated_backend() override;

  /// With manual time: lets everything up to `now` happen, in order, and tells of it.
  void advance(boot_time now);
  /// When something happens next; nothing if nothing will. Zero if something waits to be told.
  [[nodiscard]] std::optional<boot_time> next_due() const;

  model::plan_contents wanted_plan() const override { return model::plan_contents::annotations; }
  /// No run survives, so that every known run is reported as one that never started.
  result<std::vector<run_event>> adopt(const std::vector<model::recorded_run>& known) override;
  void start(run_launch run) override;
  void stop(const model::stop_run& order, std::chrono::nanoseconds grace) override;
  void stop_all(const std::string& reason) override;
  /// Simulated runs end at once when the lease lapses, without a grace period.
  void renew(const model::run_lease& lease) override;
  void forget(const model::run_key&) override {}
  std::vector<model::node_info> nodes() const override;
  /// The output is always empty, and at its end once the run has ended.
  void read_log(const model::log_request& request, log_taker take) const override;
  void shutdown() override;

 private:
  struct sim_run {
    sim_plan plan;
    std::int64_t deadline_seconds = 0;
    bool keep_on_disconnect = false;
    boot_time next{};  ///< When it begins to run, then when it ends.
    bool running = false;
    bool too_long = false;  ///< The run ends by its deadline.
  };

  [[nodiscard]] boot_time now() const;
  [[nodiscard]] std::int64_t wall(boot_time when) const;
  void happen(boot_time until);
  void begin_or_end(boot_time when, const std::vector<model::run_key>& due);
  void begin(const model::run_key& run, sim_run& state, boot_time when);
  void end(const model::run_key& run, const sim_run& state, boot_time when);
  void end_by_lease();
  void add_event(const model::run_key& run, model::run_phase phase, model::run_outcome outcome,
                 boot_time when);
  void end_stopped(const model::run_key& run, const char* why, const std::string& message,
                   boot_time when);
  [[nodiscard]] std::optional<boot_time> next_due_locked() const;
  void wake();
  void work();

  const simulated_config config_;
  const event_sink sink_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  // mutex_ guards all members below.
  boot_time manual_now_{};
  bool stopping_ = false;
  boot_time lease_{};
  boot_time lapsed_ = boot_time::min();  ///< The last lease that has ended runs.
  std::unordered_map<model::run_key, sim_run> runs_;
  std::map<boot_time, std::vector<model::run_key>> due_;
  std::vector<run_event> untold_;
  std::thread thread_;
};

}  // namespace argosy::backends
