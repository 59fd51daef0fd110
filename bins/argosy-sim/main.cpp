// SPDX-License-Identifier: Apache-2.0
// argosy-sim: runs the pure scheduling core offline, and whole systems in virtual time.
#include <CLI/CLI.hpp>

#include <cstdint>
#include <limits>

#include "bins/argosy-sim/chaos_command.hpp"
#include "bins/argosy-sim/round_command.hpp"
#include "bins/shared/ending.hpp"
#include "bins/shared/standard_files.hpp"

namespace {

/// Adds the command `round`.
CLI::App& add_round(CLI::App& app, argosy::sim::round_options& options) {
  auto& round = *app.add_subcommand("round", "Decide one round for each SNAP1 file");
  round.add_option("FILE", options.files, "SNAP1 files")->required();
  auto* preset =
      round.add_option("--preset", options.preset, "argosy, current, unified, classic or lottery")
          ->capture_default_str();
  round
      .add_option("--config", options.config,
                  "File with the scheduling section of argosyd; it names its own preset")
      ->excludes(preset);
  round.add_option("--protected-fraction", options.protected_fraction,
                   "Queues above this part of their fair share give up their preemptible jobs");
  // The limit is signed, since CLI11 reads -1 as the largest number without a sign.
  constexpr auto lookback_max = std::int64_t{std::numeric_limits<std::uint32_t>::max()};
  round.add_option("--lookback", options.lookback, "New jobs looked at in a queue; 0: all")
      ->check(CLI::Range(std::int64_t{0}, lookback_max));
  round.add_option("--repeat", options.repeat, "Rounds on the same snapshot")
      ->check(CLI::Range(1u, 1'000'000u))
      ->capture_default_str();
  round.add_option("--decisions", options.decisions,
                   "Where the decisions go: a file, or a folder for several inputs");
  round.add_flag("--refusals", options.refusals, "Say on stderr why jobs got no place");
  return round;
}

/// Adds the command `chaos`.
CLI::App& add_chaos(CLI::App& app, argosy::sim::chaos_options& options) {
  auto& chaos = *app.add_subcommand(
      "chaos", "Run whole systems under faults, in virtual time, and judge what they did");
  chaos.add_option("--seed", options.seed, "What the first world follows from")
      ->capture_default_str();
  chaos.add_option("--runs", options.runs, "Worlds, with seeds that follow one another")
      ->check(CLI::Range(1u, 1'000'000u))
      ->capture_default_str();
  chaos
      .add_option("--profile", options.profile,
                  "Which faults; there are " + argosy::sim::profile_list())
      ->capture_default_str();
  chaos.add_option("--hours", options.hours, "Simulated hours of each world")
      ->check(CLI::Range(0.01, 10'000.0))
      ->capture_default_str();
  chaos
      .add_option("--planes", options.planes,
                  "Control planes; three decide together; 0: one or two, as the seed says")
      ->check(CLI::Range(0, 3));
  chaos.add_option("--agents", options.agents, "Clusters")
      ->check(CLI::Range(1u, 50u))
      ->capture_default_str();
  chaos.add_option("--jobs", options.jobs, "Jobs an hour")
      ->check(CLI::Range(1u, 1'000'000u))
      ->capture_default_str();
  chaos.add_option("--faults", options.faults, "Only these of the plan, by their places")
      ->delimiter(',');
#ifdef ARGOSY_PLANTED_FAULTS
  chaos.add_option("--plant", options.plant, "A fault of the product, which is to be found");
#endif
  chaos.add_flag("--stop", options.stop_at_finding, "No world begins after one with a finding");
  chaos.add_flag("--shrink", options.shrink,
                 "Look for the fewest faults with which something is found");
  chaos.add_option("--seconds", options.seconds, "No world begins after so much real time");
  chaos.add_option("--log", options.log,
                   "File for what the processes log, with the machine's time");
  chaos.add_option("--trace", options.trace, "File for a line of each thing that happens");
  return chaos;
}

/// Does what was asked for and returns the exit code.
int carry_out(int argc, char** argv) {
  CLI::App app{"Argosy's core offline: rounds of snapshots, and whole systems in virtual time"};
  app.require_subcommand(1);
  argosy::sim::round_options round_options;
  argosy::sim::chaos_options chaos_options;
  add_round(app, round_options);
  const auto& chaos = add_chaos(app, chaos_options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    const auto code = app.exit(problem);
    return code == 0 ? 0 : 2;
  }
  return chaos.parsed() ? argosy::sim::run_chaos(chaos_options)
                        : argosy::sim::run_rounds(round_options);
}

}  // namespace

int main(int argc, char** argv) {
  argosy::open_standard_files();
  return argosy::after_output("argosy-sim", carry_out(argc, argv));
}
