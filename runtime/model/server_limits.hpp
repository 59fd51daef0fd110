// SPDX-License-Identifier: Apache-2.0
// How much a control plane takes on at a time. Settings fill these structs and hand them whole to
// the actors that obey them; the values here are the defaults of both.
#pragma once

#include <chrono>
#include <cstdint>

#include "runtime/model/byte_size.hpp"

namespace argosy::model {

/// How long a request to the NATS server or between actors may take.
inline constexpr std::chrono::milliseconds request_timeout_default{30'000};

/// How often the steps of traces are collected from the threads that recorded them.
inline constexpr std::chrono::milliseconds trace_collect_period_default{100};

/// The limits of the API.
struct request_limits {
  byte_size request_bytes_max{8 << 20};  ///< The largest size of one request.
  std::uint32_t unanswered_max = 256;    ///< How many requests are worked on at a time.
  std::uint32_t reason_bytes_max = 50;   ///< The largest size of the reason given for a cancel.
  std::uint32_t query_items_max = 500;   ///< How many jobs one query may name.
  std::uint32_t watches_max = 10'000;    ///< How many event streams may be open.
};

/// The limits of the log.
struct log_limits {
  /// The size of one batch; it is larger only if one change needs that.
  byte_size batch_bytes_max{512 << 10};
  /// The size of changes that are not written yet; above it new commands are refused as overload.
  byte_size waiting_bytes_max{64 << 20};
};

}  // namespace argosy::model
