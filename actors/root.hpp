// SPDX-License-Identifier: Apache-2.0
// This file declares how the ROOT of a control plane is configured and spawned; its interface lists
// its messages. It spawns all actors in order, leads once the epoch is claimed, and ends the actors
// in order.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "actors/interfaces/interfaces.hpp"
#include "actors/rounds/round_rules.hpp"
#include "actors/spawn.hpp"
#include "messages/codec/submit/limits.hpp"
#include "messages/native/contact_board.hpp"
#include "messages/view/recovery/recovery.hpp"
#include "runtime/access/nats_caller.hpp"
#include "runtime/access/order_key.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/base/log_time.hpp"
#include "runtime/bus/connection.hpp"
#include "runtime/eventlog/event_log.hpp"
#include "runtime/eventlog/log_load.hpp"
#include "runtime/health/concern.hpp"
#include "runtime/ledger/armada/armada_rules.hpp"
#include "runtime/ledger/claim_policy.hpp"
#include "runtime/ledger/cycle_core.hpp"
#include "runtime/ledger/health/health_core.hpp"
#include "runtime/ledger/leader_core.hpp"
#include "runtime/ledger/node_core.hpp"
#include "runtime/ledger/retention.hpp"
#include "runtime/metrics/board.hpp"
#include "runtime/model/server_limits.hpp"
#include "runtime/scheduling/config.hpp"
#include "runtime/store/database.hpp"

namespace argosy::past {
class archive;
}  // namespace argosy::past

namespace argosy::actors {

struct root_config {
  // The seams that the actors use.
  std::shared_ptr<store::database> database;
  std::shared_ptr<eventlog::event_log> log;
  std::shared_ptr<const codec::log_key> log_key;
  std::optional<access::order_signer> order_signer;  ///< Nothing: orders are not signed.
  /// Null: there is no bus, in tests without a gateway.
  std::shared_ptr<bus::connection> connection;
  /// A connection inside this process, on which the API is served to transports that this process
  /// serves itself, such as gRPC. Null: there are none.
  std::shared_ptr<bus::connection> inner_connection;
  access::user_directory users;  ///< It knows the users of NATS.
  /// The clusters that executors of Armada may serve.
  std::vector<ledger::armada_cluster> armada_clusters;
  access::proof_check prove;  ///< Checks what they show beside a request; may be empty.
  const clock_source* clock = nullptr;
  /// Gives the mark of the log clock, which is stored with each batch; may be empty.
  std::function<clock_mark()> mark_clock;
  /// The board on which CLUSTERs write the contact with their agents; metrics read it as well.
  std::shared_ptr<native::contact_board> contacts = std::make_shared<native::contact_board>();
  /// Where the probes of all actors are; metrics read it as well.
  std::shared_ptr<metrics::board> probes = metrics::make_board();

  view::recovered_state recovered;
  view::state_rules rules;
  ledger::node_config node_rules;
  ledger::health_config health;
  /// A job that ends before a round is decided, since it does harm; it may be unknown.
  std::optional<ledger::harmful_job> set_aside;
  /// Queries and cancels are served, but nothing is accepted and no round is decided.
  bool safe_mode = false;
  std::shared_ptr<const scheduling::config> scheduling;
  round_rules rounds;
  std::uint64_t config_version = 0;
  /// Finds other scheduling settings while the process runs. Null: they cannot change.
  std::shared_ptr<native::settings_source> settings;
  std::shared_ptr<past::archive> archive;  ///< Null: rounds of the past cannot be explained.
  codec::submit_limits limits;
  std::string holder;
  native::plane_rules planes{};
  model::epoch granted{};          ///< The epoch that other planes have granted; 0: none.
  model::claim_nonce claim_nonce;  ///< A random number: no two processes may have the same.
  /// The id that a control plane gets whose log has none yet. No two control planes may have the
  /// same.
  std::string control_plane;
  std::string version;
  std::string commit;
  std::uint64_t seed = 0;
  ledger::cycle_times cycle;
  model::log_limits log_limits;
  /// ROOT makes it from the limits if it is null.
  std::shared_ptr<eventlog::log_load> load;
  model::request_limits request_limits;
  ledger::leader_times leader;
  std::chrono::milliseconds trace_collect_period = model::trace_collect_period_default;
  std::chrono::milliseconds request_timeout = model::request_timeout_default;
  ledger::retention_config retention;
  bool audit = true;  ///< Whether calls that change something are recorded.
  /// The time that each stage of the shutdown may take.
  std::chrono::milliseconds stop_deadline{1'000};
  /// Where the actors run that block or compute for long.
  run_on blocking_on = run_on::own_thread;

  /// Gives what /metrics shows; empty: nothing is shown.
  std::function<std::string()> metrics_text;
  /// Gives what is wrong with this process; empty: nobody asks. Any thread may call it.
  std::function<health::concerns()> concerns;

  /// Called once everything serves, on the thread of the ROOT.
  std::function<void(model::epoch epoch)> on_ready;
  /// Called when this process cannot lead (any more); the ROOT shuts down by itself.
  std::function<void(const std::string& why)> on_failure;
  /// Called before that if the reason is an exception in an actor, which is an error of the
  /// program.
  std::function<void()> on_crash;
  /// Called before that if the reason is another process's claim, on the thread of the JOURNAL.
  std::function<void(const ledger::leader_standing& who)> on_rival;
  /// Called when an operator wants this process to end its lead in order, on the thread of a
  /// GATEWAY; empty: it cannot.
  std::function<void(const std::string& heir)> on_hand_over;
  /// Called when there is a JOURNAL, which hears what other planes have; it may be empty.
  std::function<void(const journal_actor&)> on_journal;
};

[[nodiscard]] result<void> validate(const root_config& config);

/// The configuration must be valid.
root_actor spawn_root(caf::actor_system& system, root_config config);

}  // namespace argosy::actors
