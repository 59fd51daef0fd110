// SPDX-License-Identifier: Apache-2.0
// The runs that have a living shim, or just had one. Belongs to the backend's thread.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/backends/backend.hpp"
#include "runtime/backends/process/retention.hpp"
#include "runtime/backends/process/run_facts.hpp"
#include "runtime/backends/process/run_folder.hpp"
#include "runtime/backends/process/storage_policy.hpp"
#include "runtime/backends/process/work_thread.hpp"

namespace argosy::backends {

class live_runs {
 public:
  live_runs(work_thread& thread, std::filesystem::path runs_dir, std::filesystem::path shim,
            retention kept, std::chrono::milliseconds shim_patience, event_sink sink);
  ~live_runs();
  live_runs(const live_runs&) = delete;
  live_runs& operator=(const live_runs&) = delete;

  using gone_taker = std::function<void(const model::run_key&, std::optional<std::uint32_t>)>;
  /// Is called with the user of each run of which nothing is alive any more.
  void on_gone(gone_taker call) { gone_ = std::move(call); }

  /// Makes the folder, starts the shim and follows it. Every outcome is told through the sink.
  /// Returns false if no shim was started.
  bool start(const model::run_key& run, const shim_plan& plan);

  /// Runs whose shims do not end them by this lease are killed.
  void renew(const model::run_lease& lease);

  /// Follows a shim that an earlier agent started.
  void follow(const model::run_key& run, shim_process shim, bool running, const shim_plan& plan);

  void stop(const model::run_key& run, stop_order order);
  void stop_all(const std::string& message);
  void forget(const model::run_key& run);

  /// The live runs, with what each may store.
  [[nodiscard]] std::vector<storing_run> storing() const;
  /// Ends a run for what it stores, without grace, and removes its working directory.
  void end_for_storage(const storage_end& why);
  /// Has folders of ended runs removed until the condition holds. Returns false if there are none.
  bool make_room(std::function<bool()> enough);

  /// Whether no shim lives. It may also be called after the thread has ended.
  [[nodiscard]] bool empty() const noexcept { return runs_.empty(); }
  /// Passes an event on that the owner made.
  void tell(run_event event);

 private:
  struct live_run {
    shim_process shim;
    run_facts facts;
    bool running = false;
    int watch = -1;  ///< The watch on the folder, until the command is known to run.
  };

  [[nodiscard]] std::filesystem::path folder_of(const model::run_key& run) const;
  void watch_folder(const model::run_key& run, live_run& live);
  void unwatch_folder(live_run& live);
  void on_folder_events();
  void check_started(const model::run_key& run);
  void on_shim_end(const model::run_key& run);
  void finish_lost(const model::run_key& run, const run_facts& facts);
  void let_go(const model::run_key& run, const run_facts& facts);
  void arm_enforcement();
  void enforce_lease();
  void force_stop(const model::run_key& run);

  work_thread& thread_;
  std::filesystem::path runs_dir_;
  std::filesystem::path shim_;
  retention kept_;  ///< Belongs to disk_.
  std::atomic<std::size_t> kept_count_ = 0;
  /// Counts and removes folders, which may hold millions of files: meanwhile leases are renewed.
  work_thread disk_;
  std::chrono::milliseconds shim_patience_;
  event_sink sink_;
  gone_taker gone_;
  std::optional<model::run_lease> lease_;
  bool enforcement_armed_ = false;
  unique_fd inotify_;
  std::unordered_map<model::run_key, live_run> runs_;
  std::unordered_map<int, model::run_key> watches_;
};

}  // namespace argosy::backends
