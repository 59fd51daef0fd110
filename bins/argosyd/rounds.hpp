// SPDX-License-Identifier: Apache-2.0
// This file declares what the process gives its rounds: pools with settings of their own, a place
// for rounds whose plan failed its self-check, and counters for /metrics.
#pragma once

#include <prometheus/collectable.h>

#include <filesystem>
#include <memory>

#include "actors/rounds/round_rules.hpp"
#include "runtime/base/result.hpp"
#include "runtime/settings/scheduling_settings.hpp"

namespace argosy::argosyd {

/// Makes the rules of rounds. ec::invalid_argument names a key that cannot be carried out, for any
/// pool. Rounds whose plan failed its self-check go to `folder`.
[[nodiscard]] result<actors::round_rules> make_round_rules(
    const settings::scheduling_settings& settings, const std::filesystem::path& folder);

/// Whether the rounds of every pool can do what the settings say; the message names the key.
[[nodiscard]] result<void> check_rounds(const settings::scheduling_settings& settings);

///   argosy_rounds_total{result}   decided, failed, or violation
///   argosy_round_leases_total, argosy_round_preemptions_total
[[nodiscard]] std::shared_ptr<const prometheus::Collectable> round_metrics(
    std::shared_ptr<const actors::round_counters> counters);

}  // namespace argosy::argosyd
