// SPDX-License-Identifier: Apache-2.0
// This file declares what /metrics shows of the log and the store.
#pragma once

#include <prometheus/collectable.h>

#include <memory>

#include "runtime/eventlog/log_load.hpp"
#include "runtime/store/database.hpp"

namespace argosy::argosyd {

///   argosy_log_position                    the last record that is durable and applied
///   argosy_log_bytes                       what the log takes, looked at each minute
///   argosy_log_bytes_max                   what the log may take
///   argosy_log_waiting_bytes               what is decided and not durable yet
///   argosy_log_full                        1 while the log refuses records for want of room
///   argosy_store_bytes                     what the store takes
///   argosy_store_bytes_max                 what the store may take
/// The database must outlive the collector.
[[nodiscard]] std::shared_ptr<const prometheus::Collectable> storage_metrics(
    std::shared_ptr<const eventlog::log_load> log, store::database& database);

}  // namespace argosy::argosyd
