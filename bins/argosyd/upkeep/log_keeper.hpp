// SPDX-License-Identifier: Apache-2.0
// This file declares the thread that keeps the log short while this process leads. It asks the
// JOURNAL to roll over, makes snapshots and has old generations emptied, as
// eventlog::next_step() decides. With several nats-servers it sees to it that another machine's
// leads the log.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "bins/argosyd/ground.hpp"
#include "bins/argosyd/options.hpp"
#include "bins/argosyd/upkeep/snapshots.hpp"
#include "messages/probes/log/journal_probe.hpp"
#include "runtime/eventlog/generation_keeper.hpp"
#include "runtime/eventlog/log_load.hpp"
#include "runtime/metrics/board.hpp"

namespace argosy::argosyd {

/// What other planes need before this process may lead.
struct snapshot_wish {
  /// The generation of which one needs a snapshot; 0: none does.
  std::shared_ptr<const std::atomic<std::uint32_t>> generation;
  /// Whether this process leads; nothing else is done before.
  std::function<bool()> leads;
};

class log_keeper {
 public:
  /// All but what is shared must outlive the object.
  log_keeper(const options& chosen, const ground& seams, std::shared_ptr<eventlog::log_load> load,
             metrics::board& probes, snapshot_wish wish);
  /// Ends what is under way; the next process does it again.
  ~log_keeper();
  log_keeper(const log_keeper&) = delete;
  log_keeper& operator=(const log_keeper&) = delete;

 private:
  void run();
  /// Does one step. Returns how long to wait for the next one.
  std::chrono::milliseconds step();
  result<void> open_keeper();
  /// Has another machine's nats-server lead the log than this one's, which is the first of the
  /// URLs.
  result<void> lead_elsewhere();
  result<eventlog::rollover_state> look();
  result<void> carry_out(const eventlog::rollover_step& next, const eventlog::rollover_state& seen);
  result<void> make_snapshot_now();
  result<void> serve_wanted();
  [[nodiscard]] bool stopping();

  const options& chosen_;
  const ground& seams_;
  std::shared_ptr<eventlog::log_load> load_;
  std::shared_ptr<probes::journal_probe> probe_;
  eventlog::rollover_rules rules_;
  snapshot_wish wish_;
  snapshot_shelf shelf_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<eventlog::generation_keeper> keeper_;
  std::string own_server_;  ///< The name of the nats-server of this machine; empty: not known.
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace argosy::argosyd
