// SPDX-License-Identifier: Apache-2.0
// The store_probe has the figures of the STORE: its transactions, the view's position and the tail.
#pragma once

#include <memory>

#include "runtime/metrics/histogram.hpp"
#include "runtime/metrics/probe.hpp"
#include "runtime/store/database.hpp"

namespace argosy::probes {

struct store_probe final : metrics::probe {
  explicit store_probe(std::shared_ptr<store::database> store)
      : probe("store"), database(std::move(store)) {}

  metrics::counter commits{*this, "argosy_store_commits_total",
                           "Transactions that were committed."};
  metrics::counter failures{*this, "argosy_store_failures_total", "Transactions that failed."};
  metrics::counter written_bytes{*this, "argosy_store_tail_written_bytes_total",
                                 "Bytes of batches that were written to the tail."};
  metrics::gauge position{*this, "argosy_store_position",
                          "The last record of the log that this process has folded into the view."};
  metrics::gauge committed_at{*this, "argosy_store_committed_time_seconds",
                              "Unix time of the last transaction; 0: none yet."};
  metrics::gauge tail_batches{*this, "argosy_store_tail_batches", "Batches in the tail."};
  metrics::gauge tail_bytes{*this, "argosy_store_tail_bytes", "What the tail takes."};
  metrics::gauge watched{*this, "argosy_store_watched_job_sets",
                         "Job sets whose new events somebody waits for."};

  metrics::histogram_table transactions{*this, "argosy_store_txn_duration_seconds",
                                        "Time that a writing transaction took: of a batch that is "
                                        "folded (apply), or of the tail (tail).",
                                        "op"};

  std::shared_ptr<store::database> database;

 protected:
  void collect(metrics::family_list& out) const override;
};

}  // namespace argosy::probes
