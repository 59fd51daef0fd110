// SPDX-License-Identifier: Apache-2.0
// This file declares what the process gives its rounds beside settings: a place for rounds whose
// plan failed its self-check.
#pragma once

#include <filesystem>
#include <functional>

#include "actors/rounds/round_rules.hpp"

namespace argosy::argosyd {

/// Makes the rules of rounds, without pools. Rounds whose plan failed its self-check go to
/// `folder`.
[[nodiscard]] actors::round_rules make_round_rules(const std::filesystem::path& folder);

/// Decides every round instead of scheduling::schedule(), unless it is empty. Only a program of the
/// tests that shows what becomes of a crash sets it, before main().
[[nodiscard]] std::function<scheduling::plan(const native::round_request&)>& round_decider();

}  // namespace argosy::argosyd
