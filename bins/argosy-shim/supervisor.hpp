// SPDX-License-Identifier: Apache-2.0
// Watches one command from its start until none of its processes is left: deadline, lease, orders
// to stop, output, end. It has one thread, which sleeps in poll(), and does not need the agent.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

#include "bins/argosy-shim/command.hpp"
#include "bins/argosy-shim/output_file.hpp"
#include "runtime/backends/run/ending_core.hpp"
#include "runtime/backends/run/records.hpp"
#include "runtime/base/clock.hpp"

namespace argosy::shim {

class supervisor {
 public:
  /// The signals that it waits for must be blocked already, see block_signals(). `records` is a
  /// path to the folder that stays right when the folder is renamed; `lock` is the run's lock file,
  /// see backends::shim_executes.
  supervisor(const backends::shim_plan& plan, std::filesystem::path folder,
             std::filesystem::path records, int lock);

  /// Runs the command to its end, or says why it was not started. It may be called only once.
  [[nodiscard]] backends::shim_status run();

  static void block_signals();

 private:
  [[nodiscard]] backends::shim_status not_started(std::string reason, std::string message) const;
  [[nodiscard]] std::optional<backends::shim_status> obstacle();
  void write_started();
  void prepare_cgroup();
  void remove_groups() const;
  void loop();
  void wait_for_events();
  void take_output(bool out, bool err);
  void on_signals();
  void on_time(boot_time now);
  void on_stop_order();
  void send(backends::run_signal signal);
  void kill_all() const;
  void reap();
  void note_end(int status_of_init);
  void tell_dead_by();
  void arm_timer();
  void finish();
  [[nodiscard]] bool all_gone() const;
  const backends::container_end* note_containers(backends::shim_status& to) const;
  [[nodiscard]] backends::shim_status outcome() const;

  const backends::shim_plan& plan_;
  std::filesystem::path folder_;
  std::filesystem::path records_;
  std::filesystem::path lease_file_;
  int lock_;
  output_file output_;
  running_command command_;
  backends::unique_fd signals_;
  backends::unique_fd timer_;
  backends::unique_fd wall_set_;  ///< Readable when somebody has set the wall clock.
  std::vector<std::string> notes_;
  std::int64_t started_ns_ = 0;
  std::optional<model::run_lease> lease_;        ///< Nothing when the run does not end by a lease.
  std::optional<backends::ending_core> ending_;  ///< This is set before the command runs.
  std::optional<int> wait_status_;  ///< The status of the command itself, once it has ended.
  boot_time told_dead_by_{};        ///< The time that the init was told last.
  bool reported_ = false;           ///< The init said how the command ended.
  bool lapsed_ = false;             ///< The init ended the run by its lease.
  bool children_left_ = true;
};

}  // namespace argosy::shim
