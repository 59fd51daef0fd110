// SPDX-License-Identifier: Apache-2.0
// This program runs a deployment under load and random faults for as long as asked, and prints the
// verdict.
#include <chrono>
#include <iostream>

#include <CLI/CLI.hpp>

#include "bins/shared/standard_files.hpp"
#include "tests/support/chaos/run.hpp"

int main(int argc, char** argv) {
  argosy::open_standard_files();
  using namespace argosy::chaos;
  using std::chrono::milliseconds;
  run_settings settings;
  std::uint64_t seconds = 60;
  std::uint64_t gap_ms = 1'500;
  std::string keep;
  settings.load.bulk_count = 250;
  CLI::App app{"Runs a deployment under load while its processes are killed and stopped"};
  app.add_option("--seed", settings.seed, "Picks the faults and the jobs")->capture_default_str();
  app.add_option("--seconds", seconds, "How long faults happen")->capture_default_str();
  app.add_option("--gap", gap_ms, "Mean time between faults, in ms")->capture_default_str();
  app.add_option("--callers", settings.load.callers, "Callers whose jobs run")
      ->capture_default_str();
  app.add_option("--bulk", settings.load.bulk_count,
                 "Jobs in each submission of jobs that wait until they are cancelled")
      ->capture_default_str();
  app.add_option("--keep", keep, "Copy the folder of the deployment there, if a promise is broken");
  CLI11_PARSE(app, argc, argv);
  settings.plan.length = std::chrono::seconds{seconds};
  settings.plan.mean_gap = milliseconds{gap_ms};
  settings.world.log_bytes = "4GiB";
  std::cout << "seed " << settings.seed << "\n" << std::flush;
  secured_world world{settings.world};
  if (const auto problem = world.start(); !problem.empty()) {
    std::cerr << problem << "\n";
    return 1;
  }
  const auto got = run_chaos(settings, world, true);
  std::cout << to_text(got);
  const bool good = got.problem.empty() && got.verdict.good();
  std::cout.flush();
  // cp keeps files sparse, such as a store that may become large.
  if (!good && !keep.empty())
    static_cast<void>(world.deployment().program(
        {"/usr/bin/env", "cp", "-a", "--sparse=always", world.folder().string(), keep}));
  return good ? 0 : 3;
}
