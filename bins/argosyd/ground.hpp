// SPDX-License-Identifier: Apache-2.0
// The ground on which the actors of argosyd stand: data directory, NATS, log and store. Here the
// implementations behind the seams are chosen.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bins/argosyd/dev_access.hpp"
#include "bins/argosyd/options.hpp"
#include "messages/codec/log/batch_mac.hpp"
#include "messages/view/recovery/recovered_state.hpp"
#include "runtime/access/order_key.hpp"
#include "runtime/base/result.hpp"
#include "runtime/bus/connection.hpp"
#include "runtime/bus/server/private_server.hpp"
#include "runtime/eventlog/event_log.hpp"
#include "runtime/eventlog/jetstream/jetstream_log.hpp"
#include "runtime/logging/log_clock.hpp"
#include "runtime/store/data_dir.hpp"
#include "runtime/store/database.hpp"

namespace argosy::argosyd {

/// The seams on which the actors stand.
struct ground {
  std::optional<store::data_dir> dir;
  std::unique_ptr<bus::private_server> nats_server;
  /// The keys of the private server.
  std::optional<dev_access> keys;
  std::string url;
  std::shared_ptr<bus::connection> connection;
  eventlog::jetstream_settings log_settings;  ///< How `log` was opened.
  std::shared_ptr<eventlog::event_log> log;
  std::shared_ptr<const codec::log_key> log_key;
  /// Signs the orders to agents, if the credentials of this process have a seed for it.
  std::optional<access::order_signer> order_signer;
  std::shared_ptr<store::database> database;
  /// The clock of all actors; it begins when the log's newest time is known.
  std::unique_ptr<logging::log_clock> clock;

  /// Opens what is on this machine: the data directory, the store, the key of the log and a private
  /// nats-server. An error says what to set.
  result<void> open(const options& chosen);
  /// Joins the nats-server and its log. May be called again after it failed. An error says what to
  /// set or to start; ec::unreachable and ec::timeout may pass by themselves.
  result<void> connect(const options& chosen);
  /// Reads the seed by which orders are signed. Says in the log if there is none.
  result<void> read_order_seed(const settings::nats_settings& from);
  /// Makes the clock. `recovered` has the newest time of the log and the last mark of the process
  /// before, which count for nothing against the wall clock if `trust_wall_clock`.
  void start_clock(const view::recovered_state& recovered, boot_time client_id_retention,
                   bool trust_wall_clock);
  /// Closes what is open. No actor may live any more.
  void close();
};

}  // namespace argosy::argosyd
