// SPDX-License-Identifier: Apache-2.0
#include "messages/probes/log/journal_probe.hpp"

#include "messages/probes/kept_elsewhere.hpp"

namespace argosy::probes {

void journal_probe::collect(metrics::family_list& out) const {
  add_gauge(out, "argosy_log_position", "The last record of the log that is durable and applied.",
            log->position().value);
  add_gauge(out, "argosy_log_waiting_bytes", "What is decided and not durable yet.",
            log->waiting_bytes());
  add_gauge(out, "argosy_log_full", "1 while the log refuses records for want of room.",
            log->intake().is_full() ? 1 : 0);
  if (const auto account = log->log_account_room(); account.bytes_max != 0) {
    add_gauge(out, "argosy_log_account_bytes",
              "What all streams of the log's account take on the nats-server.", account.bytes);
    add_gauge(out, "argosy_log_account_bytes_max",
              "What the nats-server allows them; there is none without a limit.",
              account.bytes_max);
  }
  const auto room = log->log();
  if (room.bytes_max == 0) return;
  add_gauge(out, "argosy_log_bytes", "What the log takes; looked at each minute.", room.bytes);
  add_gauge(out, "argosy_log_bytes_max", "What the log may take.", room.bytes_max);
  add_gauge(out, "argosy_log_older_bytes",
            "What generations of the log that are not written any more take besides.",
            log->log_older_bytes());
  add_gauge(out, "argosy_log_records", "The records of the log's stream; counted as its bytes.",
            log->log_records());
}

}  // namespace argosy::probes
