// SPDX-License-Identifier: Apache-2.0
// This file declares what argosyd shows of its health, from before it has found its nats-server to
// its end.
#pragma once

#include <caf/actor_system.hpp>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "bins/argosyd/diagnostics.hpp"
#include "bins/argosyd/ground.hpp"
#include "bins/argosyd/hand_over.hpp"
#include "bins/argosyd/options.hpp"
#include "bins/shared/machine_watch.hpp"
#include "runtime/base/result.hpp"
#include "runtime/bus/connection.hpp"
#include "runtime/eventlog/log_load.hpp"
#include "runtime/health/health_server.hpp"
#include "runtime/ledger/claim_policy.hpp"
#include "runtime/metrics/board.hpp"
#include "runtime/rest/changed_names.hpp"

namespace argosy::argosyd {

/// What the parts of the process tell of themselves, for the main thread and for the threads that
/// answer health requests. It may be used from any thread.
class outcome {
 public:
  /// Where all parts show their figures.
  const std::shared_ptr<metrics::board> probes = metrics::make_board();
  /// By which names the HTTP endpoint may be called.
  const std::shared_ptr<health::host_names> names = std::make_shared<health::host_names>();
  /// Whether an operator wants another plane to lead.
  const std::shared_ptr<hand_over_wish> hand_over = std::make_shared<hand_over_wish>();

  /// Forgets a claim that failed, with the figures of its actors, which must have ended.
  void begin();
  void set_epoch(model::epoch epoch);
  /// The first failure counts.
  void set_failure(const std::string& why);
  /// The failure that follows is an error of the program.
  void set_crashed();
  /// Another process has claimed the lead, which is why this one ends.
  void set_rival(ledger::leader_standing who);
  [[nodiscard]] std::optional<ledger::leader_standing> rival();
  /// Tells why there is no connection yet.
  void set_waiting(const std::string& why);
  /// Tells why this process does not lead.
  void set_standby(const std::string& why);
  [[nodiscard]] model::epoch epoch();  ///< 0 while this process does not lead.
  /// The process serves in safe mode.
  void set_safe_mode();
  void set_connection(std::shared_ptr<bus::connection> connection);
  [[nodiscard]] std::shared_ptr<bus::connection> connection();  ///< Null until there was one.
  /// Takes from the settings by which names the HTTP endpoint may be called from now on.
  void set_names(const settings::argosyd_settings& from);
  /// From now on the log's answers are part of being ready.
  void set_load(std::shared_ptr<eventlog::log_load> load);
  /// Tells of the disk of the nats-server's log, by which new commands are refused.
  void set_log_disk(std::uint64_t free_bytes, std::uint64_t bytes);
  /// Tells of the room of the log's account on the nats-server, and returns how full the log counts
  /// as by that.
  eventlog::fill set_log_account(std::uint64_t free_bytes, std::uint64_t bytes);
  /// The position of the last record that the views have; nothing while this process does not lead.
  [[nodiscard]] std::optional<std::uint64_t> position();
  /// Where jobs have changed behind a position.
  [[nodiscard]] rest::changed_names changed(std::uint64_t since);

  /// Whether the actors lead or have failed.
  [[nodiscard]] bool decided();
  [[nodiscard]] std::optional<std::string> failed();
  [[nodiscard]] bool crashed();
  /// Whether this process has led.
  [[nodiscard]] bool led();
  /// These fail with the reason while it is not so.
  [[nodiscard]] result<void> leads();
  [[nodiscard]] result<void> connected();
  [[nodiscard]] result<void> decides();
  [[nodiscard]] result<void> log_answers();
  /// Whether new commands are refused for want of room that readers keep in the store.
  [[nodiscard]] bool readers_fill_store();

  /// The checks of /readyz, and what looks at the surroundings. Both must live until no_concerns().
  void set_concerns(std::vector<health::check> ready, const machine_watch& watch);
  void no_concerns();
  /// What is wrong with this process: the checks of /readyz that fail, and what the watch found.
  [[nodiscard]] health::concerns concerns();

 private:
  std::mutex mutex_;
  std::optional<model::epoch> epoch_;
  std::optional<std::string> failure_;
  std::optional<ledger::leader_standing> rival_;
  bool crashed_ = false;
  bool safe_mode_ = false;
  std::string waiting_ = "no connection yet";
  std::string standby_;
  std::shared_ptr<bus::connection> connection_;
  std::shared_ptr<eventlog::log_load> load_;
  std::vector<health::check> ready_;
  const machine_watch* watch_ = nullptr;
};

/// Serves health and metrics; returns nothing if the settings have switched that off. The store
/// must be open. All arguments must outlive the server. `more` are further pages, or null.
[[nodiscard]] result<std::unique_ptr<health::server>> start_health(
    const options& chosen, ground& seams, outcome& told, const diagnostics& helps,
    caf::actor_system& system, std::shared_ptr<health::pages> more);

/// The checks of /readyz. All arguments must outlive them.
[[nodiscard]] std::vector<health::check> ready_checks(ground& seams, outcome& told,
                                                      const diagnostics& helps);

/// Starts what looks at disk, store and certificates. All arguments must outlive it.
[[nodiscard]] std::unique_ptr<machine_watch> watch_machine(const options& chosen, ground& seams,
                                                           outcome& told);

/// Returns the sources from which /metrics is written, in the order in which it shows them.
[[nodiscard]] std::vector<std::shared_ptr<const prometheus::Collectable>> metric_sources(
    const settings::health_settings& settings, const outcome& told);

}  // namespace argosy::argosyd
