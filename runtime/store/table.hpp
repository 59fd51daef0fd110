// SPDX-License-Identifier: Apache-2.0
// The tables of a database. A new table is one enumerator and one name; the name is what stands on
// disk, so it never changes its meaning.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace argosy::store {

enum class table : std::uint8_t {
  meta,            ///< Applied position, generation, epoch, hash: single records under fixed names.
  tail,            ///< Raw log batches by batch number, for re-publishing.
  jobs_live,       ///< Jobs that have not ended.
  jobs_done,       ///< Jobs that have.
  specs,           ///< Job specifications, which never change.
  events,          ///< Events by job set and position.
  job_sets,        ///< The job ids of each job set.
  queues,          ///< Queue settings.
  clusters,        ///< Clusters that have said hello.
  nodes,           ///< Nodes by cluster, with cordons and quarantine.
  client_ids,      ///< Client ids and what they created.
  rounds,          ///< What each scheduling round saw and decided.
  runs,            ///< The agent's runs.
  history,         ///< What each log position added to the view that will expire.
  outbox,          ///< The agent's reports that are not yet acknowledged.
  queue_totals,    ///< What has ended in each queue, which outlasts what expires.
  set_counts,      ///< The number of jobs of each job set by state.
  jobs_placed,     ///< The ids of the jobs that are leased, pending or running.
  carried,         ///< The entries that rounds hand on to later rounds.
  retry_policies,  ///< Retry policies by name.
  cordons,         ///< Cordons by cluster and node.
  job_postings,    ///< Jobs by queue and state, by owner, and by annotations and labels.
  audit,           ///< Calls that changed something or were to, by their numbers.
  settings_changes,  ///< Changes of the scheduling settings, by their numbers.
  operations,        ///< Operations by id and queue.
};

inline constexpr std::array<std::string_view, 25> table_names{
    "meta",         "tail",         "jobs_live",   "jobs_done",        "specs",
    "events",       "job_sets",     "queues",      "clusters",         "nodes",
    "client_ids",   "rounds",       "runs",        "history",          "outbox",
    "queue_totals", "set_counts",   "jobs_placed", "carried",          "retry_policies",
    "cordons",      "job_postings", "audit",       "settings_changes", "operations"};

static_assert(table_names.size() == static_cast<std::size_t>(table::operations) + 1,
              "every table needs a name");

[[nodiscard]] constexpr std::string_view to_string(table which) noexcept {
  return table_names[static_cast<std::size_t>(which)];
}

}  // namespace argosy::store
