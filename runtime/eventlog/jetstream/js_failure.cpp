// SPDX-License-Identifier: Apache-2.0
#include "runtime/eventlog/jetstream/js_failure.hpp"

namespace argosy::eventlog {

namespace {

/// A record with this message id is being taken in, as "duplicate message id is in process" says.
/// The library has no name for it.
constexpr int id_in_process = 10158;

}  // namespace

bool js_failure::ambiguous() const {
  if (static_cast<int>(code) == id_in_process) return true;
  switch (status) {
    case NATS_TIMEOUT:
    case NATS_NO_RESPONDERS:
    case NATS_CONNECTION_DISCONNECTED:
    case NATS_CONNECTION_CLOSED:
    case NATS_STALE_CONNECTION:
    case NATS_IO_ERROR:
      return true;
    default:
      return false;
  }
}

std::optional<error> js_failure::known_error(const std::string& sentence,
                                             std::uint64_t bytes_max) const {
  switch (static_cast<int>(code)) {
    case JSStreamNotFoundErr:
      return error{ec::not_found, sentence};
    case JSStreamStoreFailedErr:
    case JSStorageResourcesExceededErr:
    case JSInsufficientResourcesErr:
    case JSAccountResourcesExceededErr:
      return error{ec::out_of_space, sentence + "; its limit is " + std::to_string(bytes_max) +
                                         " bytes: raise journal.logBytesMax and start argosyd "
                                         "again, or give the server more disk"};
    case JSStreamMessageExceedsMaximumErr:
      return error{ec::too_large, sentence};
    case JSNotEnabledErr:
    case JSNotEnabledForAccountErr:
      return error{ec::unavailable, sentence + "; start nats-server with JetStream"};
    case JSClusterNotAvailErr:
      return error{ec::unreachable, sentence + "; its servers have not found each other yet"};
    default:
      return std::nullopt;
  }
}

}  // namespace argosy::eventlog
