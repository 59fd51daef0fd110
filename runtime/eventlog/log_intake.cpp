// SPDX-License-Identifier: Apache-2.0
#include "runtime/eventlog/log_intake.hpp"

#include <algorithm>
#include <string>

namespace argosy::eventlog {

namespace {

/// What argosyd init writes.
constexpr std::size_t usual_payload = 8 << 20;

}  // namespace

result<void> log_intake::takes_what_waits() const {
  if (too_long_ == 0) return {};
  return fail(ec::out_of_space,
              "a record of " + std::to_string(too_long_) +
                  " bytes waits for the log, and its nats-server takes at most " +
                  std::to_string(record_bytes_max_) + " bytes: raise the server's max_payload to " +
                  std::to_string(std::max<std::size_t>(usual_payload, 2 * too_long_)) +
                  " and have it read its configuration");
}

result<void> log_intake::takes_records() const {
  if (full_)
    return fail(ec::out_of_space,
                "the log is full, so that nothing new can be accepted: raise "
                "journal.logBytesMax of argosyd and start it again");
  return takes_what_waits();
}

}  // namespace argosy::eventlog
