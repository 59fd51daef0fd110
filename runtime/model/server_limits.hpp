// SPDX-License-Identifier: Apache-2.0
// What a control plane takes upon itself at a time. Settings fill these structs and hand them whole
// to the actors that keep to them; the values here are the defaults of both.
#pragma once

#include <cstdint>

#include "runtime/model/byte_size.hpp"

namespace argosy::model {

/// Of the API.
struct request_limits {
  byte_size request_bytes_max{8 << 20};  ///< Of one request.
  std::uint32_t unanswered_max = 256;    ///< Requests that are worked on at a time.
  std::uint32_t reason_bytes_max = 50;   ///< Of the reason given for a cancel.
  std::uint32_t query_items_max = 500;   ///< Jobs that one query may name.
  std::uint32_t watches_max = 10'000;    ///< Open event streams.
};

/// Of the log.
struct log_limits {
  byte_size batch_bytes_max{512 << 10};   ///< Of one batch; more only if one change needs it.
  byte_size waiting_bytes_max{64 << 20};  ///< Of changes not written yet; beyond it: overload.
};

}  // namespace argosy::model
