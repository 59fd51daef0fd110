// SPDX-License-Identifier: Apache-2.0
// This file declares what QUEUE actors are asked to do and what they answer: the commands of the
// ledger, behind shared pointers where they may be long.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/ledger/health/health_core.hpp"
#include "runtime/ledger/queue/queue_core.hpp"
#include "runtime/model/agent.hpp"
#include "runtime/model/identifiers.hpp"

namespace argosy::native {

enum class submit_purpose : std::uint8_t {
  accept,  ///< The jobs are taken.
  check,   ///< It is only decided whether they would be.
};
struct submit_request {
  std::vector<std::shared_ptr<const model::job_header>> jobs;
  submit_purpose purpose = submit_purpose::accept;
  ledger::request_key key{};
};
using submit_ptr = std::shared_ptr<const submit_request>;
using submit_reply_ptr = std::shared_ptr<const ledger::submit_reply>;

/// How jobs end before their time. Preempting ends only runs, also for a drain, whose jobs may
/// queue again; the request's conditions have to leave out the classes that may not be preempted.
enum class ending : std::uint8_t { cancel, preempt, drain };
struct cancel_request {
  ledger::job_selection jobs;
  std::string requestor;
  std::string reason;
  ending how = ending::cancel;
  /// The id of the operation that this is if it changes very many jobs; nil: it is not recorded.
  ulid operation{};
};
struct reprioritize_request {
  ledger::job_selection jobs;
  std::uint32_t priority = 0;
  std::string requestor;
  ulid operation{};  ///< As in cancel_request.
};
/// Holds jobs that wait, or ends their holds.
struct hold_request {
  ledger::job_selection jobs;
  bool on = true;
  std::string requestor;
  std::string reason;
  ulid operation{};  ///< As in cancel_request.
};
struct settings_request {
  model::queue_settings settings;
  ledger::write_mode mode = ledger::write_mode::upsert;
  /// The ledger::version_of() the settings that are replaced; empty: any settings are.
  std::string expected{};
};

struct policy_request {
  model::retry_policy policy;
  ledger::write_mode mode = ledger::write_mode::upsert;
};

struct queue_status {
  model::queue_settings settings;
  std::map<model::job_state, std::uint64_t> live;
  std::size_t held = 0;     ///< How many of those that wait are held.
  std::size_t blocked = 0;  ///< How many of them no pool could take.
  std::uint64_t unfit = 0;  ///< How many such jobs were rejected since the server began.
  ledger::queue_totals totals;
  std::vector<model::pool_name>
      active_pools;     ///< The pools where its jobs have live runs, by name.
  std::string version;  ///< The ledger::version_of() the settings.
};
/// The queue must exist.
[[nodiscard]] queue_status status_of(const ledger::queue_core& core);
using queue_status_ptr = std::shared_ptr<const queue_status>;

using unfit_ptr = std::shared_ptr<const ledger::unfit_findings>;

using place_ptr = std::shared_ptr<const ledger::place_request>;

/// What a QUEUE accepted of its part of a plan, sent when that is durable.
struct place_reply {
  model::log_position position{};
  std::map<model::cluster_name, std::vector<model::start_run>>
      start;  ///< The runs to start, by cluster.
  std::size_t refused = 0;
};
using place_reply_ptr = std::shared_ptr<const place_reply>;

/// The reports of one cluster on runs of one queue.
struct report_part {
  model::cluster_name cluster;
  std::vector<model::run_report> reports;
};
using report_part_ptr = std::shared_ptr<const report_part>;

using gang_changed_ptr = std::shared_ptr<const ledger::gang_changed>;
using gang_report_ptr = std::shared_ptr<const ledger::gang_report>;

/// What changed in a queue since the last cut, as of a committed position.
struct queue_delta {
  model::queue_name queue;
  bool exists = true;
  model::queue_settings settings;
  std::shared_ptr<const ledger::job_changes> jobs;
  ledger::cut_range range{};
};
using queue_delta_ptr = std::shared_ptr<const queue_delta>;

/// The runs that one batch ended, in the order of its events.
using run_outcomes_ptr = std::shared_ptr<const std::vector<ledger::run_outcome>>;

}  // namespace argosy::native
