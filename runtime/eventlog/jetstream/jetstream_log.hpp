// SPDX-License-Identifier: Apache-2.0
// This file declares the log as JetStream streams, one of one subject for each generation, over a
// NATS connection of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "runtime/bus/nats/settings.hpp"
#include "runtime/eventlog/event_log.hpp"
#include "runtime/eventlog/generation_keeper.hpp"

namespace argosy::eventlog {

struct jetstream_settings {
  bus::nats_settings nats{};
  /// The generation follows in both names, in four digits or more.
  std::string stream_prefix{"ARGOSY_LOG_"};
  std::string subject_prefix{"argosy.log."};
  /// The size at which all generations together refuse more. It should be reached well before the
  /// disk is full, since the server hangs then. A stream that exists gets by apply_limits() what
  /// the others do not hold.
  std::uint64_t max_bytes = 16ull << 30;
  /// The number of copies in a cluster of servers, for a stream that is created.
  std::uint32_t replicas = 1;
  /// The largest message with its headers, in bytes.
  std::uint32_t max_message_bytes = 8u << 20;
  /// The longest time for one exchange with the server.
  std::chrono::milliseconds call_limit{3'000};
  /// The longest time for append() with its retries.
  std::chrono::milliseconds append_limit{10'000};
};

/// Connects, and creates nothing. Fails as connect_nats() does, and with ec::unavailable when the
/// server runs without JetStream.
[[nodiscard]] result<std::unique_ptr<event_log>> open_jetstream(const jetstream_settings& settings);

/// Opens a connection of its own, as open_jetstream() does, to look after generations.
[[nodiscard]] result<std::unique_ptr<generation_keeper>> open_keeper(
    const jetstream_settings& settings);

}  // namespace argosy::eventlog
