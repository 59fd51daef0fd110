// SPDX-License-Identifier: Apache-2.0
// The round_probe has the figures of the ROUNDs. The COORDINATOR counts what became of their plans.
#pragma once

#include "runtime/metrics/probe.hpp"
#include "runtime/scheduling/plan.hpp"

namespace argosy::probes {

struct round_probe final : metrics::probe {
  round_probe() : probe("round") {}

  /// Counts a round that gave this plan.
  void count(const scheduling::plan& plan) noexcept {
    ++decided;
    leases += plan.leases.size();
    preemptions += plan.preemptions.size();
  }

  static constexpr const char* rounds_name = "argosy_rounds_total";
  static constexpr const char* rounds_help =
      "Rounds by result. Any violation is a fault of the scheduler; see the log for the file.";

  metrics::counter decided{*this, rounds_name, rounds_help, {{"result", "decided"}}};
  /// Counts rounds whose input could not be decided.
  metrics::counter failed{*this, rounds_name, rounds_help, {{"result", "failed"}}};
  /// Counts rounds whose plan failed its self-check and was discarded.
  metrics::counter violations{*this, rounds_name, rounds_help, {{"result", "violation"}}};
  metrics::counter made_anew{*this, "argosy_round_states_made_total",
                             "How often what a pool keeps from round to round was made anew."};
  metrics::counter differences{*this, "argosy_round_differences_total",
                               "Rounds that were decided otherwise from their snapshot alone. Any "
                               "is a fault of the scheduler; see the log for the file."};
  metrics::counter leases{*this, "argosy_round_leases_total", "Jobs given a node."};
  metrics::counter preemptions{*this, "argosy_round_preemptions_total", "Jobs preempted."};
  metrics::gauge deciding{*this, "argosy_round_deciding", "ROUNDs that compute a plan now."};
  metrics::gauge begun_at{*this, "argosy_round_begun_time_seconds",
                          "Unix time at which the last round began; 0: none yet."};
  metrics::gauge due_since{*this, "argosy_round_due_time_seconds",
                           "Unix time since when there is work that no round has dealt with; 0: "
                           "there is none."};
  metrics::gauge silent_since{*this, "argosy_silent_since_time_seconds",
                              "Unix time since when the queue or node that is silent longest has "
                              "not answered the rounds; 0: all answer."};
};

}  // namespace argosy::probes
