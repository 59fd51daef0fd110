// SPDX-License-Identifier: Apache-2.0
// This file declares what the process gives its rounds: pools with settings of their own, and a
// place for rounds whose plan failed its self-check.

#pragma once

#include <filesystem>
#include <functional>

#include "actors/rounds/round_rules.hpp"
#include "runtime/base/result.hpp"
#include "runtime/settings/scheduling_settings.hpp"

namespace argosy::argosyd {

/// Makes the rules of rounds. ec::invalid_argument names a key that cannot be carried out, for any
/// pool. Rounds whose plan failed its self-check go to `folder`.
[[nodiscard]] result<actors::round_rules> make_round_rules(
    const settings::scheduling_settings& settings, const std::filesystem::path& folder);

/// Decides every round instead of scheduling::schedule(), unless it is empty. Only a program of the
/// tests that shows what becomes of a crash sets it, before main().
[[nodiscard]] std::function<scheduling::plan(const native::round_request&)>& round_decider();

/// Whether the rounds of every pool can do what the settings say; the message names the key.
[[nodiscard]] result<void> check_rounds(const settings::scheduling_settings& settings);

}  // namespace argosy::argosyd
