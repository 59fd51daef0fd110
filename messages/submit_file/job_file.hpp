// SPDX-License-Identifier: Apache-2.0
// Reads files of jobs and of queues in Armada's YAML and checks them as a whole, with the place of
// every error: "FILE:LINE:COLUMN: message". The command line uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/model/queue.hpp"
#include "runtime/model/retry_policy.hpp"
#include "runtime/settings/yaml/parse.hpp"

namespace argosy::submit_file {

/// A job as it will be sent.
struct job_entry {
  std::string item;  ///< An encoded api.JobSubmitRequestItem.
  std::string gang;  ///< The gang id; empty for a job on its own.
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  /// The number of its item under `jobs:`, from 0. Several jobs have the same when it has a
  /// `count`.
  std::size_t number = 0;
};

struct job_file {
  std::string queue;
  std::string job_set;
  std::vector<job_entry> jobs;
  bool has_waits = false;  ///< Some job waits for others, which may be named by their names.
  /// Values that a server accepts and that can hardly be meant, each as "FILE:LINE:COLUMN: text".
  /// There are at most 20.
  std::vector<std::string> remarks;
};

/// What flags say instead of the file; an empty text leaves it to the file.
struct job_file_options {
  std::string queue;
  std::string job_set;
  std::string name{};        ///< The name of each job.
  std::string usual_name{};  ///< That of jobs which neither have one nor a telling container.
};

/// Reads and checks the jobs. It refuses, beside what the form demands: a missing queue or job set,
/// a file without jobs, a job without or with two pod specs, containers whose requests and limits
/// do not name the same resources, gangs whose members disagree or are not as many as their
/// cardinality, bad names, and control characters but in what a process gets: its command,
/// arguments and values of variables. An item with `count: N` becomes N equal jobs, and one with
/// `array: 0-99` or `0-99:2` a job for each number. `name`, `after`, `onDependencyFailed` and
/// `onPreempted` become the annotations that say so.
/// Anchors, aliases, and keys of the file that begin with `x-` are allowed.
///
/// The error names all mistakes, one a line, in the order of the file; after 20 it says that there
/// may be more.
[[nodiscard]] result<job_file> read_jobs(std::string_view text, std::string file_name,
                                         const job_file_options& options = {});

/// How job files are parsed.
[[nodiscard]] yaml::limits job_file_limits();

/// One SubmitJobs message, and which jobs of the file it carries.
struct job_request {
  std::string bytes;  ///< An encoded api.JobSubmitRequest.
  std::vector<std::size_t> jobs;
};

/// Divides the jobs into requests of at most `bytes_max` bytes and `jobs_max` jobs, in the file's
/// order. A gang stays together at the place of its first member; a gang of more than `jobs_max`
/// jobs is a request of its own. ec::too_large names a job or gang that has more bytes than a
/// request may.
[[nodiscard]] result<std::vector<job_request>> divide(const job_file& file, std::size_t bytes_max,
                                                      std::size_t jobs_max);

/// The queues of a file of `kind: Queue` documents. A missing priorityFactor is 1.
[[nodiscard]] result<std::vector<model::queue_settings>> read_queues(std::string_view text,
                                                                     std::string file_name);

/// The policies of a file of `kind: RetryPolicy` documents. Actions are written Retry or Fail.
[[nodiscard]] result<std::vector<model::retry_policy>> read_policies(std::string_view text,
                                                                     std::string file_name);

}  // namespace argosy::submit_file
