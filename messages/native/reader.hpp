// SPDX-License-Identifier: Apache-2.0
// The queries to the READER and its answers. Each answer comes from one read transaction.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/model/event.hpp"
#include "runtime/model/identifiers.hpp"
#include "runtime/model/job.hpp"

namespace argosy::native {

/// An asker waits for the answer to a question that takes long. It is known so that callers take
/// turns and nobody works for one who has gone.
struct asker {
  using time_point = std::chrono::steady_clock::time_point;

  std::string who{};  ///< Callers of one name take one turn together.
  /// Nobody waits for the answer from then on, by the clock of the actors.
  time_point deadline = time_point::max();
  /// True: he has given up. Null: it is not known before the deadline.
  std::shared_ptr<const std::atomic<bool>> given_up{};

  [[nodiscard]] bool has_given_up() const { return given_up && *given_up; }
  [[nodiscard]] bool has_gone(time_point now) const { return has_given_up() || now >= deadline; }
};

/// Asks for jobs by id; unknown ones are left out.
struct get_jobs {
  std::vector<ulid> ids;
  bool with_spec = false;  ///< False: header->spec is null.
};

/// Asks for jobs by properties, in the order of ids, which is the order of submission.
struct list_jobs {
  model::queue_name queue;  ///< Empty: all queues.
  std::string job_set;      ///< Empty: all job sets.
  std::vector<model::job_state> states;
  /// In lower case; a job matches if its id begins with any of them.
  std::vector<std::string> id_prefixes;
  bool active_only = false;
  std::uint32_t limit = 10'000;
  std::optional<ulid> after;
  /// Only jobs with this external URI; empty: any. It costs a look into each specification.
  std::string external_uri{};
  asker asked_by{};
};

struct job_page {
  std::vector<model::job_record> jobs;
  std::optional<ulid> next;  ///< Where the next page goes on; nothing when all jobs were given.
};
using job_page_ptr = std::shared_ptr<const job_page>;

struct list_job_sets {
  model::queue_name queue{};  ///< Empty: all queues.
  bool active_only = false;
  std::uint32_t limit = 1'000;  ///< How many sets one page has at most.
  /// The job_set_page::next of the page before; empty: from the first set on.
  std::string after{};
};

struct job_set_summary {
  model::queue_name queue;
  std::string job_set;
  std::map<model::job_state, std::uint32_t> jobs;
  std::int64_t submitted_ns = 0;  ///< When the first job was submitted.
  std::int64_t changed_ns = 0;    ///< When a job last changed.
};
struct job_set_page {
  /// The sets of the page by queue and name; the pages have no such order.
  std::vector<job_set_summary> sets;
  std::string next;  ///< Where the next page goes on; empty when all sets were given.
};
using job_sets_ptr = std::shared_ptr<const job_set_page>;

/// A place in a job set's events: the log position and the index within the batch.
struct event_cursor {
  model::log_position position{};
  std::uint32_t index = 0;

  friend auto operator<=>(const event_cursor&, const event_cursor&) = default;
};

struct read_events {
  model::queue_name queue;
  std::string job_set;
  event_cursor after;
  std::uint32_t limit = 500;
  bool newest_only = false;  ///< No events are wanted, only the place where they end.
  /// Somebody was at this place before and goes on there. It is ec::conflict if what comes behind
  /// it is not whole any more.
  std::optional<event_cursor> resumes{};
};

struct indexed_event {
  event_cursor cursor;
  model::event event;
  /// The job's run that the event is about, and its header, with the specification if the event is
  /// job_submitted.
  std::shared_ptr<const model::job_header> header;
  std::optional<model::run_record> run;
};

struct event_page {
  std::vector<indexed_event> events;
  bool more = false;
  bool exists = false;  ///< Whether the job set has any event or job.
  event_cursor newest;  ///< The newest of all its events; zeros when there are none.
};
using event_page_ptr = std::shared_ptr<const event_page>;

}  // namespace argosy::native
