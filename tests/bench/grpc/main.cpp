// SPDX-License-Identifier: Apache-2.0
// bench_grpc measures what clients of the API over gRPC feel. grpc_bench.py starts the servers that
// it measures, and says which figures there are.
#include <sys/resource.h>

#include <CLI/CLI.hpp>

#include "tests/bench/grpc/figures.hpp"

namespace {

/// A watch takes no file, but each connection does.
void allow_many_files() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace argosy::bench;
  allow_many_files();
  CLI::App app{"Measures the API over gRPC."};
  app.require_subcommand(1);
  int code = 0;

  submit_options load;
  auto& submits = *app.add_subcommand("submit", "Submit jobs that stay queued");
  submits.add_option("address", load.address, "HOST:PORT")->required();
  submits.add_option("--queue", load.queue);
  submits.add_option("--jobset", load.job_set);
  submits.add_option("--connections", load.connections);
  submits.add_option("--jobs", load.jobs, "Jobs in one request");
  submits.add_option("--rate", load.rate, "Requests per second; 0: as fast as they are answered");
  submits.add_option("--seconds", load.seconds, "0: until standard input ends");
  submits.callback([&] { code = submit(load); });

  auto& cancels = *app.add_subcommand("cancel", "Cancel a job set");
  cancels.add_option("address", load.address, "HOST:PORT")->required();
  cancels.add_option("--queue", load.queue);
  cancels.add_option("--jobset", load.job_set);
  cancels.callback([&] { code = cancel(load); });

  watch_options watched;
  std::size_t count = 0;
  const auto with_watches = [&](const char* name, const char* what) -> CLI::App& {
    auto& out = *app.add_subcommand(name, what);
    out.add_option("address", watched.address, "HOST:PORT")->required();
    out.add_option("--queue", watched.queue);
    out.add_option("--jobset", watched.job_set);
    out.add_option("--watches", watched.watches);
    out.add_option("--connections", watched.connections);
    return out;
  };
  auto& watches = with_watches("watch", "Watch one job set many times");
  watches.add_option("--stuck", watched.stuck, "Further watches that never read");
  watches.add_option("--settle", watched.settle, "Seconds that the last events may take");
  watches.callback([&] { code = watch(watched); });
  auto& drops = with_watches("drop", "Open watches and let them go");
  drops.add_flag("--at-once", watched.at_once, "Let go of each when it is opened");
  drops.callback([&] { code = drop(watched); });
  auto& ended = with_watches("ends", "Print when the ends of jobs came");
  ended.add_option("--count", count, "How many ends to wait for")->required();
  ended.callback([&] { code = ends(watched, count); });

  CLI11_PARSE(app, argc, argv);
  return code;
}
