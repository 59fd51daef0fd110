// SPDX-License-Identifier: Apache-2.0
// The journal_probe has the figures of the JOURNAL and of the log that it writes.
#pragma once

#include <memory>

#include "runtime/eventlog/log_load.hpp"
#include "runtime/metrics/probe.hpp"

namespace argosy::probes {

struct journal_probe final : metrics::probe {
  explicit journal_probe(std::shared_ptr<const eventlog::log_load> load)
      : probe("journal"), log(std::move(load)) {}

  metrics::counter appends{*this, "argosy_journal_appends_total",
                           "Decisions that were given to the JOURNAL."};
  metrics::gauge waiting{*this, "argosy_journal_appends_waiting",
                         "Decisions that are not durable yet."};
  metrics::counter batches{*this, "argosy_journal_batches_total",
                           "Batches that are durable and can be read."};
  metrics::counter retries{*this, "argosy_journal_retries_total",
                           "Times that the log did not take a batch, which was then tried again."};
  metrics::counter foreign{*this, "argosy_journal_foreign_records_total",
                           "Records of the log that are no batches and were stepped over."};
  metrics::gauge committed_at{*this, "argosy_journal_committed_time_seconds",
                              "Unix time at which the last batch became durable; 0: none yet."};
  metrics::counter roll_overs{*this, "argosy_journal_roll_overs_total",
                              "Times that the log went on in its next generation."};
  metrics::gauge generation{*this, "argosy_log_generation",
                            "The generation of the log that is written."};
  metrics::counter snapshots{*this, "argosy_log_snapshots_total",
                             "Snapshots of the store that were made and verified."};
  metrics::counter emptied{*this, "argosy_log_generations_emptied_total",
                           "Generations of the log that were emptied, as snapshots cover them."};
  metrics::counter shortening_failures{
      *this, "argosy_log_shortening_failures_total",
      "Times that no snapshot was made or a generation was not emptied."};
  metrics::gauge snapshot_at{*this, "argosy_log_snapshot_time_seconds",
                             "Unix time of the last snapshot by this process; 0: none yet."};
  metrics::gauge stopped{*this, "argosy_journal_stopped",
                         "1 when the log cannot be written any more; the process then ends."};

  std::shared_ptr<const eventlog::log_load> log;

 protected:
  void collect(metrics::family_list& out) const override;
};

}  // namespace argosy::probes
