// SPDX-License-Identifier: Apache-2.0
// What bench_grpc measures. Each of these prints its figures as lines, and returns the exit code.
#pragma once

#include <cstddef>
#include <string>

namespace argosy::bench {

struct submit_options {
  std::string address;
  std::string queue = "bench";
  std::string job_set = "many";
  std::size_t connections = 8;
  std::size_t jobs = 200;  ///< How many jobs one request has.
  double rate = 0;         ///< Requests per second together; 0: each connection as fast as it can.
  double seconds = 10;     ///< 0: until standard input ends.
};
/// Submits jobs, and prints jobs per second and the times of requests.
int submit(const submit_options& how);

/// Cancels the job set by one call, and prints how long its answer took and what it was.
int cancel(const submit_options& how);

struct watch_options {
  std::string address;
  std::string queue = "bench";
  std::string job_set = "many";
  std::size_t watches = 10'000;
  std::size_t connections = 50;
  std::size_t stuck = 0;  ///< How many further watches never read.
  bool at_once = false;   ///< Let go of each watch when it is opened, and wait for none.
  double settle = 120;    ///< How many seconds after the input's end all events may take to come.
};
/// Watches a job set that has an event already. Prints "open" when each watch has had it, waits for
/// the end of standard input, and then for every watch to have had every event of the set once and
/// in order; prints how many there were and how long the last ones took.
int watch(const watch_options& how);

/// Watches a job set and prints "JOB NANOSECONDS" (since 1970) for each job that ends, until
/// `count` have.
int ends(const watch_options& how, std::size_t count);

/// Opens as many watches and lets each go, half of them before and half after their first event.
/// At most 200 are open for this client, which knows at once of those that it let go before.
int drop(const watch_options& how);

}  // namespace argosy::bench
