// SPDX-License-Identifier: Apache-2.0
// Queries to the READER and what it answers. Everything comes from one read transaction.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/model/event.hpp"
#include "runtime/model/job.hpp"

namespace argosy::native {

/// Jobs by id; unknown ones are left out.
struct get_jobs {
  std::vector<ulid> ids;
  bool with_spec = false;  ///< Otherwise header->spec is null.
};

/// Jobs by properties, in order of id, which is order of submission.
struct list_jobs {
  std::string queue;    ///< Empty: all.
  std::string job_set;  ///< Empty: all.
  std::vector<model::job_state> states;
  std::vector<std::string> id_prefixes;  ///< Lower case; a job matches any.
  bool active_only = false;
  std::uint32_t limit = 10'000;
  std::optional<ulid> after;
};

struct job_page {
  std::vector<model::job_record> jobs;
  std::optional<ulid> next;  ///< Where to go on; nothing when all were given.
};
using job_page_ptr = std::shared_ptr<const job_page>;

struct list_job_sets {
  std::string queue{};  ///< Empty: all.
  bool active_only = false;
  std::uint32_t limit = 1'000;  ///< Of sets in a page.
  std::string after{};          ///< job_set_page::next of the page before; empty: from the first.
};

struct job_set_summary {
  std::string queue;
  std::string job_set;
  std::map<model::job_state, std::uint32_t> jobs;
  std::int64_t submitted_ns = 0;  ///< Of the first job.
  std::int64_t changed_ns = 0;    ///< Of the last change.
};
struct job_set_page {
  std::vector<job_set_summary> sets;  ///< By queue and name, but only within the page.
  std::string next;                   ///< Where to go on; empty when all were given.
};
using job_sets_ptr = std::shared_ptr<const job_set_page>;

/// A place in a job set's events: the log position and the index within the batch.
struct event_cursor {
  std::uint64_t position = 0;
  std::uint32_t index = 0;

  friend auto operator<=>(const event_cursor&, const event_cursor&) = default;
};

struct read_events {
  std::string queue;
  std::string job_set;
  event_cursor after;
  std::uint32_t limit = 500;
  bool newest_only = false;  ///< No events are wanted, only where they end.
};

struct indexed_event {
  event_cursor cursor;
  model::event event;
  /// The job's run on which the event bears, and its header with the specification where the event
  /// is job_submitted.
  std::shared_ptr<const model::job_header> header;
  std::optional<model::run_record> run;
};

struct event_page {
  std::vector<indexed_event> events;
  bool more = false;
  bool exists = false;  ///< Whether the job set has any event or job.
  event_cursor newest;  ///< Of all its events; zeros when there are none.
};
using event_page_ptr = std::shared_ptr<const event_page>;

}  // namespace argosy::native
