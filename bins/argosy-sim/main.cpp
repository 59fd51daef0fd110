// SPDX-License-Identifier: Apache-2.0
// argosy-sim: runs the pure scheduling core offline.
#include <CLI/CLI.hpp>

#include <cstdint>
#include <limits>

#include "bins/argosy-sim/round_command.hpp"
#include "bins/shared/ending.hpp"
#include "bins/shared/standard_files.hpp"

namespace {

/// Does what was asked for and returns the exit code.
int carry_out(int argc, char** argv) {
  CLI::App app{"Argosy's pure core offline"};
  app.require_subcommand(1);
  argosy::sim::round_options options;
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
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    const auto code = app.exit(problem);
    return code == 0 ? 0 : 2;
  }
  return argosy::sim::run_rounds(options);
}

}  // namespace

int main(int argc, char** argv) {
  argosy::open_standard_files();
  return argosy::after_output("argosy-sim", carry_out(argc, argv));
}
