// SPDX-License-Identifier: Apache-2.0
// What QUEUE actors are asked to do. Vectors that may be long travel behind shared pointers.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/model/agent.hpp"
#include "runtime/model/job.hpp"
#include "runtime/model/queue.hpp"

namespace argosy::native {

struct submit_request {
  std::vector<std::shared_ptr<const model::job_header>> jobs;
};
using submit_ptr = std::shared_ptr<const submit_request>;

/// Ids in the order of the request; a job whose client id was known has the id of the first.
struct submit_reply {
  std::vector<ulid> ids;
};
using submit_reply_ptr = std::shared_ptr<const submit_reply>;

/// Jobs by id, or a whole job set.
struct job_selection {
  std::vector<ulid> ids;
  std::string job_set;  ///< With ids: only those of this set, if not empty.
  bool whole_set = false;
  bool queued = true;   ///< With whole_set: jobs that wait.
  bool started = true;  ///< With whole_set: leased, pending and running ones.
};

struct cancel_request {
  job_selection jobs;
  std::string requestor;
  std::string reason;
};
struct reprioritize_request {
  job_selection jobs;
  std::uint32_t priority = 0;
  std::string requestor;
};
/// The jobs on which it took effect.
struct selection_reply {
  std::vector<ulid> ids;
};

enum class settings_mode : std::uint8_t { upsert, create, update };
struct settings_request {
  model::queue_settings settings;
  settings_mode mode = settings_mode::upsert;
};

/// What QUEUEs tell about themselves.
struct queue_status {
  model::queue_settings settings;
  std::map<model::job_state, std::uint64_t> live;
  std::map<model::job_state, std::uint64_t> ended;  ///< Since this process started.
  std::uint64_t usage_cpu_ms = 0;                   ///< Of runs that ended since then.
};
using queue_status_ptr = std::shared_ptr<const queue_status>;

/// The part of a plan that concerns one queue.
struct planned_lease {
  ulid job;
  std::string cluster;
  std::string node;
  std::string pool;
  std::int32_t priority = 0;
};
struct planned_preemption {
  ulid job;
  ulid preemptor;
  std::string reason;
};
struct planned_rejection {
  ulid job;
  std::string reason;
};
struct place_request {
  std::uint64_t round = 0;
  std::vector<planned_lease> leases;
  std::vector<planned_preemption> preemptions;
  std::vector<planned_rejection> rejections;
};
using place_ptr = std::shared_ptr<const place_request>;

/// What became of it, once durable: orders by cluster.
struct place_reply {
  std::uint64_t position = 0;
  std::map<std::string, std::vector<model::start_run>> start;
  std::map<std::string, std::vector<model::stop_run>> stop;
  std::size_t refused = 0;
};
using place_reply_ptr = std::shared_ptr<const place_reply>;

/// Reports of one cluster on runs of one queue.
struct report_part {
  std::string cluster;
  std::vector<model::run_report> reports;
};
using report_part_ptr = std::shared_ptr<const report_part>;

/// What changed in a queue since the last cut, as of a committed position.
struct queue_delta {
  std::string queue;
  bool exists = true;
  model::queue_settings settings;
  struct job {
    std::shared_ptr<const model::job_header> header;
    std::uint32_t priority = 0;
    bool stopping = false;
    std::shared_ptr<const model::run_record> run;  ///< Null: waits.
  };
  std::vector<job> set;
  std::vector<ulid> removed;
};
using queue_delta_ptr = std::shared_ptr<const queue_delta>;

}  // namespace argosy::native
