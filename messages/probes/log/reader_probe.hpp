// SPDX-License-Identifier: Apache-2.0
// The reader_probe counts the queries that the READER answers, and the read transactions that it
// has open.
#pragma once

#include "runtime/metrics/probe.hpp"

namespace argosy::probes {

struct reader_probe final : metrics::probe {
  reader_probe() : probe("reader") {}

  static constexpr const char* queries_name = "argosy_reader_queries_total";
  static constexpr const char* queries_help = "Questions to the store, by what was asked for.";

  metrics::counter jobs{*this, queries_name, queries_help, {{"query", "jobs"}}};
  metrics::counter job_lists{*this, queries_name, queries_help, {{"query", "job_lists"}}};
  metrics::counter searches{*this, queries_name, queries_help, {{"query", "searches"}}};
  metrics::counter groupings{*this, queries_name, queries_help, {{"query", "groupings"}}};
  metrics::counter job_sets{*this, queries_name, queries_help, {{"query", "job_sets"}}};
  metrics::counter events{*this, queries_name, queries_help, {{"query", "events"}}};
  metrics::counter audit{*this, queries_name, queries_help, {{"query", "audit"}}};
  metrics::counter operations{*this, queries_name, queries_help, {{"query", "operations"}}};
  metrics::counter oldest{*this, queries_name, queries_help, {{"query", "oldest"}}};
  metrics::counter failures{*this, "argosy_reader_failures_total",
                            "Questions that could not be answered."};
  metrics::gauge open{*this, "argosy_reader_open", "Read transactions that are open."};
};

}  // namespace argosy::probes
